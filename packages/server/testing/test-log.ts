/** A ledger with its log, as a gateway process keeps it, on a database of a test. */
import { randomUUID } from 'node:crypto'
import type { LogRefusal } from '../src/money/ledger-log/check-log.ts'
import type { CheckpointFile } from '../src/money/ledger-log/checkpoint-file.ts'
import { LedgerLog } from '../src/money/ledger-log/ledger-log.ts'
import { type LogSigner, makeLogKey, parseLogKeys } from '../src/money/ledger-log/log-key.ts'
import type { LogStore } from '../src/money/ledger-log/log-store.ts'
import { openLogStore } from '../src/money/ledger-log/open-log-store.ts'
import { createRecentBatches } from '../src/money/ledger-log/recent-batches.ts'
import { createLedgerEngine } from '../src/money/ledger/create-ledger-engine.ts'
import { Ledger } from '../src/money/ledger/ledger.ts'
import type { OpenDatabase } from '../src/platform/db/open-database.ts'

export const LOG_NAME = 'gateway.test/api/log'

/** Keys as a file would have them. */
export function testSigners(name = LOG_NAME): readonly LogSigner[] {
  return parseLogKeys(makeLogKey(name))?.signers ?? []
}

/** A file that outlives the process that wrote it, in memory. */
export function checkpointFile(): CheckpointFile & { note: string | null } {
  const file = {
    note: null as string | null,
    read: () => Promise.resolve(file.note),
    write: (checkpoint: string) => {
      file.note = checkpoint
      return Promise.resolve()
    },
  }
  return file
}

export interface TestLog {
  readonly ledger: Ledger
  readonly log: LedgerLog
  readonly store: LogStore
  readonly refusals: (LogRefusal | null)[]
  /** Entries whose rows were gone. */
  readonly missing: number[]
}

export interface TestLogOptions {
  readonly signers: readonly LogSigner[]
  readonly file?: CheckpointFile
  readonly processId?: string
  readonly now?: () => number
  /** Whether what the ledger books is read from the database, as after a start. */
  readonly forgets?: boolean
  /** Wraps each append. */
  readonly around?: (append: LogStore['append']) => LogStore['append']
}

/** Opens a ledger and its log, as one process has them. */
export function openTestLog(database: OpenDatabase, options: TestLogOptions): TestLog {
  const {
    signers,
    file = checkpointFile(),
    processId = randomUUID(),
    now = Date.now,
    forgets = false,
    around,
  } = options
  const recent = createRecentBatches()
  const notes = { isLogged: true, onLogged: forgets ? undefined : recent.note }
  const ledger = new Ledger({ engine: createLedgerEngine(database, notes) })
  const opened = openLogStore(database)
  const store = around === undefined ? opened : { ...opened, append: around((context) => opened.append(context)) }
  const refusals: (LogRefusal | null)[] = []
  const missing: number[] = []
  const log = new LedgerLog({
    ...{ store, signers, file, recent, processId, clock: { now } },
    onRefusal: (refusal) => void refusals.push(refusal),
    onMissing: (entries) => void missing.push(entries),
  })
  return { ledger, log, store, refusals, missing }
}
