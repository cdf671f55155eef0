/**
 * A process that books and keeps the ledger log as a gateway does, until it is killed. It prints what is durable: a line
 * `booked ID` for each grant, `signed NOTE` (base64) for each checkpoint that it would give out, `refused REASON`.
 *
 * Its clock runs two hundred times as fast, the same for all processes: a lease of ten seconds ends in 50 milliseconds, so that
 * a killed process is replaced at once, and one that is merely slow is overtaken in the middle of its work.
 */
import { randomUUID } from 'node:crypto'
import { openCheckpointFile } from '../../packages/server/src/money/ledger-log/checkpoint-file.ts'
import { LedgerLog } from '../../packages/server/src/money/ledger-log/ledger-log.ts'
import { readLogKeyFile } from '../../packages/server/src/money/ledger-log/log-key-file.ts'
import { openLogStore } from '../../packages/server/src/money/ledger-log/open-log-store.ts'
import { createRecentBatches } from '../../packages/server/src/money/ledger-log/recent-batches.ts'
import { createLedgerEngine } from '../../packages/server/src/money/ledger/create-ledger-engine.ts'
import { Ledger } from '../../packages/server/src/money/ledger/ledger.ts'
import { openDatabase } from '../../packages/server/src/platform/db/open-database.ts'
import { CHECKPOINT_WORKER } from '../../packages/server/testing/fresh-database.ts'
import { grant } from '../../packages/server/testing/ledger-operations.ts'

const SPEED = 200
const SINCE = Date.UTC(2026, 0, 1)
const AT_ONCE = 8
const TICK_MS = 20

const [url = '', dataDir = '', keyFile = '', ...accounts] = process.argv.slice(2)
const database = await openDatabase({ url, dataDir, checkpointWorker: CHECKPOINT_WORKER, schema: 'require' })
const recent = createRecentBatches()
const ledger = new Ledger({ engine: createLedgerEngine(database, { isLogged: true, onLogged: recent.note }) })
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const log = new LedgerLog({
  ...{ store: openLogStore(database), signers: readLogKeyFile(keyFile).signers, recent },
  file: openCheckpointFile(`${dataDir}/ledger-log-checkpoint`),
  clock: { now: () => SINCE + (Date.now() - SINCE) * SPEED },
  processId: randomUUID(),
  onRefusal: (refusal) => print(`refused ${refusal ?? 'no more'}`),
  onMissing: (entries) => print(`missing ${entries}`),
})

async function book(accountId: string): Promise<never> {
  for (;;) {
    const transferId = randomUUID()
    await ledger.submit(grant(accountId, 7n, { transferId }))
    print(`booked ${transferId}`)
  }
}

async function keepLog(): Promise<never> {
  let last = ''
  for (;;) {
    await log.tick()
    const published = await log.published()
    if (published !== null && published.note !== last) {
      last = published.note
      print(`signed ${Buffer.from(last).toString('base64')}`)
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
}

await Promise.all([
  keepLog(),
  ...Array.from({ length: AT_ONCE }, (_value, at) => book(accounts[at % accounts.length] ?? '')),
])
