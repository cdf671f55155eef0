/** The tables about what upstreams have billed, as both engines have them. */
import type { Generated } from 'kysely'

/** An attempt or a generation of a request that its usage record does not name. */
export interface RequestAttemptTable {
  request_id: string
  /** From 1, in the order in which they were made. */
  number: number
  upstream: string
  upstream_model: string
  ended_at: number
  /** The kind of the failure; null where it went well. */
  failure: string | null
  generation_id: string | null
  /** At par, as far as it was known then; null where it was not. */
  cost: bigint | null
}

export interface ReconciliationTable {
  run_id: string
  upstream: string
  /** UTC, such as `2026-03-31`. */
  day: string
  started_at: number
  started_by: string
  /** A run that has not ended by then is given up. */
  lease_until: number
  ended_at: Generated<number | null>
  /** How many differences it has found. */
  differences: Generated<number | null>
  /** JSON text of a `ReconciliationReport`. */
  report: Generated<string | null>
  failure: Generated<string | null>
}
