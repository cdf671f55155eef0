import type { Database } from '../../platform/db/database.ts'

/** Counts the processes that share a database: those whose lease runs. */
export async function countProcesses({ read }: Database, now: number): Promise<number> {
  const row = await read
    .selectFrom('process_lease')
    .select(({ fn }) => fn.countAll<number>().as('processes'))
    .where('lease_until', '>=', now)
    .executeTakeFirstOrThrow()
  return Number(row.processes)
}
