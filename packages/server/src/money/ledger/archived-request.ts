/** Requests on their way out of the database, and what is carried on of them. Source: decision 0163. */
import type { ArchiveFileTable, ArchivedBudgetTable, ArchivedUsageTable } from '../../platform/db/archive-schema.ts'
import type { HoldExtensionTable, HoldTable } from '../../platform/db/hold-schema.ts'
import type { UsageRecordTable } from '../../platform/db/schema.ts'

/** All that the database has of a request beside its transfer. */
export interface ArchivedRequest {
  readonly record: UsageRecordTable
  readonly hold: HoldTable
  /** In the order in which the hold grew. */
  readonly extensions: readonly HoldExtensionTable[]
}

/** Which requests may leave. */
export interface ArchivePortion {
  /** Only requests behind this one. */
  readonly afterId: string
  /** Only requests that began, and whose end was booked, before: milliseconds since the epoch. */
  readonly endedBefore: number
  /** The least id that is too young. */
  readonly belowId: string
  /** Records that are looked at in one statement, those that stay with them. */
  readonly limit: number
}

export type CarriedUsage = Omit<ArchivedUsageTable, 'file_id'>
export type CarriedBudget = Omit<ArchivedBudgetTable, 'file_id'>

/** What the audit goes on with in place of the rows. */
export interface CarriedSums {
  readonly usage: readonly CarriedUsage[]
  readonly budgets: readonly CarriedBudget[]
}

export interface ArchiveStore {
  /** The files that there are, oldest requests first. */
  listFiles(): Promise<readonly ArchiveFileTable[]>
  /** The newest file; null before the first. */
  findLast(): Promise<ArchiveFileTable | null>
  /** The file whose range a request lies in; null for none. */
  findFile(requestId: string): Promise<ArchiveFileTable | null>
  /** Requests that may leave, oldest first, at most `limit` of them; none when there are no more. */
  readPortion(portion: ArchivePortion): Promise<readonly ArchivedRequest[]>
  /** Notes a file with what is carried on, and removes its requests: all or nothing. */
  take(file: ArchiveFileTable, sums: CarriedSums, ids: readonly string[]): Promise<void>
}
