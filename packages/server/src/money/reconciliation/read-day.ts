/** The records of a day, from the database and from the archive. */
import type { Database } from '../../platform/db/database.ts'
import { readRequests } from '../archive/archive-file.ts'
import { type BilledRequest, readBilledRequests, toBilledRequests } from '../billing/read-billed-requests.ts'
import { idsOf } from '../billing/usage-steps.ts'
import { listFilesWithin } from '../ledger/read-archive.ts'
import type { DaySpan } from './day-span.ts'

interface AskedDay {
  readonly upstream: string
  readonly span: DaySpan
  /** The folder of the archive; null reads the database alone. */
  readonly archive: string | null
}

/** Whether records of the day, or of the day before it, may have left the database. */
export async function isArchived({ read }: Pick<Database, 'read'>, span: DaySpan): Promise<boolean> {
  return (await listFilesWithin(read, idsOf(span, null))).length > 0
}

/**
 * Reads what the books have of an upstream's day, in steps.
 *
 * @throws {ArchiveFileError} for a file of the archive that is missing or another.
 */
export async function* readDay(
  database: Pick<Database, 'read'>,
  { upstream, span, archive }: AskedDay,
): AsyncGenerator<readonly BilledRequest[], void, undefined> {
  yield* readBilledRequests(database, upstream, span)
  if (archive === null) return
  for (const file of await listFilesWithin(database.read, idsOf(span, null))) {
    const requests = await readRequests(archive, file)
    const records = requests.map(({ record }) => record).filter(({ started_at: at }) => at >= span.from && at < span.to)
    yield await toBilledRequests(database, upstream, records)
  }
}
