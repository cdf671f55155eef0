/** A gateway whose ledger log is off, which no setting can make it: what the log costs is measured beside it. */
import { run } from '../../packages/server/src/app/run.ts'

await run({ adminCommand: 'npm run admin --', keepsLedgerLog: false })
