/** What metrics say of the state that a gateway and its database are in. */
import { statfs } from 'node:fs/promises'
import type { OpenHolds } from '../../money/billing/open-holds.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { offeringsOf } from '../../catalog/model.ts'
import { findUnderpricedAliases } from '../../catalog/price-check.ts'
import type { Config } from '../../config/config.ts'
import type { OpenDatabase } from '../../platform/db/open-database.ts'
import { readOpenBatches } from '../../batches/open-figures-store.ts'
import { readOutflowFigures } from '../../deposits/outflow-figures-store.ts'
import { readWaitingDeposits } from '../../deposits/waiting-figures-store.ts'
import type { WaitingBound } from '../../admission/overload/waiting-bound.ts'
import type { ArchiveRuns } from '../../money/archive/archive-runs.ts'
import type { AuditRuns } from '../../money/ledger/audit-runs.ts'
import { readHeldTotals } from '../../money/ledger/held-figures-store.ts'
import type { LedgerLogFigures } from '../../money/ledger-log/ledger-log.ts'
import type { Ledger } from '../../money/ledger/ledger.ts'
import { readWaitingMail } from '../../platform/mail/mail-figures-store.ts'
import type { AuditFigures } from '../../telemetry/metrics/audit-metrics.ts'
import type { Backlog } from '../../telemetry/metrics/backlog-metrics.ts'
import type { GatewayMetrics } from '../../telemetry/metrics/gateway-metrics.ts'
import type { CircuitFigure, DiskFigures, HeldFigures } from '../../telemetry/metrics/state-metrics.ts'
import type { OpenVideoJobs } from '../../telemetry/metrics/video-metrics.ts'
import type { ReconciliationGlance } from '../../money/reconciliation/due-reconciliations.ts'
import type { ReconciliationFigures } from '../../telemetry/metrics/reconciliation-metrics.ts'
import { creditsForDisplay } from './credits-for-display.ts'
import type { Settlements } from '../open-settlements.ts'
import { waitingFigures } from '../open-overload.ts'
import { askInTime, type Phase } from '../read-readiness.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Logger } from '../../platform/runtime/log.ts'
import { VERSION } from '../../platform/runtime/version.ts'
import { readKeptFiles } from '../../uploads/kept-figures-store.ts'
import type { WatchedUpstream } from '../../upstreams/watch-health.ts'

/** What the listener looks at. */
export interface ObservedParts {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly database: OpenDatabase
  /** Null when it does not answer in time. */
  readonly pingDatabase: () => Promise<true | null>
  readonly ledger: Ledger
  readonly openHolds: OpenHolds
  readonly settlements: Pick<Settlements, 'figures'>
  readonly ledgerLog: { readonly figures: LedgerLogFigures }
  readonly catalog: Catalog
  readonly upstreams: ReadonlyMap<string, WatchedUpstream>
  readonly streamsOpen: () => number
  readonly overload: Pick<WaitingBound, 'expectedMs'>
  readonly phase: () => Phase
  readonly countVideoJobs: () => Promise<OpenVideoJobs>
  readonly audits: Pick<AuditRuns, 'glance'>
  /** Null where nothing is archived by itself. */
  readonly archive: Pick<ArchiveRuns, 'overdueMs'> | null
  readonly glanceAtReconciliations: () => Promise<readonly ReconciliationGlance[]>
  /** Since the lease of this process was renewed, in milliseconds; null before it has one. */
  readonly leaseAgeMs: () => number | null
}

function heldFigures(held: { holds: number; amount: bigint; oldestMs: number }): HeldFigures {
  return {
    holds: held.holds,
    credits: creditsForDisplay(held.amount),
    oldestSeconds: held.oldestMs / 1_000,
  }
}

function ledgerLogState({ size, signedSize, refusal }: LedgerLogFigures) {
  return { size, signedSize, isRefused: refusal !== null }
}

/** Names models by what the catalog's list leads to: what a client wrote is no label. */
function circuitFigures({ upstreams, catalog }: ObservedParts): CircuitFigure[] {
  const states = [...upstreams.values()].flatMap((upstream) =>
    upstream.circuits.states().map((circuit) => ({ upstream: upstream.name, ...circuit })),
  )
  if (states.length === 0) return []
  const targets = catalog.list().flatMap((model) => offeringsOf(model))
  const known = new Set(targets.map((target) => target.upstreamModel))
  return states.map(({ upstream, model, state }) => {
    const label = model === null ? '' : known.has(model) ? model : 'other'
    return { upstream, model: label, state }
  })
}

