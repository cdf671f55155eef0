/**
 * The gateway put together: every room gets what it needs, nothing reaches for anything by itself. `main.ts` starts
 * one; tests and the benchmark start others.
 */
import { setTimeout as pauseFor } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { OpenHolds } from '../money/billing/open-holds.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import type { BatchRunner } from '../batches/batch-runner.ts'
import { edgeDeps } from './edge-deps.ts'
import type { AdminServer } from '../edge/admin-server.ts'
import { OpenAnswers } from '../edge/open-answers.ts'
import { createApp } from './http-app.ts'
import type { KeyAuthenticator } from '../access/keys/authenticate-key.ts'
import { forgetExpired } from '../access/sign-in/forget-expired.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import { deliverDueMail, type OutboxDeps } from '../platform/mail/outbox.ts'
import type { OpenCatalog } from './open-catalog.ts'
import type { OpenConsole } from './open-console.ts'
import { hasLocalDeposits, startLocalChainsBeside } from './open-local-chains.ts'
import type { OpenMedia } from './open-media.ts'
import { type ObservedParts, startObservation } from './open-observation.ts'
import { type GatewayOptions, openParts, type Parts } from './open-parts.ts'
import { type Health, readHealth } from './read-health.ts'
import { localOrigin, portOf } from './own-address.ts'
import type { OperatorServices } from '../operations/actions/operator-services.ts'
import type { Phase } from './read-readiness.ts'
import { systemClock, type SystemClock } from '../platform/runtime/clock.ts'
import { LISTEN_BACKLOG } from '../platform/runtime/listen-backlog.ts'
import { systemTimer } from '../platform/runtime/timer.ts'
import type { WatchedUpstream } from '../upstreams/watch-health.ts'
import { glanceAtReconciliations, reconcileDue } from '../money/reconciliation/due-reconciliations.ts'
import { forgetFiles } from '../uploads/forget-files.ts'
import type { VideoDeps } from '../modalities/videos/video-deps.ts'
import { VideoObserver } from '../modalities/videos/video-observer.ts'
import { makeBatchRunner } from './wire-batches.ts'
import { wireUploads } from './wire-uploads.ts'
import { startWorkers } from '../worker/workers.ts'

/** A gateway that is put together and listens once `start` was called. */
export interface Gateway {
  readonly database: OpenDatabase
  readonly ledger: Ledger
  readonly authenticator: KeyAuthenticator
  readonly media: OpenMedia
  readonly console: Pick<OpenConsole, 'deps' | 'firstRunAddress' | 'notifyLowBalances'>
  readonly operators: OperatorServices
  readonly clock: SystemClock
  readonly health: () => Promise<Health>
  /** How many requests are not settled yet: a stop waits for them. */
  readonly openRequests: () => number
  /** Origin of metrics and probes; null where they are off, and before the start. */
  readonly adminOrigin: () => string | null
  /** Listens and begins the background work; resolves with the origin, whose port the system may have chosen. */
  start(): Promise<string>
  /**
   * Takes no more requests, lets the running ones finish up to the configured grace, settles every one, and closes all.
   */
  stop(): Promise<StopReport>
}

/** What a stop has left to others. */
export interface StopReport {
  /** Ids of requests whose settlement could not be written; a process that finds their lease run out settles them. */
  readonly unwritten: readonly string[]
  /** Settlements that wait in a file until a gateway starts on this data folder. */
  readonly pending: number
  readonly journal: string
}

/** How often a stop looks whether requests are still open, in milliseconds. */
const STOP_POLL_MS = 20

/** Waits for requests that still run. Those whose settlement could not be written end by no waiting of this kind. */
async function waitForHolds(openHolds: OpenHolds, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs
  while (openHolds.running > 0 && performance.now() < until) await pauseFor(STOP_POLL_MS)
}

/** Once more, since the database may be back. For settlements that are already in a file it waits a moment at most. */
async function writeWaiting(openHolds: OpenHolds): Promise<void> {
  const written = openHolds.rewriteUnwritten()
  await (openHolds.stuck().length > 0 ? written : inTime(written, LAST_WRITE_MS))
}

