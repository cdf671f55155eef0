/** Opens the parts of a gateway, before anything listens. Part of the composition. */
import { createTokenCounter, type TokenCounter } from '@svc/tokens'
import { createDurationProbe } from '../platform/audio/duration-probe.ts'
import { createAttemptLog } from '../money/billing/attempt-log.ts'
import { createAttemptStore } from '../money/billing/attempt-store.ts'
import { OpenHolds } from '../money/billing/open-holds.ts'
import type { Config } from '../config/config.ts'
import { isSandboxAlone } from '../config/data-folder.ts'
import { proxiesOf } from '../config/find-proxy.ts'
import { lockDataFolder } from '../platform/db/data-folder-lock.ts'
import { openDatabase, type OpenDatabase } from '../platform/db/open-database.ts'
import { describeWaiting } from './describe-start-failure.ts'
import type { DatabaseUnavailableError } from '../platform/errors/database-unavailable-error.ts'
import { followKeys } from './follow-keys.ts'
import { createIdempotency, type IdempotencyDeps } from '../admission/idempotency/idempotency.ts'
import { createKeptItems } from '../admission/idempotency/kept-items.ts'
import { createIdempotentRequestStore } from '../admission/idempotency/idempotent-request-store.ts'
import { createStoredResponseStore } from '../admission/idempotency/stored-response-store.ts'
import { createStoredResponses, STORED_A_DAY } from '../admission/idempotency/stored-responses.ts'
import { KeptSpace } from '../admission/idempotency/kept-space.ts'
import { createKeyAuthenticator, type KeyAuthenticator } from '../access/keys/authenticate-key.ts'
import { createKeyStore, type KeyStore } from '../access/keys/key-store.ts'
import { createKeyUses } from '../access/keys/key-uses.ts'
import { openLogStore } from '../money/ledger-log/open-log-store.ts'
import { createRecentBatches } from '../money/ledger-log/recent-batches.ts'
import { createLedgerEngine } from '../money/ledger/create-ledger-engine.ts'
import { createRequestTimings } from '../money/billing/request-timings.ts'
import { createTimingStore } from '../money/billing/timing-store.ts'
import { LeaseObserver } from '../money/ledger/lease-observer.ts'
import { Ledger } from '../money/ledger/ledger.ts'
import { logClockSteps } from './log-clock-steps.ts'
import { logLateCharges } from './log-late-charges.ts'
import { consoleOrigins, openConsole } from './open-console.ts'
import { localOrigin } from './own-address.ts'
import { openArchive } from './open-archive.ts'
import { openAudits } from './open-audits.ts'
import { openMedia } from './open-media.ts'
import { callObservers, observeEngine, openObservation } from './open-observation.ts'
import { openDeposits } from './open-deposits.ts'
import { openFigures } from './open-figures.ts'
import { openReconciliations } from './open-reconciliations.ts'
import { changeable, LiveLimits } from './live-limits.ts'
import { openOffers } from './live-offers.ts'
import { openLedgerLog } from './open-ledger-log.ts'
import { openLimits } from './open-limits.ts'
import { openOutbox } from './open-outbox.ts'
import { openOverload } from './open-overload.ts'
import { openSettlements } from './open-settlements.ts'
import { openSandbox } from './open-sandbox.ts'
import { openUpstreams } from './open-upstreams.ts'
import { askInTime, ping } from './read-readiness.ts'
import {
  batchOutcome,
  consoleOutcome,
  requestOutcome,
  reportBegun,
  reportCharged,
  reportStarted,
} from './request-outcome.ts'
import { claimStore } from '../access/operators/store-kind.ts'
import type { Database } from '../platform/db/database.ts'
import { type BelievedClock, believedClock } from '../platform/runtime/believed-clock.ts'
import { type SystemClock, systemClock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'
import type { Logger } from '../platform/runtime/log.ts'
import { systemTimer } from '../platform/runtime/timer.ts'

export interface GatewayOptions {
  readonly config: Config
  readonly log: Logger
  readonly clock?: SystemClock
  /** Called when nothing can be charged any more until the process starts again; the log has said why. */
  readonly onFatal?: () => void
  /**
   * False for the benchmark alone, which measures what the ledger log costs: what is booked then never comes into it.
   */
  readonly keepsLedgerLog?: boolean
  /** Counts tokens, and is closed with the gateway; absent: a thread of its own does. */
  readonly tokenCounter?: TokenCounter
}

const CHECKPOINT_WORKER = new URL('sqlite-checkpoint.worker.ts', import.meta.url)

/** What a gateway is made of. */
export type Parts = Awaited<ReturnType<typeof openParts>>

function openStoredResponses(database: Database, clock: BelievedClock, { peppers: secrets }: Config) {
  const space = new KeptSpace(clock, STORED_A_DAY)
  return createStoredResponses({ store: createStoredResponseStore(database), clock, secrets, space })
}

/** The ledger, and where it says what it has booked. */
function openLedger(
  database: OpenDatabase,
  observation: Awaited<ReturnType<typeof openObservation>>,
  { log, keepsLedgerLog = true }: Pick<GatewayOptions, 'log' | 'keepsLedgerLog'>,
) {
  const recent = createRecentBatches()
  const notes = { isLogged: keepsLedgerLog, onLogged: recent.note }
  const ledger = new Ledger({
    engine: observeEngine(observation, createLedgerEngine(database, notes)),
    onCorrected: (holdId, values) =>
      log.error({ request_id: holdId, values }, 'a settlement had values that cannot be, and was written without them'),
    onLate: logLateCharges(log),
  })
  return { ledger, recent, logStore: openLogStore(database) }
}

/**
 * Opens everything that a gateway needs.
 *
 * @throws an error whose message says what to do, when the database, the catalog or an upstream cannot be opened.
 * @throws {WrongStoreKindError} when the database was made with the other kind of upstream.
 */
export async function openParts(options: GatewayOptions) {
  const { log, clock: machine = systemClock, onFatal, keepsLedgerLog = true } = options
  const config = { ...options.config, limits: changeable(options.config) }
  const clock = believedClock(machine, logClockSteps(log))
  const unlock = config.databaseUrl === null ? lockDataFolder(config.dataDir) : (): void => undefined
  const observation = await openObservation(config, log)
  const { databaseUrl: url, databaseWaitMs: waitMs, dataDir } = config
  const onWriterLost = (error: Error): void => {
    log.fatal(
      { err: error },
      'The database takes no more writes. Start the gateway again: open requests are settled then.',
    )
    onFatal?.()
  }
  const onWaiting = (failure: DatabaseUnavailableError): void => log.warn(describeWaiting(failure, url ?? '', waitMs))
  const patience = { waitMs, onWaiting }
  const database = await openDatabase({ url, dataDir, checkpointWorker: CHECKPOINT_WORKER, onWriterLost, patience })
  try {
    await claimStore(database, isSandboxAlone(config.upstreams) ? 'test' : 'live', clock.now())
  } catch (error) {
    await database.close()
    unlock()
    throw error
  }
  const findProxy = proxiesOf(config)
  const { catalog, offers } = await openOffers({ config, database, clock, log })
  const sandbox = await openSandbox(config, catalog.catalog, clock)
  const upstreams = openUpstreams(config, {
    ...{ clock, sandbox, findProxy },
    observersOf: (upstream) => callObservers(observation, upstream),
    onKeyRest: (upstream, { key, failure, restMs }) =>
      log.warn({ upstream, key, failure, rest_ms: restMs }, 'a key of an upstream is refused and rests'),
  })
  const media = await openMedia(config, clock, findProxy)
  const { ledger, recent, logStore } = openLedger(database, observation, { log, keepsLedgerLog })
  const keyStore = createKeyStore(database)
  const authenticator = openAuthenticator(keyStore, config, clock)
  const liveLimits = new LiveLimits({ given: options.config, limitsNow: config.limits, database, log, authenticator })
  await liveLimits.follow()
  const onError = (error: unknown): void => log.error({ err: error }, 'background work failed')
  const keyUses = createKeyUses({ store: keyStore, timer: systemTimer, onError })
  const timingStore = createTimingStore(database)
  const timings = createRequestTimings({ store: timingStore, timer: systemTimer, now: () => clock.now(), onError })
  const openHolds = new OpenHolds()
  const keyChanges = followKeys({ database, clock, onError, authenticator, openHolds })
  const processId = createId(clock.now())
  const ledgerLog = await openLedgerLog({
    ...{ config, clock, log, processId, recent, store: logStore, localOrigin: localOrigin(config) },
  })
  const leases = new LeaseObserver({ clock: systemClock, leaseMs: config.limits.leaseMs })
  const ledgerMetrics = observation.metrics?.ledger ?? null
  const settlements = openSettlements({ dataDir, processId, ledger, database, clock, log, metrics: ledgerMetrics })
  // A port that the system chooses is known once the gateway listens; addresses are not made before.
  const listening = { origin: localOrigin(config) }
  const origins = () => consoleOrigins(config, listening.origin)
  const limitMetrics = observation.metrics?.limits ?? null
  const limits = openLimits({ config, database, clock, log, processId, leases, metrics: limitMetrics })
  const metrics = observation.metrics?.chains ?? null
  const deposits = await openDeposits({ config, database, ledger, clock, log, processId, findProxy, metrics })
  const answers = {
    ...{ clock, processId, secrets: config.peppers },
    store: createIdempotentRequestStore(database),
    space: new KeptSpace(clock),
  }
  const outbox = openOutbox({ config, database, clock, log, findProxy, onAttempt: observation.metrics?.backlog.mailed })
  const names = openNames(answers, database, leases)
  return {
    listening,
    outbox,
    batchNames: names.ofBatches,
    console: openConsole({
      ...{ config, database, clock, log, limits, origins, outbox, catchUp: keyChanges.catchUp },
      idempotency: names.ofConsole,
      chains: deposits?.readers ?? new Map(),
    }),
    pingDatabase: askInTime(() => ping(database)),
    ...{ unlock, config, log, clock, database, catalog, sandbox, upstreams, ledger, authenticator, keyUses, openHolds },
    leases,
    ...{ media, offers, liveLimits, ...keyChanges, settlements, processId, observation, deposits },
    idempotency: names.ofRequests,
    ...{ keptItems: createKeptItems(answers), storedResponses: openStoredResponses(database, clock, config) },
    ...{ tokenCounter: options.tokenCounter ?? createTokenCounter(), durationProbe: createDurationProbe() },
    audits: openAudits({ config, database, clock, log }),
    archive: openArchive({ config, database, clock, log, processId, metrics: observation.metrics?.archive ?? null }),
    ...openReconciling({ config, database, clock, log }),
    attempts: createAttemptLog({ store: createAttemptStore(database), onError }),
    ...{ keepsLedgerLog, ledgerLog, logStore, timings, timingStore },
    ...{ limits, streams: limits.streams(config.limits) },
    ...openOverload({ config, ledger, metrics: observation.metrics?.overload ?? null }),
  }
}

function openAuthenticator(store: KeyStore, { peppers, limits }: Config, clock: BelievedClock): KeyAuthenticator {
  return createKeyAuthenticator({
    ...{ store, peppers },
    // A key ends when it was said to, whichever of two times is right.
    clock: { now: () => clock.latest(), elapsed: () => clock.elapsed() },
    gatewayLimits: limits,
  })
}

/** What upstreams say themselves that they have billed, and what reconciles days with it. */
function openReconciling(parts: Omit<Parameters<typeof openReconciliations>[0], 'figures'>) {
  const figures = openFigures(parts.config)
  return { figures, reconciler: openReconciliations({ ...parts, figures }) }
}

/** Names of requests with an Idempotency-Key, of batches and their lines, and of what people ask for in the console. */
function openNames(
  answers: Omit<IdempotencyDeps, 'outcomeOf' | 'reportGone'> & { readonly clock: SystemClock },
  database: OpenDatabase,
  leases: LeaseObserver,
) {
  const { clock, processId } = answers
  const books = { clock, processId, leases }
  return {
    ofRequests: createIdempotency({
      ...answers,
      outcomeOf: requestOutcome(database, books),
      reportGone: reportCharged,
    }),
    ofBatches: createIdempotency({ ...answers, outcomeOf: batchOutcome(database, books), reportGone: reportStarted }),
    ofConsole: createIdempotency({ ...answers, outcomeOf: consoleOutcome(database, books), reportGone: reportBegun }),
  }
}
