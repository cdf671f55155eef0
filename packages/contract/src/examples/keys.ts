import type { keysEndpoints } from '../endpoints/keys.ts'
import { CREATED, type ExampleTable, REQUEST_ID } from './example.ts'

const KEY_ID = '0199f0a4-7c1e-7a52-9d1b-3f5a2c7e8b91'

const laptop = {
  ...{ object: 'api_key', id: KEY_ID, name: 'laptop', display: 'sk-svc-0123…x8pQ', status: 'active' },
  ...{ is_current: false, made_with: REQUEST_ID, rights: ['inference'], models: ['svc-gpt'] },
  ...{ budget_credits: 5_000, budget_period: 'monthly', budget_used: 12.5 },
  ...{ created: CREATED, expires_at: 1_798_405_200, revoked_at: null, last_used_at: null },
}

export const keysExamples: ExampleTable<typeof keysEndpoints> = {
  listApiKeys: { reply: { object: 'list', data: [laptop] } },
  createApiKey: {
    body: { name: 'laptop', models: ['svc-gpt'], expires_at: 1_798_405_200 },
    reply: { ...laptop, key: 'sk-svc-0123456789abcdefghijABCDEFGHIJ0123456789abc4Kx8pQ' },
  },
  revokeApiKey: { reply: { id: KEY_ID, object: 'api_key.deleted', deleted: true } },
  mirrorKey: {
    body: { raw: 'sk-svc-0123456789abcdefghijABCDEFGHIJ0123456789abc4Kx8pQ', name: 'laptop' },
    reply: { mirrored: true },
  },
}
