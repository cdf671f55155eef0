/**
 * The gateway put together: every room gets what it needs, nothing reaches for anything by itself. `main.ts` starts
 * one; tests and the benchmark start others.
 */
import type { OpenDatabase } from '../platform/db/open-database.ts'
import { edgeDeps } from './edge-deps.ts'
import type { AdminServer } from '../edge/admin-server.ts'
import { OpenAnswers } from '../edge/open-answers.ts'
import { createApp } from './http-app.ts'
import type { KeyAuthenticator } from '../access/keys/authenticate-key.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import type { OpenConsole } from './open-console.ts'
import { hasLocalDeposits, startLocalChainsBeside } from './open-local-chains.ts'
import type { OpenMedia } from './open-media.ts'
import { startObservation } from './open-observation.ts'
import type { ObservedParts } from './observe/watch-state.ts'
import { type GatewayOptions, openParts, type Parts } from './open-parts.ts'
import { type Health, readHealth } from './read-health.ts'
import { localOrigin, portOf } from './own-address.ts'
import type { OperatorServices } from '../operations/actions/operator-services.ts'
import type { Phase } from './read-readiness.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import { LISTEN_BACKLOG } from '../platform/runtime/listen-backlog.ts'
import { glanceAtReconciliations } from '../money/reconciliation/due-reconciliations.ts'
import type { VideoDeps } from '../modalities/videos/video-deps.ts'
import { makeBatchRunner } from './wire-batches.ts'
import { backgroundWork } from './background-work.ts'
import { stopGateway, type StopReport } from './stop-gateway.ts'
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
        ...backgroundWork(parts, edge.videos, batches),
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
      const report = await stopGateway(parts, { app, answers, batches, stopWorkers })
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