/** Waits for something, and no longer than so many milliseconds. */
function inTime(work: Promise<unknown>, limitMs: number): Promise<unknown> {
  return Promise.race([work, pauseFor(limitMs, undefined, { ref: false })])
}

async function stopParts(
  parts: Parts,
  {
    app,
    answers,
    batches,
  }: { readonly app: FastifyInstance; readonly answers: OpenAnswers; readonly batches: BatchRunner },
  stopWorkers: () => Promise<void>,
): Promise<StopReport> {
  const { openHolds, config, settlements } = parts
  // The listener closes now; connections that are busy stay until their answer is out.
  const closed = app.close()
  batches.pause()
  await waitForHolds(openHolds, config.limits.shutdownGraceMs)
  openHolds.stop()
  await waitForHolds(openHolds, SETTLE_MS)
  await writeWaiting(openHolds)
  const unwritten = openHolds.stuck()
  const pending = openHolds.countPending()
  // A request is settled before its last bytes leave.
  await answers.left(LAST_BYTES_MS)
  app.server.closeAllConnections()
  await closed
  // A database that takes no settlements takes nothing else either: what is durable waits for none of its answers.
  const last = (work: Promise<unknown>): Promise<unknown> => (pending > 0 ? inTime(work, LAST_WRITE_MS) : work)
  await last(batches.stop())
  await last(stopWorkers())
  parts.loopDelay.stop()
  await parts.limits.close()
  await parts.audits.close()
  await last(parts.reconciler.close())
  await last(parts.archive?.stop() ?? Promise.resolve())
  await last(parts.keyUses.stop())
  await last(parts.attempts.flush())
  await last(parts.timings.stop())
  await last(parts.ledger.close())
  // What was booked last is put down and signed before others may.
  if (parts.keepsLedgerLog) await last(parts.ledgerLog.close().catch(() => undefined))
  await settlements.left.close()
  await settlements.journal.close()
  await settlements.recent?.flush().catch(() => undefined)
  await Promise.all([...parts.upstreams.values()].map((upstream) => upstream.close()))
  await parts.sandbox?.close()
  await Promise.all([...parts.figures.values()].map((figures) => figures.close()))
  await parts.tokenCounter.close()
  await parts.durationProbe.close()
  await parts.media.files.close()
  await parts.observation.tracing?.close()
  await parts.console.close()
  await last(parts.database.close())
  parts.unlock()
  return { unwritten, pending, journal: settlements.journal.path }
}

/** How long a stop waits for a database to take what is in a file, in milliseconds. Source: own choice. */
const LAST_WRITE_MS = 2_000

/** How long a stop waits for readers to take the last bytes of their answers, in milliseconds. Source: own choice. */
const LAST_BYTES_MS = 5_000

/** Time for the settlements of requests that a stop has ended, in milliseconds: late costs are looked up within it. */
const SETTLE_MS = 10_000

