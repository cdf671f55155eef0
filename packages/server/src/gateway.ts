/**
 * The gateway put together: every room gets what it needs, nothing reaches for anything by itself. `main.ts` starts
 * one; tests and the benchmark start others.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { createBalanceStore } from './billing/balance-store.ts'
import { OpenHolds } from './billing/open-hold.ts'
import { createUsageStore } from './billing/usage-store.ts'
import type { Model } from './catalog/model.ts'
import type { Config } from './config/config.ts'
import { lockDataFolder } from './db/data-folder-lock.ts'
import { type OpenDatabase, openDatabase } from './db/open-database.ts'
import { InvariantError } from './errors/invariant-error.ts'
import type { AdminServer } from './http/admin-server.ts'
import { createApp } from './http/app.ts'
import type { EdgeDeps } from './http/edge.ts'
import { RateLimiter } from './http/rate-limiter.ts'
import { BodyBudget } from './http/read-body.ts'
import { StreamSlots } from './http/stream-slots.ts'
import { createKeyAuthenticator, type KeyAuthenticator } from './keys/authenticate-key.ts'
import { createKeyStore } from './keys/key-store.ts'
import { createKeyUses } from './keys/key-uses.ts'
import { createRevocations } from './keys/revocations.ts'
import { createLedgerEngine } from './ledger/create-ledger-engine.ts'
import { Ledger } from './ledger/ledger.ts'
import { traceLedger } from './observe/trace-ledger.ts'
import { openCatalog, type OpenCatalog } from './open-catalog.ts'
import {
  type ObservedParts,
  observeEngine,
  observeUpstreams,
  openObservation,
  settlementListener,
  startObservation,
} from './open-observation.ts'
import { type OpenMedia, openMedia } from './open-media.ts'
import { openSandbox } from './open-sandbox.ts'
import { openUpstreams } from './open-upstreams.ts'
import { type Health, readHealth } from './read-health.ts'
import type { Phase } from './read-readiness.ts'
import { type Clock, systemClock } from './runtime/clock.ts'
import { createId } from './runtime/ids.ts'
import type { Logger } from './runtime/log.ts'
import { systemTimer } from './runtime/timer.ts'
import { openSpool } from './spool/spool.ts'
import { createTokenCounter } from './tokens/token-counter.ts'
import type { WatchedUpstream } from './upstream/watch-health.ts'
import { startWorkers } from './worker/workers.ts'

export interface GatewayOptions {
  readonly config: Config
  readonly log: Logger
  readonly clock?: Clock
  /** Called when nothing can be charged any more until the process starts again; the log has said why. */
  readonly onFatal?: () => void
}

/** A gateway that is put together and listens once `start` was called. */
export interface Gateway {
  readonly database: OpenDatabase
  readonly ledger: Ledger
  readonly authenticator: KeyAuthenticator
  readonly media: OpenMedia
  readonly clock: Clock
  readonly health: () => Health
  /** How many requests are not settled yet: a stop waits for them. */
  readonly openRequests: () => number
  /** Origin of metrics and probes; null where they are off, and before the start. */
  readonly adminOrigin: () => string | null
  /** Listens and begins the background work; resolves with the origin. */
  start(): Promise<string>
  /**
   * Takes no more requests, lets the running ones finish up to the configured grace, settles every one, and closes all.
   */
  stop(): Promise<void>
}

const WRITER_WORKER = new URL('sqlite-writer.worker.ts', import.meta.url)
const CONSOLE_PAGE = fileURLToPath(new URL('../../console/src/index.html', import.meta.url))
/** How often a stop looks whether requests are still open, in milliseconds. */
const STOP_POLL_MS = 20

type Parts = Awaited<ReturnType<typeof openParts>>

