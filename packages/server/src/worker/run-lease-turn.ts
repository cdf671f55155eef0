import type { LostCharges } from '../money/billing/lost-charges.ts'
import type { OpenHolds } from '../money/billing/open-holds.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import type { Clock, MonotonicClock } from '../platform/runtime/clock.ts'
import type { LeaseWatch } from './lease-watch.ts'

export interface LeaseDeps {
  readonly ledger: Pick<Ledger, 'submit'>
  readonly openHolds: OpenHolds
  readonly clock: Clock
  /** The clock by which the loops wait, which goes on while the other one is moved. */
  readonly loopClock: MonotonicClock
  /** Asks who the address of the database leads to now; null on embedded storage. */
  readonly lookAgain: (() => Promise<void>) | null
  /** Null on embedded storage. */
  readonly lostCharges: Pick<LostCharges, 'look'> | null
  readonly processId: string
  readonly leaseMs: number
}

/** Entries in one operation at most: requests that wait for their own commit must not wait for thousands of these. */
const ENTRIES_MAX = 250

/**
 * One turn of the loop by which this process stays alive for the others: it renews its lease, notes its open holds,
 * writes settlements that could not be written before, and looks whether the database has lost any. Source: decision
 * 0009 (orphans).
 */
export async function runLeaseTurn(deps: LeaseDeps, watch: LeaseWatch): Promise<void> {
  // Whether the address leads to another server is asked meanwhile: where that fails, the others say so, too.
  const looking = deps.lookAgain?.().catch(() => undefined)
  await journalHolds(deps, watch)
  await deps.openHolds.rewriteUnwritten()
  await looking
  await deps.lostCharges?.look()
}

/** Renews the lease of this process, and notes what its open holds would be charged if it died now. */
async function journalHolds(deps: LeaseDeps, watch: LeaseWatch): Promise<void> {
  const askedAt = deps.loopClock.elapsed()
  const now = deps.clock.now()
  const lease = { kind: 'journal', processId: deps.processId, leaseUntil: now + deps.leaseMs, now } as const
  const entries = deps.openHolds.progress()
  await deps.ledger.submit({ ...lease, entries: entries.slice(0, ENTRIES_MAX) })
  watch.renewed(askedAt)
  for (let start = ENTRIES_MAX; start < entries.length; start += ENTRIES_MAX) {
    await deps.ledger.submit({ ...lease, entries: entries.slice(start, start + ENTRIES_MAX) })
  }
}