/**
 * Puts a gateway together.
 *
 * @throws an error whose message says what to do, when the database, the catalog or an upstream cannot be opened.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const parts = await openParts(options)
  const { config, clock, database, ledger, authenticator, upstreams, catalog, pingDatabase } = parts
  const health = (): Promise<Health> =>
    readHealth({
      ...{ upstreams, catalog: catalog.catalog, ledger, clock, pingDatabase, deposits: parts.deposits },
      ledgerLog: parts.ledgerLog,
      countUnwritten: () => parts.openHolds.stuck().length + parts.settlements.figures().waiting,
    })
  const edge = edgeDeps(parts, () => config.publicUrl ?? parts.listening.origin, health)
  const app = createApp(edge, {
    trustedProxies: config.trustedProxies,
    headerBytes: config.limits.headerBytes,
    headersMs: config.limits.headersMs,
    requestMs: config.limits.requestMs,
  })
  const answers = new OpenAnswers(app.server)
  const batches = makeBatchRunner(parts, edge)
  let stopWorkers: () => Promise<void> = () => Promise.resolve()
  let phase: Phase = 'starting'
  let admin: AdminServer | null = null
  let leaseAgeMs: () => number | null = () => null
  return {
    ...{ database, ledger, authenticator, clock, health, media: parts.media, console: parts.console },
    operators: edge.operators,
    openRequests: () => parts.openHolds.running,
    adminOrigin: () => admin?.origin ?? null,
    start: async () => {
      admin = await startObservation(parts.observation, {
        ...observedParts(parts, edge.videos),
        ...{ phase: () => phase, leaseAgeMs: () => leaseAgeMs() },
      })
      const stopLoops = await startWorkers({
        ...workerDeps(parts, edge.videos, batches),
        onLease: (ageMs) => void (leaseAgeMs = ageMs),
      })
      await parts.limits.tick()
      const origin = await app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG })
      parts.listening.origin = localOrigin({ host: config.host, port: portOf(origin) })
      // At once, so that the log of the start says what is wrong with the ledger log.
      if (parts.keepsLedgerLog) {
        void parts.ledgerLog.tick().catch((error: unknown) => parts.log.error({ err: error }, 'background work failed'))
      }
      const stopDeposits = startDeposits(parts)
      stopWorkers = async () => {
        await stopDeposits()
        await stopLoops()
      }
      phase = 'serving'
      return origin
    },
    stop: async () => {
      phase = 'stopping'
      const report = await stopParts(parts, { app, answers, batches }, stopWorkers)
      // Last, so that probes and metrics can follow the stop.
      await admin?.close()
      return report
    },
  }
}

/** Watches the chains, and starts those that the sandbox brings along. @returns what stops both. */
function startDeposits({ deposits, config, log }: Parts): () => Promise<void> {
  if (deposits === null) return () => Promise.resolve()
  const stopWatching = deposits.startWatching()
  const stopChains = hasLocalDeposits(config) ? startLocalChainsBeside({ config, log }, deposits) : null
  return async () => {
    await stopWatching()
    await stopChains?.()
  }
}

function observedParts(parts: Parts, videos: VideoDeps): Omit<ObservedParts, 'phase' | 'leaseAgeMs'> {
  const { config, log, clock, database, pingDatabase, ledger, openHolds, upstreams, streams, settlements } = parts
  const catalog = parts.catalog.catalog
  return {
    ...{ config, log, clock, database, pingDatabase, ledger, openHolds, settlements, upstreams, catalog },
    ...{ audits: parts.audits, archive: parts.archive, ledgerLog: parts.ledgerLog, overload: parts.overload },
    glanceAtReconciliations: () => glanceAtReconciliations(parts),
    streamsOpen: () => streams.open,
    countVideoJobs: () => videos.jobs.countOpen(),
  }
}

/** How often what was kept for a time is forgotten that is old enough, in milliseconds. Source: own choice. */
const FORGET_MS = 3_600_000

function lookAgainAt(database: OpenDatabase): (() => Promise<void>) | null {
  return database.engine === 'postgres' ? () => database.pool.lookAgain() : null
}

function workerDeps(parts: Parts, videos: VideoDeps, batches: BatchRunner) {
  const { config, ledger, openHolds, clock, processId, catalog, upstreams, log } = parts
  const [primary] = config.upstreams
  return {
    ...{ ledger, openHolds, clock, processId, log, timer: systemTimer, loopClock: systemClock },
    leases: parts.leases,
    database: parts.database,
    leftJournals: parts.settlements.left,
    lookAgain: lookAgainAt(parts.database),
    lostCharges: parts.settlements.lost,
    catalog: catalog.catalog,
    revocations: parts.revocations,
    keyChanges: parts.keyChanges,
    keyUses: parts.keyUses,
    timings: parts.timings,
    files: parts.media.files,
    chores: choresOf(parts, batches),
    leaseMs: config.limits.leaseMs,
    journalMs: config.limits.journalMs,
    deliverMail: deliveryOf(parts.outbox),
    dataFolder: config.databaseUrl === null ? config.dataDir : null,
    hasOwnPrices: catalog.isOwn,
    videos: new VideoObserver({
      ...videos,
      onError: (jobId, error) => log.error({ job_id: jobId, err: error }, 'a video job cannot go on'),
    }),
    refreshCatalog: primary.kind === 'sandbox' ? null : catalogRefresh(catalog, upstreams.get(primary.name)),
    findCost: async (upstream: string, generationId: string) => upstreams.get(upstream)?.findCost(generationId) ?? null,
  }
}

