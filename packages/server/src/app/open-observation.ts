/**
 * Observes a gateway from outside the path of a request: metrics, traces, and the listener that serves the metrics.
 * Part of the composition. What is not configured is not loaded, and costs a request nothing.
 */
import { formatCredits } from '@svc/contract'
import type { SettlementListener } from '../money/billing/settlement-listener.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Model } from '../catalog/model.ts'
import type { Config } from '../config/config.ts'
import { findProxy } from '../config/find-proxy.ts'
import { ConfigError } from '../config/config-error.ts'
import { type AdminServer, startAdminServer } from '../edge/admin-server.ts'
import type { Repeat } from '../pipeline/routing/attempt-targets.ts'
import type { LedgerEngine } from '../money/ledger/ledger-engine.ts'
import type { GatewayMetrics } from '../telemetry/metrics/gateway-metrics.ts'
import { creditsForDisplay } from './observe/credits-for-display.ts'
import { measureLedgerEngine } from './observe/measure-ledger-engine.ts'
import { measureCalls } from './observe/measure-calls.ts'
import { traceCalls, type TracedUpstream } from './observe/trace-calls.ts'
import { readReadiness } from './read-readiness.ts'
import type { Logger } from '../platform/runtime/log.ts'
import { VERSION } from '../platform/runtime/version.ts'
import type { Tracing } from '../telemetry/tracing/tracing.ts'
import type { UpstreamObserver } from '../upstreams/call-observer.ts'
import { type ObservedParts, watchState } from './observe/watch-state.ts'

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
