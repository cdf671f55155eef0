/** What the edge is given, made from the parts: one function for each family of endpoints. Part of the composition. */
import { createBalanceStore } from '../money/billing/balance-store.ts'
import { EmptyAnswerThrottle } from '../money/billing/empty-answer-throttle.ts'
import type { BillingDeps } from '../money/billing/open-hold.ts'
import { createModelSpeedReader } from '../money/billing/read-timings.ts'
import { createUsageStore } from '../money/billing/usage-store.ts'
import type { Model } from '../catalog/model.ts'
import type { Config } from '../config/config.ts'
import { CONSOLE_FOLDER } from './console-folder.ts'
import { ExportSlots } from '../console/export-slots.ts'
import { depositEdge, depositLimits } from './deposit-edge.ts'
import type { EdgeDeps } from './routes.ts'
import type { EdgeLimits } from '../edge/route-kit.ts'
import { type AccountLimits, limitsOfAccount, NO_LIMITS_SET } from '../access/keys/request-limits.ts'
import type { RateKind, RateLimit } from '../admission/limits/rate-limit.ts'
import { RateLimiter } from '../admission/limits/rate-limiter.ts'
import { BodyBudget } from '../edge/read-body.ts'
import { wireBatches } from './wire-batches.ts'
import { wireImages } from './wire-images.ts'
import { wireInvoices } from './wire-invoices.ts'
import { traceLedger } from './observe/trace-ledger.ts'
import { wireUploads } from './wire-uploads.ts'
import { wireVideos } from './wire-videos.ts'
import { settlementListener } from './open-observation.ts'
import type { SettlementListener } from '../money/billing/settlement-listener.ts'
import { openOperators } from './open-operators.ts'
import type { Parts } from './open-parts.ts'
import { routingDeps } from './routing-deps.ts'
import type { Health } from './read-health.ts'
import { createQuoteSeal } from '../pipeline/sealed-quote.ts'
import type { ListeningDeps } from '../pipeline/paid-work.ts'
import { openSpool } from '../platform/spool/spool.ts'

/** Source: own choice; a person asks for one. */
const DEVICE_CODES_PER_MINUTE = 60

/** What takes down each settlement: losses and metrics, and how long requests took. */
function onSettledOf({ observation, catalog, log, timings, clock }: Parts): SettlementListener {
  const observe = settlementListener(observation, catalog.catalog, log)
  return (hold, settlement, settled) => {
    observe(hold, settlement, settled)
    timings.note({
      keyId: settlement.placed?.keyId ?? null,
      ...{ model: hold.request.model, type: hold.request.type },
      startedAt: settlement.placed?.placedAt ?? clock.now() - hold.ageMs,
      ...{ durationMs: hold.ageMs, firstContentMs: hold.firstContentMs },
      facts: settlement.facts,
    })
  }
}

function billingDeps(parts: Parts, publicOrigin: () => string): BillingDeps {
  const { clock, openHolds, processId, observation } = parts
  const { tracing } = observation
  return {
    ...{ clock, openHolds, processId },
    leaseMs: parts.config.limits.leaseMs,
    emptyAnswers: new EmptyAnswerThrottle(parts.config.limits, clock),
    ledger: tracing === null ? parts.ledger : traceLedger(parts.ledger, tracing),
    onSettled: onSettledOf(parts),
    nameOf: (requestId) => parts.idempotency.nameOf(requestId) ?? parts.batchNames.nameOf(requestId),
    journal: parts.settlements.journal,
    recent: parts.settlements.recent ?? undefined,
    onDiffering: parts.settlements.onDiffering,
    onUnwritten: ({ id }, error) =>
      parts.log.error({ request_id: id, err: error }, 'a settlement could not be written: it is tried again'),
    consoleUrl: () => `${publicOrigin()}/console`,
  }
}

