/** Any request by its id, for operators: what it was charged and why, and what it cost us. */
import { creditsJson, nanocreditsOf, type Printed, type UsageReply } from '@svc/contract'
import { renderPendingUsage, renderUsageRecord } from './render-usage.ts'
import type { UsageStore } from './usage-store.ts'

/** What only an operator sees of a request. Amounts are credits, printed from the integer. */
export interface OperatorFacts {
  readonly account_id: string | null
  readonly key_id: string
  readonly key_name: string
  readonly upstream: string | null
  /** The upstream's own id of what it made; null where it gave none. */
  readonly generation_id: string | null
  /** What the upstream charges us; null while the request runs. */
  readonly credits_cost: ReturnType<typeof creditsJson> | null
  /** What no client pays for; null while the request runs. */
  readonly credits_written_off: ReturnType<typeof creditsJson> | null
}

export type FoundCharge = Printed<UsageReply> & { readonly operator: OperatorFacts }

/**
 * Finds one request of any account.
 *
 * @returns null when there is none.
 */
export async function findCharge(store: UsageStore, requestId: string): Promise<FoundCharge | null> {
  const id = requestId.toLowerCase()
  const scope = { everyAccount: true } as const
  const hold = await store.findOpenHold(scope, id)
  if (hold !== null) {
    const { key_id, key_name } = hold
    const unknown = { account_id: null, upstream: null, generation_id: null, credits_cost: null }
    return { ...renderPendingUsage(hold), operator: { ...unknown, key_id, key_name, credits_written_off: null } }
  }
  const row = await store.find(scope, id)
  if (row === null) return null
  const { account_id, key_id, key_name, upstream, generation_id, cost, write_off } = row
  const credits_cost = creditsJson(nanocreditsOf(cost))
  const credits_written_off = creditsJson(nanocreditsOf(write_off))
  const operator = { account_id, key_id, key_name, upstream, generation_id, credits_cost, credits_written_off }
  return { ...renderUsageRecord(row), operator }
}
