/**
 * Holds that a process left open when it died: each is settled once, by the first process that comes.
 *
 * A known generation is charged what the upstream says it cost, unless its price was final or it had failed; else what
 * the journal counted, marked as an estimate; else nothing. Several processes may sweep at once, because settling is
 * idempotent. Source: decision 0009 (orphaned holds).
 */
import { ZERO, type Nanocredits } from '@svc/contract'
import type { Database } from '../../platform/db/database.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { withAgreedMaximum } from '../../pricing/agreed-maximum.ts'
import type { ChargeBasis, ChatUsage, LateCost } from '../../pricing/price.ts'
import { costAtPar } from '../../pricing/usd.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { parseHoldProgress } from './hold-progress.ts'
import type { LeaseObserver } from './lease-observer.ts'
import type { Ledger } from './ledger.ts'
import type { HoldProgress, PlacedHold, SettleHold, UsageFacts } from './operations.ts'
import {
  deleteEndedLeases,
  endLease,
  endPredecessors,
  insertLease,
  listHoldsOf,
  listLeases,
  listOrphans,
  listPredecessors,
  type OrphanHold,
  type ProcessIdentity,
} from './orphan-store.ts'

export type { OrphanHold, ProcessIdentity } from './orphan-store.ts'

const ORPHANS_AT_ONCE = 200
/** An upstream that cannot be reached is asked again until the hold is this old. */
const LOOK_UP_UNTIL_MS = 3_600_000
/** One that does not know the cost yet is asked again until the hold is this old: it may still be working. */
const UNKNOWN_COST_UNTIL_MS = 30_000
const LEASE_KEPT_MS = 86_400_000
/** Longer than the ledger tries to learn the outcome of an operation. */
const UNKNOWN_AFTER_MS = 120_000

/** The error code of a request whose process was gone when it was settled. */
export const SWEPT_CODE = 'gateway_stopped'

/** What a request costs by what its upstream says it cost. */
export interface OrphanCharge {
  readonly charge: Nanocredits
  readonly cost: Nanocredits
  readonly basis: ChargeBasis
  readonly pricing: string
}

export interface OrphanDeps {
  readonly database: Database
  readonly ledger: Ledger
  readonly clock: Clock
  /** This process. What it has open is never an orphan, even where its lease ran out because it slept. */
  readonly processId: string
  /**
   * Whether this process answers for a hold, or knows how it is to be settled. One that it placed without learning so
   * is an orphan.
   */
  readonly isOpenHere: (holdId: string) => boolean
  /** Called for a hold that cannot be settled at all, so that it does not keep the others from it. */
  readonly onBroken: (holdId: string, error: unknown) => void
  /** What a generation cost; null when its upstream cannot tell. A rejection means: ask again later. */
  readonly findCost: (upstream: string, generationId: string) => Promise<LateCost | null>
  /** @param progress what the journal of the hold says; null where it says nothing. */
  readonly chargeForCost: (hold: OrphanHold, found: LateCost, progress: HoldProgress | null) => OrphanCharge
}

/** How many holds a sweep ended, by how. */
export interface SweepResult {
  /** Charged, or where it had failed written off, by the upstream's own cost. */
  readonly looked: number
  /** Charged by the journal. */
  readonly estimated: number
  /** Ended without a charge. */
  readonly expired: number
  /** Left for a later sweep, because the upstream could not be asked or the hold is broken. */
  readonly postponed: number
}

/** Writes the lease of a process that starts, before it places its first hold. */
export function startLease(database: Database, identity: ProcessIdentity, now: number, leaseMs: number): Promise<void> {
  return insertLease(database, identity, { now, until: now + leaseMs })
}

/** Ends the lease of a process that stops, so that whatever it left open is taken over at once. */
export function stopLease(database: Database, processId: string): Promise<void> {
  return endLease(database, processId)
}

/**
 * Settles the holds that earlier processes of this node left open, without waiting for their leases.
 *
 * Only for embedded storage, where a second process cannot be alive on the same data folder.
 */
export async function adoptHolds(deps: OrphanDeps, identity: ProcessIdentity): Promise<SweepResult> {
  await endPredecessors(deps.database, identity)
  const sweep = beginSweep()
  await settleAll(deps, await listPredecessors(deps.database, identity, ORPHANS_AT_ONCE), sweep)
  return sweep.counts
}

/**
 * Settles holds of processes that are gone, a bounded number at a time, and those that this process placed
 * without learning so, since the database answered with an error and did it all the same. Clears away old leases.
 */
export async function sweepOrphans(deps: OrphanDeps, leases: LeaseObserver): Promise<SweepResult> {
  const { database, processId } = deps
  const now = deps.clock.now()
  const gone = leases.look(await listLeases(database, processId))
  const sweep = beginSweep()
  await settleLeft(deps, gone, sweep)
  await settleAll(deps, await listHoldsOf(database, processId, now - UNKNOWN_AFTER_MS), sweep)
  await deleteEndedLeases(database, gone, now - LEASE_KEPT_MS)
  return sweep.counts
}