/** What waits in the database: emails, coins on their way to the treasury, deposits, batches. */
async function readBacklog({ database, clock }: ObservedParts): Promise<Backlog> {
  const [mail, outflows, deposits, batches] = await Promise.all([
    ...([readWaitingMail(database), readOutflowFigures(database)] as const),
    ...([readWaitingDeposits(database), readOpenBatches(database)] as const),
  ])
  const secondsSince = (time: number): number => Math.max(0, clock.now() - time) / 1_000
  const aged = <Row extends { readonly chainId: number; readonly oldest: number }>({
    chainId,
    oldest,
    ...rest
  }: Row) => ({
    ...rest,
    ...{ chain: `${chainId}`, oldestSeconds: secondsSince(oldest) },
  })
  return {
    mailWaiting: mail.emails,
    mailOldestSeconds: mail.oldest === null ? 0 : secondsSince(mail.oldest),
    outflows: outflows.map(aged),
    deposits: deposits.map(aged),
    batches,
    batchesOverdueSeconds: Math.max(0, ...batches.map(({ nextStepAt }) => secondsSince(nextStepAt))),
  }
}

async function readAudits({ audits, clock }: ObservedParts): Promise<AuditFigures> {
  const { last, isUnfinished } = await audits.glance()
  if (last === null) return { last, isUnfinished }
  const ageSeconds = Math.max(0, clock.now() - last.endedAt) / 1_000
  return { last: { ageSeconds, breaches: last.breaches }, isUnfinished }
}

async function readReconciliations(parts: ObservedParts): Promise<readonly ReconciliationFigures[]> {
  const { clock, glanceAtReconciliations } = parts
  return (await glanceAtReconciliations()).map(({ upstream, last, isUnfinished }) => ({
    ...{ upstream, isUnfinished },
    last:
      last === null
        ? null
        : { ageSeconds: Math.max(0, clock.now() - last.endedAt) / 1_000, differences: last.differences },
  }))
}

async function readDisk(folder: string): Promise<DiskFigures> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Has the metrics read the state of a gateway, each time that they are asked for. */
export function watchState(metrics: GatewayMetrics, parts: ObservedParts): void {
  const { clock, ledger, openHolds, catalog } = parts
  const askHeld = askInTime(() => readHeldTotals(parts.database))
  const readVideoJobs = askInTime(parts.countVideoJobs)
  metrics.watch({
    version: VERSION,
    readVideoJobs,
    readWaiting: () => waitingFigures(parts.overload, parts.upstreams),
    readBacklog: askInTime(() => readBacklog(parts)),
    readAudits: askInTime(() => readAudits(parts)),
    readReconciliations: askInTime(() => readReconciliations(parts)),
    readArchiveOverdue: askInTime(async () => {
      const overdueMs = await parts.archive?.overdueMs()
      return overdueMs === undefined ? null : overdueMs / 1_000
    }),
    readDisk: askInTime(() => readDisk(parts.config.dataDir)),
    readFiles: askInTime(() => readKeptFiles(parts.database)),
    read: () => {
      const open = openHolds.figures()
      const pending = parts.settlements.figures()
      const leaseAge = parts.leaseAgeMs()
      const { waiting, retries } = ledger.counters
      return {
        streamsOpen: parts.streamsOpen(),
        ledgerQueue: waiting,
        ledgerRetries: retries,
        holds: heldFigures(open),
        settlementsUnwritten: open.unwritten,
        settlementsPending: pending.waiting,
        settlementsPendingSeconds: pending.oldestMs / 1_000,
        settlementsFileBytes: pending.fileBytes,
        leaseAgeSeconds: leaseAge === null ? null : leaseAge / 1_000,
        ledgerLog: ledgerLogState(parts.ledgerLog.figures),
        catalogAgeSeconds: catalog.updatedAt === 0 ? null : (clock.now() - catalog.updatedAt) / 1_000,
        catalogModels: catalog.list().length,
        cardsBelowCost: findUnderpricedAliases(catalog).length,
        circuits: circuitFigures(parts),
        keys: [...parts.upstreams.values()].flatMap(({ name, keys }) =>
          (keys?.figures() ?? []).map((figures) => ({ upstream: name, ...figures })),
        ),
      }
    },
    readHeld: async () => {
      const held = await askHeld()
      if (held === null) return null
      const oldestMs = held.oldest === null ? 0 : Math.max(0, clock.now() - held.oldest)
      return heldFigures({ ...held, oldestMs })
    },
  })
}
