/** The operator commands for a ledger log that was lost, or whose key was. Part of the composition. */
import { readFileSync } from 'node:fs'
import type { JournalDeps, Operator } from '../access/operators/journal.ts'
import { openLogStore } from '../money/ledger-log/open-log-store.ts'
import { beginNewLedgerLog, replaceLedgerLogKey } from '../operations/actions/recover-ledger-log.ts'
import type { AdminContext } from '../operations/commands/admin-context.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import { readOwnCheckpoint } from './audit-sources.ts'

/** Where the gateway has its key and its last checkpoint. */
interface LogFiles {
  readonly dataDir: string
  readonly keyFile: string
}

export function logCommands(
  database: OpenDatabase,
  { dataDir, keyFile }: LogFiles,
  services: JournalDeps,
  by: Operator,
): Pick<AdminContext, 'replaceLogKey' | 'beginNewLog'> {
  const depsFor = (newKeyFile: string | null) => ({
    ...services,
    ...{ store: openLogStore(database), keyFile, newKeyFile: newKeyFile ?? keyFile },
  })
  return {
    replaceLogKey: ({ reason, keyFile: newFile }) => replaceLedgerLogKey(depsFor(newFile), by, { reason }),
    beginNewLog: ({ reason, keyFile: newFile, checkpoints }) => {
      const own = readOwnCheckpoint(dataDir)
      const notes = [...(own === null ? [] : [own]), ...checkpoints.map((path) => readFileSync(path, 'utf8'))]
      return beginNewLedgerLog(depsFor(newFile), by, { reason, notes })
    },
  }
}