/** The limits of callers. What operators change while the gateway runs is read where it is applied. */
function edgeLimits(parts: Parts): EdgeLimits {
  const { config, clock, streams, limits: callers } = parts
  const { limits } = config
  const ofGateway = (): AccountLimits => limitsOfAccount(NO_LIMITS_SET, limits)
  const perMinute = (what: string, most: () => number): Omit<RateKind, 'kind'> => ({
    what,
    get perMinute() {
      return most()
    },
  })
  const rate = (kind: string, what: string, most: () => number): RateLimit =>
    callers.rate(Object.assign(perMinute(what, most), { kind }))
  const own = (what: string, most: () => number): RateLimiter => new RateLimiter(perMinute(what, most), clock)
  return {
    perKey: rate('key', 'requests with this key', () => ofGateway().requestsPerMinute.most),
    perAccount: rate('account', 'requests of this account', () => ofGateway().accountRequestsPerMinute.most),
    // Of strangers: a flood of addresses must not become writes of the database.
    perAddress: own('requests from this address', () => limits.publicPerMinute),
    preflights: own('preflight requests from this address', () => limits.requestsPerMinute),
    failedAuth: own('wrong keys from this address', () => limits.failedAuthPerMinute),
    deviceCodes: own('codes for terminals from this address', () => DEVICE_CODES_PER_MINUTE),
    ...depositLimits(parts),
    videoSubmissions: rate('video', 'videos submitted with this key', () => limits.videoSubmitsPerMinute),
    streams,
    bodies: new BodyBudget(limits),
    images: rate('image', 'requests for images with this key', () => limits.imagesPerMinute),
    configured: limits,
  }
}

/** Whether the target of a route bills what its client did not wait for: the route is that of the id or of the alias. */
function billsOnCancel(
  routes: Config['routes'],
  { id, upstreamModel }: Pick<Model, 'id' | 'upstreamModel'>,
  upstream: string,
): boolean {
  const route = routes.get(id) ?? routes.get(upstreamModel)
  if (route === undefined) return true
  return [route, ...route.others].find((target) => target.upstream === upstream)?.billsOnCancel ?? true
}

/** @param publicOrigin by which clients reach the gateway: asked when an address is made. */
export function edgeDeps(parts: Parts, publicOrigin: () => string, health: () => Promise<Health>): EdgeDeps {
  const { clock, tokenCounter, config } = parts
  const { metrics, tracing } = parts.observation
  const catalog = parts.catalog.catalog
  const billing = billingDeps(parts, publicOrigin)
  const routing = routingDeps(parts)
  const uploads = wireUploads(parts)
  const usage = createUsageStore(parts.database)
  const publicBaseUrl = (): string => `${publicOrigin()}/api`
  const measureAudio: ListeningDeps['measureAudio'] = ({ bytes, byteLength }) =>
    parts.durationProbe.measure(bytes, byteLength)
  return {
    clock,
    log: parts.log,
    metrics: metrics?.http ?? null,
    tracing,
    authenticator: parts.authenticator,
    noteKeyUse: (keyId) => parts.keyUses.note(keyId, clock.now()),
    consoleUrl: billing.consoleUrl,
    chat: {
      ...billing,
      ...routing,
      catalog,
      countTokens: (text) => tokenCounter.count(text),
      measureAudio,
      get firstContentMs() {
        return config.limits.firstContentMs
      },
      billsOnCancel: (model, upstream) => billsOnCancel(parts.catalog.routes(), model, upstream),
    },
    audio: {
      ...billing,
      ...routing,
      catalog,
      measureAudio,
    },
    idempotency: parts.idempotency,
    keptItems: parts.keptItems,
    storedResponses: parts.storedResponses,
    images: wireImages(parts, { billing, routing, publicBaseUrl }),
    balance: { store: createBalanceStore(parts.database), clock },
    usage: { store: usage },
    timings: { store: parts.timingStore, names: usage, speeds: createModelSpeedReader(parts.timingStore) },
    ledgerLog: {
      ...{ database: parts.database, store: parts.logStore, log: parts.ledgerLog },
      isPublished: config.ledgerLog.isPublished,
    },
    exports: new ExportSlots(),
    ...wireInvoices(parts),
    ...depositEdge({ ...parts, brand: async () => (await parts.console.deps.settings()).brand }, publicOrigin),
    devices: parts.console.deps.devices,
    catalog,
    media: parts.media,
    readHealth: health,
    publicBaseUrl,
    spool: openSpool(config),
    limits: edgeLimits(parts),
    overload: parts.overload,
    quotes: createQuoteSeal(config.peppers),
    uploads,
    batches: wireBatches(parts, uploads),
    videos: wireVideos(parts, billing, routing),
    console: parts.console.deps,
    operators: openOperators(parts),
    consoleFolder: CONSOLE_FOLDER,
  }
}
