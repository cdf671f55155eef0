import type { Database } from '../../platform/db/database.ts'
import type { LeaseObserver } from './lease-observer.ts'
import { listLeases } from './orphan-store.ts'

/** Counts the processes that share a database, this one included: all but those that are gone. */
export async function countProcesses(database: Database, leases: LeaseObserver, processId: string): Promise<number> {
  const others = await listLeases(database, processId)
  return 1 + others.size - leases.look(others).size
}
