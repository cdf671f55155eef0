import type { LeftJournals } from '../money/billing/left-journals.ts'
import type { OpenHolds } from '../money/billing/open-holds.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import type { HoldProgress } from '../money/ledger/operations.ts'
import type { LeaseObserver } from '../money/ledger/lease-observer.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import {
  adoptHolds,
  type OrphanCharge,
  type OrphanDeps,
  startLease,
  stopLease,
  sweepOrphans,
  type OrphanHold,
  type ProcessIdentity,
} from '../money/ledger/orphans.ts'
import { ZERO } from '@svc/contract'
import { chargeChat } from '../pricing/charge-chat.ts'
import type { ChatUsage, LateCost } from '../pricing/price.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'

export interface SettleOrphansDeps {
  readonly database: OpenDatabase
  readonly ledger: Ledger
  /** What this process has open itself: no orphans, however late its lease is. */
  readonly openHolds: OpenHolds
  /** Settlements of dead processes on this data folder: they say what an estimate could not. */
  readonly leftJournals: Pick<LeftJournals, 'replay' | 'has'>
  readonly log: Logger
  readonly clock: Clock
  readonly catalog: Catalog
  readonly processId: string
  readonly leaseMs: number
  /** Names the data folder of embedded storage, whose restart adopts what was left there; null on PostgreSQL. */
  readonly dataFolder: string | null
  readonly findCost: (upstream: string, generationId: string) => Promise<LateCost | null>
}

/**
 * Prices a found cost, by the card of its time: for that by the counts that came with it, else by those of the journal.
 */
function chargeForCost(
  { model }: OrphanHold,
  { cost, usage }: LateCost,
  { progress, catalog }: { readonly progress: HoldProgress | null; readonly catalog: Catalog },
): OrphanCharge {
  const card = progress?.card === undefined ? (catalog.find(model)?.price?.card ?? null) : progress.card
  const journaled: ChatUsage = {
    promptTokens: progress?.promptTokens ?? 0,
    completionTokens: progress?.completionTokens ?? 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  }
  // Where a cost is known no list decides.
  return chargeChat({ card: card ?? { input: ZERO, output: ZERO }, list: null }, usage ?? journaled, cost)
}

function orphanDeps(deps: SettleOrphansDeps): OrphanDeps {
  const { database, ledger, clock, processId, findCost } = deps
  return {
    ...{ database, ledger, clock, processId, findCost },
    isOpenHere: (holdId) => deps.openHolds.has(holdId) || deps.leftJournals.has(holdId),
    onBroken: (holdId, error) => deps.log.error({ hold_id: holdId, err: error }, 'an orphaned hold cannot be settled'),
    chargeForCost: (hold, found, progress) => chargeForCost(hold, found, { progress, catalog: deps.catalog }),
  }
}

function identityOf({ processId, dataFolder }: SettleOrphansDeps): ProcessIdentity {
  return { processId, nodeName: dataFolder === null ? processId : `embedded:${dataFolder}` }
}

/**
 * Begins the life of this process in the ledger: its lease, and what an earlier process on the same data folder left
 * open.
 * Source: decision 0009 (orphaned holds).
 */
export async function beginLease(deps: SettleOrphansDeps): Promise<void> {
  const identity = identityOf(deps)
  await startLease(deps.database, identity, deps.clock.now(), deps.leaseMs)
  try {
    await deps.leftJournals.replay()
  } catch (error) {
    // What cannot be read may hold the truth about any of those holds: they wait for a sweep that can read it.
    return deps.log.error({ err: error }, 'settlements that were left behind cannot be read')
  }
  if (deps.dataFolder !== null) await adoptHolds(orphanDeps(deps), identity)
}

/**
 * Settles what dead processes left open: by what they took down themselves, and otherwise by what is known of it.
 *
 * @param maySweep false leaves the rest for later.
 */
export async function settleOrphans(
  deps: SettleOrphansDeps,
  { leases, maySweep }: { readonly leases: LeaseObserver; readonly maySweep: boolean },
): Promise<void> {
  await deps.leftJournals.replay()
  if (maySweep) await sweepOrphans(orphanDeps(deps), leases)
}

/**
 * Ends the lease in order: nothing is open any more. Where settlements wait in a file the lease goes on until its time
 * is over, so that a process that starts on the folder comes before those who would estimate them.
 */
export async function endLease({ database, processId, openHolds }: SettleOrphansDeps): Promise<void> {
  if (openHolds.countPending() > 0) return
  await stopLease(database, processId)
}