async function openParts({ config, log, clock = systemClock, onFatal }: GatewayOptions) {
  const unlock = config.databaseUrl === null ? lockDataFolder(config.dataDir) : (): void => undefined
  const observation = await openObservation(config, log)
  const { databaseUrl: url, dataDir } = config
  const onWriterLost = (error: Error): void => {
    log.fatal(
      { err: error },
      'The database takes no more writes. Start the gateway again: open requests are settled then.',
    )
    onFatal?.()
  }
  const database = await openDatabase({ url, dataDir, writerWorker: WRITER_WORKER, onWriterLost })
  const catalog = await openCatalog(config, clock, log)
  const sandbox = await openSandbox(config, catalog.catalog, clock)
  const opened = openUpstreams(config.upstreams, clock, sandbox)
  const upstreams = observeUpstreams(observation, opened, config, sandbox?.url ?? null)
  const media = await openMedia(config, clock)
  const ledger = new Ledger({ engine: observeEngine(observation, createLedgerEngine(database)) })
  const keyStore = createKeyStore(database)
  const authenticator = createKeyAuthenticator({ store: keyStore, peppers: config.peppers, clock })
  const onError = (error: unknown): void => log.error({ err: error }, 'background work failed')
  const keyUses = createKeyUses({ store: keyStore, timer: systemTimer, onError })
  const openHolds = new OpenHolds()
  const revocations = createRevocations({
    store: keyStore,
    clock,
    timer: systemTimer,
    onError,
    onRevoked: (keyId) => {
      authenticator.forget(keyId)
      openHolds.revoke(keyId)
    },
  })
  const processId = createId(clock.now())
  return {
    ...{ unlock, config, log, clock, database, catalog, sandbox, upstreams, ledger, authenticator, keyUses, openHolds },
    ...{ media, revocations, processId, observation, tokenCounter: createTokenCounter() },
    streams: new StreamSlots(config.limits.streamsAtOnce),
  }
}

function upstreamOf(upstreams: ReadonlyMap<string, WatchedUpstream>, model: Model): WatchedUpstream {
  const upstream = upstreams.get(model.upstream)
  if (upstream === undefined) throw new InvariantError(`The model ${model.id} names an unknown upstream`)
  return upstream
}

function edgeDeps(parts: Parts, publicOrigin: string, health: () => Health): EdgeDeps {
  const { config, clock, openHolds, processId, upstreams, tokenCounter } = parts
  const { metrics, tracing } = parts.observation
  const ledger = tracing === null ? parts.ledger : traceLedger(parts.ledger, tracing)
  const { limits } = config
  const catalog = parts.catalog.catalog
  return {
    clock,
    log: parts.log,
    metrics: metrics?.http ?? null,
    tracing,
    authenticator: parts.authenticator,
    noteKeyUse: (keyId) => parts.keyUses.note(keyId, clock.now()),
    chat: {
      ...{ ledger, clock, openHolds, processId, catalog },
      onSettled: settlementListener(parts.observation, catalog, parts.log),
      topupUrl: `${publicOrigin}/console/fund`,
      upstreamOf: (model) => upstreamOf(upstreams, model),
      countTokens: (text) => tokenCounter.count(text),
      pause: (milliseconds) => pauseFor(milliseconds),
      firstContentMs: limits.firstContentMs,
    },
    balance: { store: createBalanceStore(parts.database), clock },
    usage: { store: createUsageStore(parts.database) },
    catalog,
    media: parts.media,
    readHealth: health,
    publicBaseUrl: `${publicOrigin}/api`,
    spool: openSpool({ dataDir: config.dataDir, bytesMax: limits.uploadBytesInFlight }),
    limits: {
      perKey: new RateLimiter(limits.requestsPerMinute, clock),
      perAccount: new RateLimiter(limits.requestsPerMinute * ACCOUNT_KEYS, clock),
      perAddress: new RateLimiter(limits.publicPerMinute, clock),
      failedAuth: new RateLimiter(limits.failedAuthPerMinute, clock),
      streams: parts.streams,
      bodies: new BodyBudget(limits.bodyBytesInFlight),
      chatBodyBytes: limits.chatBodyBytes,
      uploadStallMs: limits.uploadStallMs,
      keepAliveMs: limits.keepAliveMs,
    },
    consoleHtml: readFileSync(CONSOLE_PAGE, 'utf8'),
  }
}

/** An account may use so many keys at full rate. Source: decision 0015 (rate limits). */
const ACCOUNT_KEYS = 10

