import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { HoldTable } from '../../platform/db/hold-schema.ts'
import { knownSchema } from '../../platform/db/migrate.ts'
import { JOBS_OWNER } from './hold-owner.ts'
import { LEASE_ENDED } from './lease-observer.ts'

/** An open hold whose process is gone. Holds of jobs are none: no process answers for them. */
export type OrphanHold = Pick<
  HoldTable,
  'hold_id' | 'account_id' | 'key_id' | 'process_id' | 'type' | 'model' | 'stream' | 'placed_at' | 'progress'
>

/** A gateway process as its lease row names it. */
export interface ProcessIdentity {
  readonly processId: string
  /** Names the data folder for embedded storage, and the process itself otherwise. */
  readonly nodeName: string
}

const COLUMNS = [
  ...(['h.hold_id', 'h.account_id', 'h.key_id', 'h.process_id', 'h.type', 'h.model'] as const),
  ...(['h.stream', 'h.placed_at', 'h.progress'] as const),
] as const

/** The present leases of all other processes, by process; null for one that has open holds and no lease. */
export async function listLeases(
  database: Database,
  ownProcessId: string,
): Promise<ReadonlyMap<string, number | null>> {
  const leases = await database.read
    .selectFrom('process_lease')
    .select(['process_id', 'lease_until'])
    .where('process_id', '<>', ownProcessId)
    .execute()
  const without = await database.read
    .selectFrom('hold as h')
    .leftJoin('process_lease as p', 'p.process_id', 'h.process_id')
    .select('h.process_id')
    .distinct()
    .where('h.state', '=', 'held')
    .where('h.process_id', 'not in', [ownProcessId, JOBS_OWNER])
    .where('p.process_id', 'is', null)
    .execute()
  const unleased = without.map((row): [string, null] => [row.process_id, null])
  return new Map([...unleased, ...leases.map((row): [string, number] => [row.process_id, row.lease_until])])
}

/** Open holds of processes behind a hold, oldest first, at most `limit`. */
export async function listOrphans(
  database: Database,
  processIds: ReadonlySet<string>,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly OrphanHold[]> {
  if (processIds.size === 0) return []
  return database.read
    .selectFrom('hold as h')
    .select(COLUMNS)
    .where('h.state', '=', 'held')
    .where('h.process_id', 'in', [...processIds])
    .where('h.hold_id', '>', after)
    .orderBy('h.hold_id')
    .limit(limit)
    .execute()
}

/** Open holds of other processes of the same node, whatever their leases say; oldest first, at most `limit`. */
export function listPredecessors(
  database: Database,
  identity: ProcessIdentity,
  limit: number,
): Promise<readonly OrphanHold[]> {
  return database.read
    .selectFrom('hold as h')
    .innerJoin('process_lease as p', 'p.process_id', 'h.process_id')
    .select(COLUMNS)
    .where('h.state', '=', 'held')
    .where('p.node_name', '=', identity.nodeName)
    .where('h.process_id', '<>', identity.processId)
    .orderBy('h.hold_id')
    .limit(limit)
    .execute()
}

/** Open holds of one process that were placed before `before`, oldest first. */
export function listHoldsOf(database: Database, processId: string, before: number): Promise<readonly OrphanHold[]> {
  return database.read
    .selectFrom('hold as h')
    .select(COLUMNS)
    .where('h.state', '=', 'held')
    .where('h.process_id', '=', processId)
    .where('h.placed_at', '<', before)
    .orderBy('h.hold_id')
    .execute()
}

/** What the lease of a process says; null without one. */
export async function findLease(database: Database, processId: string): Promise<number | null> {
  const lease = await database.read
    .selectFrom('process_lease')
    .select('lease_until')
    .where('process_id', '=', processId)
    .executeTakeFirst()
  return lease?.lease_until ?? null
}

/** Ends the leases of all other processes of the same node. */
export async function endPredecessors(database: Database, identity: ProcessIdentity): Promise<void> {
  const end = database.read
    .updateTable('process_lease')
    .set({ lease_until: LEASE_ENDED })
    .where('node_name', '=', identity.nodeName)
    .where('process_id', '<>', identity.processId)
  await database.write([end.compile()])
}

/** Writes the lease of a process that starts. */
export async function insertLease(
  database: Database,
  identity: ProcessIdentity,
  lease: { readonly now: number; readonly until: number },
): Promise<void> {
  const row = {
    process_id: identity.processId,
    node_name: identity.nodeName,
    started_at: lease.now,
    lease_until: lease.until,
    knows_schema: knownSchema(database.engine),
  }
  await database.write([database.read.insertInto('process_lease').values(row).compile()])
}

/** Ends a lease, so that whatever the process left open is taken over at once. */
export async function endLease(database: Database, processId: string): Promise<void> {
  const end = database.read
    .updateTable('process_lease')
    .set({ lease_until: LEASE_ENDED })
    .where('process_id', '=', processId)
  await database.write([end.compile()])
}

/** Removes leases of processes that are gone, where they ran out before `before` and no hold of theirs is open. */
export async function deleteEndedLeases(database: Database, gone: ReadonlySet<string>, before: number): Promise<void> {
  if (gone.size === 0) return
  const ended = database.read
    .deleteFrom('process_lease')
    .where('lease_until', '<', before)
    .where('process_id', 'in', [...gone])
    .where(
      sql<boolean>`not exists (
        select 1 from hold h where h.process_id = process_lease.process_id and h.state = 'held')`,
    )
  await database.write([ended.compile()])
}
