import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type Halves, joinHalves, sumOf } from './audit-query.ts'

/** What all processes on a database have open. */
export interface HeldTotals {
  readonly holds: number
  /** In nanocredits. */
  readonly amount: bigint
  /** When the oldest was placed, in milliseconds since the epoch; null when nothing is open. */
  readonly oldest: number | null
}

/** Counts and sums the open holds. */
export async function readHeldTotals({ read, engine }: Database): Promise<HeldTotals> {
  const result = await sql<Halves & { holds: number; oldest: number | null }>`
    select count(*) as holds, min(placed_at) as oldest, ${sumOf(engine, sql`amount`)} from hold where state = 'held'
  `.execute(read)
  const [row] = result.rows
  return { holds: row?.holds ?? 0, amount: joinHalves(engine, row), oldest: row?.oldest ?? null }
}
