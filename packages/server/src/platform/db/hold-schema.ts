/** The tables of holds, and of the processes that answer for them. */
import type { Generated } from 'kysely'

/** Credits promised to a request in flight. Ends once. */
export interface HoldTable {
  hold_id: string
  account_id: string
  key_id: string
  team_budget_id: string | null
  key_budget_id: string | null
  /** Period of each budget in which the hold was placed: its capture counts there. Null with the budget. */
  team_window_start: number | null
  key_window_start: number | null
  process_id: string
  type: string
  model: string
  stream: number
  amount: bigint
  /** What was held before the first extension; null for a hold without one. */
  first_amount: bigint | null
  /** Units that the balance could pay when the hold was placed; null when the request needed no limit of ours. */
  limit_units: number | null
  state: 'held' | 'captured' | 'released' | 'expired'
  placed_at: number
  ended_at: number | null
  /** JSON text of a `HoldProgress`; null until the first journal. */
  progress: string | null
}

/** An extension of a hold: its size after it, and what was added. */
export interface HoldExtensionTable {
  hold_id: string
  amount: bigint
  added_amount: bigint
  extended_at: number
}

/** A gateway process that holds money for requests. Its holds are orphans once the lease has run out. */
export interface ProcessLeaseTable {
  process_id: string
  /** Names the data folder for embedded storage: a restart there adopts the holds at once. */
  node_name: string
  started_at: number
  lease_until: number
  /** Number of the newest migration that its code has; null after its row was lost. */
  knows_schema: Generated<number | null>
}
