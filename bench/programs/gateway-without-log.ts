/** A gateway whose ledger log is off, which no setting can make it: what the log costs is measured beside it. */
import { pathToFileURL } from 'node:url'
import { findProgram } from '../../packages/server/testing/find-program.ts'

// Built, as the gateway is that it is compared with.
const file = pathToFileURL(await findProgram('run')).href
const { run } = (await import(file)) as typeof import('../../packages/server/src/app/run.ts')
await run({ adminCommand: 'npm run admin --', keepsLedgerLog: false })
