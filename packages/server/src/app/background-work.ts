/** What a gateway does beside its requests, and how often. */
import type { BatchRunner } from '../batches/batch-runner.ts'
import { forgetExpired } from '../access/sign-in/forget-expired.ts'
import { deliverDueMail, type OutboxDeps } from '../platform/mail/outbox.ts'
import type { OpenCatalog } from './open-catalog.ts'
import type { Parts } from './open-parts.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import { systemClock } from '../platform/runtime/clock.ts'
import { systemTimer } from '../platform/runtime/timer.ts'
import type { WatchedUpstream } from '../upstreams/watch-health.ts'
import { reconcileDue } from '../money/reconciliation/due-reconciliations.ts'
import { forgetFiles } from '../uploads/forget-files.ts'
import type { VideoDeps } from '../modalities/videos/video-deps.ts'
import { VideoObserver } from '../modalities/videos/video-observer.ts'
import { wireUploads } from './wire-uploads.ts'

/** How often what was kept for a time is forgotten that is old enough, in milliseconds. Source: own choice. */
const FORGET_MS = 3_600_000

function lookAgainAt(database: OpenDatabase): (() => Promise<void>) | null {
  return database.engine === 'postgres' ? () => database.pool.lookAgain() : null
}

/** What the workers of a gateway do beside its requests, and what they need. */
export function backgroundWork(parts: Parts, videos: VideoDeps, batches: BatchRunner) {
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
/** How often prices, routes and limits that operators have set are looked at, in milliseconds. Source: decision 0172. */
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
    { name: 'limits of the gateway', everyMs: OFFERS_MS, run: () => parts.liveLimits.follow() },
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
