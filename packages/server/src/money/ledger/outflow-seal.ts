import { createHash } from 'node:crypto'
import type { OutflowTable } from '../../platform/db/deposit-schema.ts'

/** What the sweeper records of an outflow, but for its times. */
export type OutflowFacts = Omit<OutflowTable, 'seal' | 'created_at' | 'updated_at'>

/**
 * The seal of an outflow: a digest of all that is recorded of it. What left an address raises what may be credited for
 * it, and no other row refers to it, so the row vouches for itself: the audit finds one that a hand has changed. It
 * keeps out mistakes; a person who knows how it is made can make it.
 */
export function sealOutflow(facts: OutflowFacts): string {
  const { outflow_id: id, chain_id: chain, asset, address, tx_hash: tx, raw_amount: amount, raw_fee: fee } = facts
  const { state, block_number: block, block_hash: hash } = facts
  const told = JSON.stringify([id, chain, asset, address, tx, amount, fee, state, block, hash])
  return createHash('sha256').update(told).digest('hex')
}
