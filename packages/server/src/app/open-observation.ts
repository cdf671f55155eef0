/**
 * Observes a gateway from outside the path of a request: metrics, traces, and the listener that serves the metrics.
 * Part of the composition. What is not configured is not loaded, and costs a request nothing.
 */
import { statfs } from 'node:fs/promises'
import { formatCredits } from '@svc/contract'
import type { OpenHolds } from '../money/billing/open-holds.ts'
import type { SettlementListener } from '../money/billing/settlement-listener.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type Model, offeringsOf } from '../catalog/model.ts'
import { findUnderpricedAliases } from '../catalog/price-check.ts'
import type { Config } from '../config/config.ts'
import { findProxy } from '../config/find-proxy.ts'
import { ConfigError } from '../config/config-error.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import { readOpenBatches } from '../batches/open-figures-store.ts'
import { readOutflowFigures } from '../deposits/outflow-figures-store.ts'
import { readWaitingDeposits } from '../deposits/waiting-figures-store.ts'
import { type AdminServer, startAdminServer } from '../edge/admin-server.ts'
import type { WaitingBound } from '../admission/overload/waiting-bound.ts'
import type { ArchiveRuns } from '../money/archive/archive-runs.ts'
import type { AuditRuns } from '../money/ledger/audit-runs.ts'
import { readHeldTotals } from '../money/ledger/held-figures-store.ts'
import type { Repeat } from '../pipeline/routing/attempt-targets.ts'
import type { LedgerLogFigures } from '../money/ledger-log/ledger-log.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import type { LedgerEngine } from '../money/ledger/ledger-engine.ts'
import { readWaitingMail } from '../platform/mail/mail-figures-store.ts'
import type { AuditFigures } from '../telemetry/metrics/audit-metrics.ts'
import type { Backlog } from '../telemetry/metrics/backlog-metrics.ts'
import type { GatewayMetrics } from '../telemetry/metrics/gateway-metrics.ts'
import type { CircuitFigure, DiskFigures, HeldFigures } from '../telemetry/metrics/state-metrics.ts'
import type { OpenVideoJobs } from '../telemetry/metrics/video-metrics.ts'
import type { ReconciliationGlance } from '../money/reconciliation/due-reconciliations.ts'
import type { ReconciliationFigures } from '../telemetry/metrics/reconciliation-metrics.ts'
import { creditsForDisplay } from './observe/credits-for-display.ts'
import { measureLedgerEngine } from './observe/measure-ledger-engine.ts'
import { measureCalls } from './observe/measure-calls.ts'
import { traceCalls, type TracedUpstream } from './observe/trace-calls.ts'
import type { Settlements } from './open-settlements.ts'
import { waitingFigures } from './open-overload.ts'
import { askInTime, type Phase, readReadiness } from './read-readiness.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import { VERSION } from '../platform/runtime/version.ts'
import type { Tracing } from '../telemetry/tracing/tracing.ts'
import { readKeptFiles } from '../uploads/kept-figures-store.ts'
import type { UpstreamObserver } from '../upstreams/call-observer.ts'
import type { WatchedUpstream } from '../upstreams/watch-health.ts'

/** Metrics and traces of one gateway; each null where it is off. */
export interface Observation {
  readonly metrics: GatewayMetrics | null
  readonly tracing: Tracing | null
}

/** Loads what the configuration asks for. @throws {ConfigError} when the packages for it are not installed. */
export async function openObservation(config: Config, log: Logger): Promise<Observation> {
  const metrics =
    config.admin === null ? null : (await import('../telemetry/metrics/gateway-metrics.ts')).createGatewayMetrics()
  if (config.tracing === null) return { metrics, tracing: null }
  const onFailing = (error: unknown): void => log.warn({ err: error }, 'traces cannot be sent and are lost')
  const { openTracing } = await loadTracing()
  const proxy = findProxy(config.proxy, new URL(config.tracing.url))
  return { metrics, tracing: await openTracing({ ...config.tracing, proxy, version: VERSION }, onFailing) }
}

async function loadTracing() {
  try {
    return await import('../telemetry/tracing/open-tracing.ts')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new ConfigError([
      'OTEL_… asks for traces, whose packages are not installed. Install with the optional packages, or remove it.',
    ])
  }
}