/** How often limits that processes share are tidied up, in milliseconds. Source: decision 0063. */
const LIMITS_MS = 500
/** How often prices and routes that operators have set are looked at, in milliseconds. Source: decision 0172. */
const OFFERS_MS = 5_000
/** How often it is looked whether batches are due, in milliseconds. Source: own choice. */
const BATCHES_MS = 1_000
/** How often attempts that failed are written down, in milliseconds. Source: own choice. */
const ATTEMPTS_MS = 1_000
/** How often it is looked whether an audit is due, in milliseconds: a process that lives shorter begins none. */
const AUDIT_LOOK_MS = 3_600_000
/** How often it is looked whether a day is to be reconciled with what upstreams have billed. Source: own choice. */
const RECONCILE_LOOK_MS = 600_000
/** How often it is looked, at night, whether records are to be archived. Source: own choice. */
const ARCHIVE_LOOK_MS = 600_000
/** Who has begun an audit that no person asked for. */
const SCHEDULE = 'schedule'
/** How often what was booked is put into the ledger log, in milliseconds: within a second. Source: decision 0146. */
const LEDGER_LOG_MS = 900
/** How often balances are compared with what teams have set, in milliseconds. Source: decision 0043. */
const LOW_BALANCES_MS = 15_000

function choresOf(parts: Parts, batches: BatchRunner) {
  const { database, clock, idempotency, storedResponses, limits, audits, attempts, ledgerLog, console: pages } = parts
  const { notifyLowBalances } = pages
  const { archive } = parts
  const { auditHours } = parts.config.limits
  return [
    { name: 'limits', everyMs: LIMITS_MS, run: () => limits.tick() },
    { name: 'offers', everyMs: OFFERS_MS, run: () => parts.offers.follow() },
    ...(parts.keepsLedgerLog ? [{ name: 'ledger log', everyMs: LEDGER_LOG_MS, run: () => ledgerLog.tick() }] : []),
    { name: 'batches', everyMs: BATCHES_MS, run: () => batches.tick() },
    { name: 'attempts', everyMs: ATTEMPTS_MS, run: () => attempts.flush() },
    { name: 'idempotency', everyMs: FORGET_MS, run: () => idempotency.removeExpired() },
    {
      name: 'stored files',
      everyMs: FORGET_MS,
      run: () => forgetFiles(wireUploads(parts), clock.earliest()),
    },
    { name: 'stored responses', everyMs: FORGET_MS, run: () => storedResponses.tidy() },
    { name: 'sign-in', everyMs: FORGET_MS, run: () => forgetExpired(database, clock.earliest()) },
    ...(auditHours === 0
      ? []
      : [
          {
            name: 'audit',
            everyMs: AUDIT_LOOK_MS,
            // Looks come once an hour: without the minute a day would become 25 hours.
            run: async () => void (await audits.startIfOlder(SCHEDULE, auditHours * 3_600_000 - 60_000)),
          },
        ]),
    ...reconciliationOf(parts),
    ...(archive === null ? [] : [{ name: 'archive', everyMs: ARCHIVE_LOOK_MS, run: () => archive.tick() }]),
    ...(notifyLowBalances === null
      ? []
      : [{ name: 'low balances', everyMs: LOW_BALANCES_MS, run: () => notifyLowBalances() }]),
  ]
}

/** Nothing where no upstream tells what it has billed. */
function reconciliationOf({ config, database, clock, figures, log }: Parts) {
  const { reconcileHours } = config.limits
  if (reconcileHours === 0 || figures.size === 0) return []
  const onError = (upstream: string, error: unknown): void =>
    log.error({ upstream, err: error }, 'a day could not be reconciled with what an upstream has billed')
  const run = () => reconcileDue({ database, clock, figures }, reconcileHours * 3_600_000, onError)
  return [{ name: 'reconciliation', everyMs: RECONCILE_LOOK_MS, run }]
}

function deliveryOf(outbox: OutboxDeps | null): (() => Promise<void>) | null {
  return outbox === null ? null : () => deliverDueMail(outbox)
}

function catalogRefresh(catalog: OpenCatalog, upstream: WatchedUpstream | undefined): (() => Promise<void>) | null {
  return upstream === undefined
    ? null
    : () => catalog.refresh(async () => upstream.completeList(await upstream.listModels()))
}
