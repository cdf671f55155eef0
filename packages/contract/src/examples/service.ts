import type { serviceEndpoints } from '../endpoints/service.ts'
import type { ExampleTable } from './example.ts'

export const serviceExamples: ExampleTable<typeof serviceEndpoints> = {
  getHealth: {
    reply: {
      status: 'ok',
      version: '0.1.0',
      time: '2026-11-28T09:00:00.000Z',
      routing: { text: 'ok', image: 'off', video: 'off', audio: 'off' },
      deposits: 'off',
      ledger_log: 'ok',
      database: 'ok',
      circuits: { open: 0, half_open: 0 },
      catalog: { featured: 17, models: 373, updated_at: null },
    },
  },
  getOpenApi: { reply: { openapi: '3.1.0', info: { title: 'SVC inference gateway', version: '1.1.0' }, paths: {} } },
}