/** The ledger's engine, measured where metrics are on. */
export function observeEngine({ metrics }: Observation, engine: LedgerEngine): LedgerEngine {
  return metrics === null ? engine : measureLedgerEngine(engine, metrics.ledger)
}

/**
 * Who watches the calls to an upstream, as far as that is on. @param url where it listens; null for its own address.
 */
export function callObservers(
  { metrics, tracing }: Observation,
  upstream: TracedUpstream,
): readonly UpstreamObserver[] {
  return [
    ...(metrics === null ? [] : [measureCalls(metrics.upstream(upstream.name))]),
    ...(tracing === null ? [] : [traceCalls(tracing, upstream)]),
  ]
}

/** Names models as metrics may: by an id of the list, never by what a client wrote. */
function modelLabels(catalog: Catalog): (id: string) => string {
  let list: readonly Model[] = []
  let listed: ReadonlySet<string> = new Set()
  return (id) => {
    if (catalog.list() !== list) {
      list = catalog.list()
      listed = new Set(list.map((model) => model.id))
    }
    const found = catalog.find(id)?.id
    return found !== undefined && listed.has(found) ? found : 'other'
  }
}

/** Tells the operator of each loss that is theirs. Source: decision 0008 (write-off). */
function logWriteOff(log: Logger): SettlementListener {
  return (hold, { facts }, { charge, writeOff }) => {
    if (writeOff === 0n) return
    log.warn(
      {
        request_id: hold.id,
        ...{ upstream: facts.upstream, model: hold.request.model, error_code: facts.errorCode },
        credits_charged: formatCredits(charge),
        credits_written_off: formatCredits(writeOff),
      },
      'a request cost more than it could be charged for',
    )
  }
}

/** What takes down each settlement: losses in the log, all of them where metrics are on. */
export function settlementListener({ metrics }: Observation, catalog: Catalog, log: Logger): SettlementListener {
  const onWriteOff = logWriteOff(log)
  if (metrics === null) return onWriteOff
  const labelOf = modelLabels(catalog)
  return (hold, settlement, settled) => {
    onWriteOff(hold, settlement, settled)
    const { facts, charge } = settlement
    if (charge > hold.amount) metrics.ledger.overrun()
    const { type } = hold.request
    const outcome = {
      model: labelOf(hold.request.model),
      upstream: facts.upstream ?? 'none',
      status: facts.status,
      errorCode: facts.errorCode,
      seconds: hold.ageMs / 1_000,
      credits: creditsForDisplay(settled.charge),
    }
    if (type !== 'chat') return metrics.media.settled({ type, ...outcome })
    metrics.chat.settled({
      ...outcome,
      firstContentSeconds: hold.firstContentMs === null ? null : hold.firstContentMs / 1_000,
      promptTokens: facts.promptTokens ?? 0,
      cachedTokens: facts.cachedTokens ?? 0,
      completionTokens: facts.completionTokens ?? 0,
      reasoningTokens: facts.reasoningTokens ?? 0,
    })
  }
}

/** What takes down each attempt of a request that is repeated, at another upstream or at the same. */
export function repeatListener({ metrics }: Observation, log: Logger): (repeat: Repeat) => void {
  return ({ requestId, reason, from, to, failure }) => {
    metrics?.repeats.repeated(from, to, reason)
    log.info({ request_id: requestId, reason, from, to, failure }, 'an attempt is repeated')
  }
}

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

function watchState(metrics: GatewayMetrics, parts: ObservedParts): void {
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

/** Listens on the admin port. @returns null where none is configured. */
export async function startObservation(observation: Observation, parts: ObservedParts): Promise<AdminServer | null> {
  const { metrics } = observation
  const { config, log, ledger } = parts
  if (metrics === null || config.admin === null) return null
  watchState(metrics, parts)
  const { pingDatabase } = parts
  const readiness = () =>
    readReadiness({ phase: parts.phase, pingDatabase, ledgerQueue: () => ledger.counters.waiting })
  const onError = (error: unknown): void => log.error({ err: error }, 'an admin page could not be made')
  const server = await startAdminServer({ pages: { metrics, readiness }, onError }, config.admin)
  log.info({ admin: server.origin }, 'metrics and probes are served')
  return server
}