async function waitForHolds(openHolds: OpenHolds, untilMs: number, clock: Clock): Promise<void> {
  while (openHolds.size > 0 && clock.now() < untilMs) await pauseFor(STOP_POLL_MS)
}

async function stopParts(parts: Parts, app: FastifyInstance, stopWorkers: () => Promise<void>): Promise<void> {
  const { openHolds, config, clock } = parts
  // The listener closes now; connections that are busy stay until their answer is out.
  const closed = app.close()
  await waitForHolds(openHolds, clock.now() + config.limits.shutdownGraceMs, clock)
  openHolds.stop()
  await waitForHolds(openHolds, clock.now() + SETTLE_MS, clock)
  app.server.closeAllConnections()
  await closed
  await stopWorkers()
  await parts.keyUses.stop()
  await parts.ledger.close()
  await Promise.all([...parts.upstreams.values()].map((upstream) => upstream.close()))
  await parts.sandbox?.close()
  await parts.tokenCounter.close()
  await parts.media.files.close()
  await parts.observation.tracing?.close()
  await parts.database.close()
  parts.unlock()
}

/** Time for the settlements of requests that a stop has ended, in milliseconds: late costs are looked up within it. */
const SETTLE_MS = 10_000

/**
 * Puts a gateway together.
 *
 * @throws an error whose message says what to do, when the database, the catalog or an upstream cannot be opened.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const parts = await openParts(options)
  const { config, clock, database, ledger, authenticator, upstreams, catalog } = parts
  const localOrigin = `http://${config.host === '127.0.0.1' ? 'localhost' : config.host}:${config.port}`
  const health = (): Health => readHealth({ upstreams, catalog: catalog.catalog, ledger, clock })
  const app = createApp(edgeDeps(parts, config.publicUrl ?? localOrigin, health), {
    trustedProxies: config.trustedProxies,
    headerBytes: config.limits.headerBytes,
  })
  let stopWorkers: () => Promise<void> = () => Promise.resolve()
  let phase: Phase = 'starting'
  let admin: AdminServer | null = null
  return {
    ...{ database, ledger, authenticator, clock, health, media: parts.media },
    openRequests: () => parts.openHolds.size,
    adminOrigin: () => admin?.origin ?? null,
    start: async () => {
      admin = await startObservation(
        parts.observation,
        observedParts(parts, () => phase),
      )
      stopWorkers = await startWorkers(workerDeps(parts))
      const origin = await app.listen({ host: config.host, port: config.port })
      phase = 'serving'
      return origin
    },
    stop: async () => {
      phase = 'stopping'
      await stopParts(parts, app, stopWorkers)
      // Last, so that probes and metrics can follow the stop.
      await admin?.close()
    },
  }
}

function observedParts(parts: Parts, phase: () => Phase): ObservedParts {
  const { config, log, clock, database, ledger, openHolds, streams } = parts
  const catalog = parts.catalog.catalog
  return { config, log, clock, database, ledger, openHolds, catalog, streamsOpen: () => streams.open, phase }
}

function workerDeps(parts: Parts) {
  const { config, ledger, openHolds, clock, processId, catalog, upstreams, log } = parts
  const [primary] = config.upstreams
  return {
    ...{ ledger, openHolds, clock, processId, log, timer: systemTimer },
    database: parts.database,
    catalog: catalog.catalog,
    revocations: parts.revocations,
    keyUses: parts.keyUses,
    files: parts.media.files,
    leaseMs: config.limits.leaseMs,
    journalMs: config.limits.journalMs,
    dataFolder: config.databaseUrl === null ? config.dataDir : null,
    hasOwnPrices: catalog.isOwn,
    refreshCatalog: primary.kind === 'sandbox' ? null : catalogRefresh(catalog, upstreams.get(primary.name)),
    findCost: async (upstream: string, generationId: string) => upstreams.get(upstream)?.findCost(generationId) ?? null,
  }
}

function catalogRefresh(catalog: OpenCatalog, upstream: WatchedUpstream | undefined): (() => Promise<void>) | null {
  return upstream === undefined ? null : () => catalog.refresh(() => upstream.listModels())
}
