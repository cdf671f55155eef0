/** The archive's commands, on a database that is open. Part of the composition. */
import type { ActionSteps, JournaledAction } from '../access/operators/journal.ts'
import { createWatchStore } from '../deposits/watch-store.ts'
import { type ArchiveDeps, archiveRequests } from '../money/archive/archive-requests.ts'
import { ArchivedRecords } from '../money/archive/archived-records.ts'
import { readWaiting } from '../money/ledger-log/audit-log-store.ts'
import { createArchiveStore } from '../money/ledger/archive-store.ts'
import type { AdminContext } from '../operations/commands/admin-context.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'

/** Makes them. @param note does something with an entry in the operators' journal. */
export function archiveActions(
  database: Database,
  { clock }: { readonly clock: Clock },
  note: <Result>(action: JournaledAction, steps: ActionSteps<Result>) => Promise<Result>,
): Pick<AdminContext, 'archiveRequests' | 'listArchive' | 'findArchived'> {
  const deps = archiveDeps(database, { clock, holder: createId(clock.now()) })
  const { store } = deps
  return {
    listArchive: () => store.listFiles(),
    findArchived: async (folder, requestId) => new ArchivedRecords(folder, await store.listFiles()).find(requestId),
    archiveRequests: (request) => {
      const work = () => archiveRequests(deps, request)
      if (request.isDryRun) return work()
      const details = { before: new Date(request.before).toISOString(), folder: request.folder }
      const outcomeOf = ({ files }: { readonly files: number }) => (files === 0 ? 'unchanged' : 'done')
      return note({ action: 'requests.archive', details }, { work, outcomeOf })
    },
  }
}

const TASK = 'archive'
/** How long a process that archives may be silent, in milliseconds: a portion takes a second or two. */
const LEASE_MS = 300_000

/** What archiving needs. @param holder names the process among those on the database. */
export function archiveDeps(
  database: Database,
  { clock, holder }: { readonly clock: Clock; readonly holder: string },
): ArchiveDeps {
  const tasks = createWatchStore(database)
  return {
    ...{ store: createArchiveStore(database), clock },
    listWaiting: () => readWaiting(database.read),
    mayGoOn: () => tasks.takeLease(TASK, holder, clock.now(), LEASE_MS),
    release: () => tasks.endLease(TASK, holder),
  }
}
