import type { logEndpoints } from '../endpoints/log.ts'
import type { ExampleTable } from './example.ts'

/** The grant of docs/ledger-log.md. */
export const logExamples: ExampleTable<typeof logEndpoints> = {
  getReceipt: {
    reply: {
      object: 'receipt',
      version: 1,
      entry: {
        account_id: 'account-1',
        amount: '5000000000',
        balance: '5000000000',
        booked_at: 1792999999000,
        id: 'welcome',
        kind: 'grant',
        number: 1,
        operator_digest: null,
        reason: 'Welcome',
        record_digest: null,
        revision: 1,
        version: 1,
      },
      record: null,
      salt: 'AAECAwQFBgcICQoLDA0ODw==',
      proof:
        'c2sp.org/tlog-proof@v1\nindex 0\nzTASG9gjByCqTX9shdXeC4wxF00f2HZ9/0VfHbAGWz0=\n\nai.example.com/api/log\n2\n44TLzCVxirSnJOk9PjqWu8pYpCXLoIJMiuwm/tRM19s=\n\n— ai.example.com/api/log zLUQyM+ICaZSnaadNi0TpgR7q61lD8USygnRM698JhAK1hh9PVFag82z6f4Wy2TbRp9GtAbH36NLHrFOT8YhxGoKwAo=\n',
    },
  },
  getLogCheckpoint: {},
  getLogTile: {},
  getLogKey: {},
}
