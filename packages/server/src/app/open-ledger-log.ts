/** The ledger log put together: its key, its file, and what the log of the process says of it. Part of the composition. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { LogRefusal } from '../money/ledger-log/check-log.ts'
import { openCheckpointFile } from '../money/ledger-log/checkpoint-file.ts'
import { LedgerLog } from '../money/ledger-log/ledger-log.ts'
import { type LogSigner, makeLogKey, parseLogKeys } from '../money/ledger-log/log-key.ts'
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
  if ((await store.readLog()) === null) makeKeyFile(keyFile, logNameOf(config.publicUrl ?? parts.localOrigin))
  return new LedgerLog({
    ...{ store, recent, clock, processId },
    signers: readLogKeys(keyFile),
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

/** Makes the key of a log that is about to begin. One that is there, or that another start makes meanwhile, stays. */
function makeKeyFile(path: string, name: string): void {
  try {
    writeFileSync(path, makeLogKey(name), { flag: 'wx', mode: 0o600 })
    chmodSync(path, 0o600)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw unusable(path, error)
  }
}

/**
 * Reads the keys of the log. None where the file is gone.
 *
 * @throws {ConfigError} when the file is there and cannot be read, or has something else in it.
 */
export function readLogKeys(path: string): readonly LogSigner[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw unusable(path, error)
  }
  const signers = parseLogKeys(text)
  if (signers !== null) return signers
  throw new ConfigError([
    `The key of the ledger log in ${path} is none: each line is a key that begins with PRIVATE+KEY+, all of one name. ` +
      'Put the file back as the gateway has made it.',
  ])
}

function unusable(path: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : 'unknown error'
  return new ConfigError([
    `The key of the ledger log cannot be used: ${reason}. Give a file in SVC_LOG_KEY_FILE, or none for ${path}.`,
  ])
}
