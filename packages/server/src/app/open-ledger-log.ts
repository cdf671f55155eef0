/** The ledger log put together: its key, its file, and what the log of the process says of it. Part of the composition. */
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { LogRefusal } from '../money/ledger-log/check-log.ts'
import { openCheckpointFile } from '../money/ledger-log/checkpoint-file.ts'
import { LedgerLog } from '../money/ledger-log/ledger-log.ts'
import { makeLogKeyFile, readLogKeyFile } from '../money/ledger-log/log-key-file.ts'
import type { LogStore, RecentBatches } from '../money/ledger-log/log-store.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'

/** The file in the data folder that remembers what was published. */
export const CHECKPOINT_FILE = 'ledger-log-checkpoint'

export interface LedgerLogParts {
  readonly config: Pick<Config, 'ledgerLog' | 'dataDir' | 'publicUrl'>
  /** By which this machine reaches the gateway where it has no public address. */
  readonly localOrigin: string
  readonly store: LogStore
  readonly recent: RecentBatches
  readonly clock: Clock
  readonly log: Logger
  readonly processId: string
}

/**
 * Opens the log. The first start makes its key; a key that is gone later is not replaced, since no verifier would know it.
 *
 * @throws {ConfigError} when the file of the key is none, or cannot be read or made.
 */
export async function openLedgerLog(parts: LedgerLogParts): Promise<LedgerLog> {
  const { config, store, recent, clock, log, processId } = parts
  const { keyFile } = config.ledgerLog
  if ((await store.readLog()) === null) makeLogKeyFile(keyFile, logNameOf(config.publicUrl ?? parts.localOrigin))
  return new LedgerLog({
    ...{ store, recent, clock, processId },
    signers: readLogKeyFile(keyFile).signers,
    file: openCheckpointFile(join(config.dataDir, CHECKPOINT_FILE)),
    onRefusal: (refusal) => {
      if (refusal === null) log.info('the ledger log is in order again')
      else log.error({ reason: refusal, key_file: keyFile }, REFUSALS[refusal])
    },
    onMissing: (entries) =>
      log.error({ entries }, 'rows that the ledger had booked were gone before the ledger log put them down'),
  })
}

const NOTHING = 'Nothing is put into the ledger log and nothing is signed: '
const ADVICE = ' docs/operations.md says what to do.'

const REFUSALS: Readonly<Record<LogRefusal, string>> = {
  no_key: `${NOTHING}the file of its key is gone.${ADVICE}`,
  other_log: `${NOTHING}the log in the database has another name than the key.${ADVICE}`,
  unknown_key: `${NOTHING}the log in the database was signed with other keys. Processes on one database share one key file.${ADVICE}`,
  shorter: `${NOTHING}the database has fewer entries than were published. Was it restored from a backup?${ADVICE}`,
  differs: `${NOTHING}the database has other entries than were published. Was it restored from a backup, or changed?${ADVICE}`,
}

/** The log's name: its address without the scheme. */
export function logNameOf(origin: string): string {
  return `${new URL(origin).host}/api/log`
}