/** Settles what processes have left. Those that wait for their upstreams keep none behind them from it. */
async function settleLeft(deps: OrphanDeps, gone: ReadonlySet<string>, sweep: Sweep): Promise<void> {
  for (let after = ''; ;) {
    const postponed = sweep.counts.postponed
    const left = await listOrphans(deps.database, gone, { after, limit: ORPHANS_AT_ONCE })
    await settleAll(deps, left, sweep)
    const last = left.at(-1)
    if (last === undefined || left.length < ORPHANS_AT_ONCE || sweep.counts.postponed === postponed) return
    after = last.hold_id
  }
}

type Outcome = keyof SweepResult

interface Sweep {
  readonly counts: Record<Outcome, number>
  /** An upstream that does not answer is asked once, or a start would wait for it as often as there are holds. */
  readonly silent: Set<string>
}

function beginSweep(): Sweep {
  return { counts: { looked: 0, estimated: 0, expired: 0, postponed: 0 }, silent: new Set() }
}

async function settleAll(deps: OrphanDeps, holds: readonly OrphanHold[], { counts, silent }: Sweep): Promise<void> {
  for (const hold of holds.filter(({ hold_id: id }) => !deps.isOpenHere(id))) {
    try {
      counts[await settleOrphan(deps, hold, silent)]++
    } catch (error) {
      if (error instanceof ServiceError) throw error
      deps.onBroken(hold.hold_id, error)
      counts.postponed++
    }
  }
}

async function settleOrphan(deps: OrphanDeps, hold: OrphanHold, silent: Set<string>): Promise<Outcome> {
  const now = deps.clock.now()
  const progress = hold.progress === null ? null : parseHoldProgress(hold.hold_id, hold.progress)
  const generation = generationOf(progress)
  let found: LateCost | null = null
  if (generation !== null) {
    const { upstream, generationId } = generation
    if (!silent.has(upstream)) {
      found = await deps.findCost(upstream, generationId).catch(() => {
        silent.add(upstream)
        return null
      })
    }
    const askUntil = silent.has(upstream) ? LOOK_UP_UNTIL_MS : UNKNOWN_COST_UNTIL_MS
    if (found === null && now - hold.placed_at < askUntil) return 'postponed'
  }
  const [outcome, operation] = settlementFor(deps, { hold, progress, found, now })
  await deps.ledger.submit(operation)
  return outcome
}

/** By what the cost of a hold can be looked up; null where it cannot be, or decides nothing. */
function generationOf(progress: HoldProgress | null): { upstream: string; generationId: string } | null {
  if (progress === null || progress.verdict === 'priced') return null
  const { upstream, generationId } = progress
  return upstream === null || generationId === null ? null : { upstream, generationId }
}

interface OrphanFindings {
  readonly hold: OrphanHold
  readonly progress: HoldProgress | null
  readonly found: LateCost | null
  readonly now: number
}

function settlementFor(deps: OrphanDeps, findings: OrphanFindings): readonly [Outcome, SettleHold] {
  const { hold, progress, found, now } = findings
  const { most } = progress ?? {}
  const agreed = most === undefined ? {} : { most }
  const explain = (pricing: string | null) => (most === undefined ? pricing : withAgreedMaximum(pricing, most))
  const base = { kind: 'settle', holdId: hold.hold_id, lost: ZERO, ...agreed, placed: placedFrom(hold), now } as const
  const facts = factsFrom(progress, found?.usage ?? null)
  if (found !== null && progress?.verdict === 'failed') {
    const cost = costAtPar(found.cost)
    const free: UsageFacts = { ...facts, status: 'error' }
    return ['looked', { ...base, end: 'released', charge: ZERO, cost, lost: cost, facts: free }]
  }
  if (found !== null) {
    const { charge, cost, basis, pricing } = deps.chargeForCost(hold, found, progress)
    return ['looked', { ...base, end: 'captured', charge, cost, facts: { ...facts, basis, pricing: explain(pricing) } }]
  }
  if (progress !== null && progress.charge > 0n) {
    const pricing = explain(progress.pricing)
    const estimate: UsageFacts = { ...facts, basis: 'estimate', estimated: true, pricing }
    return ['estimated', { ...base, end: 'captured', charge: progress.charge, cost: progress.cost, facts: estimate }]
  }
  return ['expired', { ...base, end: 'expired', charge: ZERO, cost: ZERO, facts: { ...facts, status: 'error' } }]
}

function placedFrom(hold: OrphanHold): PlacedHold {
  return {
    accountId: hold.account_id,
    keyId: hold.key_id,
    processId: hold.process_id,
    type: hold.type,
    model: hold.model,
    stream: Boolean(hold.stream),
    placedAt: hold.placed_at,
  }
}

/** The caller never got its answer whole. Where nothing of it is charged, the record says `error` instead. */
function factsFrom(progress: HoldProgress | null, usage: ChatUsage | null): UsageFacts {
  return {
    upstream: progress?.upstream ?? null,
    upstreamModel: progress?.upstreamModel ?? null,
    status: 'incomplete',
    errorCode: SWEPT_CODE,
    promptTokens: usage?.promptTokens ?? progress?.promptTokens ?? null,
    completionTokens: usage?.completionTokens ?? progress?.completionTokens ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    reasoningTokens: usage?.reasoningTokens ?? null,
    basis: null,
    estimated: false,
    pricing: null,
    generationId: progress?.generationId ?? null,
    latencyMs: null,
  }
}
