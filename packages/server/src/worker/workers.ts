/**
 * Room `worker`: what goes on beside the requests. Each loop waits after its end, catches its own errors, and is
 * stopped once.
 */
import { setTimeout as pauseFor } from 'node:timers/promises'
import type { MediaFiles } from '../platform/files/media-files.ts'
import type { KeyUses } from '../access/keys/key-uses.ts'
import type { RequestTimings } from '../money/billing/request-timings.ts'
import type { ChangePoller } from '../access/keys/change-poller.ts'
import type { Logger } from '../platform/runtime/log.ts'
import type { Timer } from '../platform/runtime/timer.ts'
import type { VideoObserver } from '../modalities/videos/video-observer.ts'
import { type LeaseDeps, runLeaseTurn } from './run-lease-turn.ts'
import { LeaseWatch } from './lease-watch.ts'
import type { LeaseObserver } from '../money/ledger/lease-observer.ts'
import { beginLease, endLease, settleOrphans, type SettleOrphansDeps } from './settle-orphans.ts'

export interface WorkersDeps extends LeaseDeps, SettleOrphansDeps {
  readonly ledger: SettleOrphansDeps['ledger']
  readonly log: Logger
  /** Knows which other processes are gone. */
  readonly leases: LeaseObserver
  readonly timer: Timer
  readonly revocations: ChangePoller
  /** Keys that may do other things than before. */
  readonly keyChanges: ChangePoller
  readonly keyUses: KeyUses
  readonly timings: Pick<RequestTimings, 'start'>
  readonly files: Pick<MediaFiles, 'sweep'>
  readonly journalMs: number
  /** Fetches the upstream's list; null where the bundled one is all there is. */
  readonly refreshCatalog: (() => Promise<void>) | null
  /** Delivers emails that are due; null where no mail is sent. */
  readonly deliverMail: (() => Promise<void>) | null
  /** Is given what says how old the lease of this process is, in milliseconds. */
  readonly onLease?: (ageMs: () => number) => void
  /** What else is done from time to time. */
  readonly chores?: readonly Chore[]
  /** Whether the catalog's prices are the upstream's own by now. */
  readonly hasOwnPrices: () => boolean
  /** Goes on with video jobs that no client asks for. */
  readonly videos: Pick<VideoObserver, 'tick' | 'stop'>
}

/** Something that is done from time to time. A failure is logged, and the next time comes all the same. */
export interface Chore {
  readonly name: string
  readonly everyMs: number
  readonly run: () => Promise<void>
}

/** How often the upstream's list is fetched, in milliseconds. Source: own choice. */
const CATALOG_REFRESH_MS = 15 * 60_000

/**
 * How often the list is asked for while there has been none yet, in milliseconds: models without a price are not
 * served. Source: own choice.
 */
const CATALOG_RETRY_MS = 30_000

/** The longest that a start waits for the first list, in milliseconds. Source: own choice. */
const FIRST_LIST_WAIT_MS = 5_000

/** How often emails that are due are looked for, in milliseconds. Source: own choice. */
const MAIL_MS = 10_000
/** How often it is looked whether video jobs are due, in milliseconds. Source: own choice. */
const VIDEOS_MS = 2_000

/** Orphans are looked for this many times in the time of a lease, so that they wait a lease and a half at most. */
const SWEEPS_PER_LEASE = 4

/**
 * How often files whose time is over are removed, in milliseconds; they are out of reach before. Source: own choice.
 */
const FILES_SWEEP_MS = 10 * 60_000

/** The lease is looked at this often in its own time. */
const LOOKS_PER_LEASE = 60

/** Ends every stream before another process may settle what it has delivered. */
function watchLease({ loopClock, leaseMs, openHolds, log, onLease }: WorkersDeps): LeaseWatch {
  const onLosing = (): void => {
    log.error({ streams: openHolds.size }, 'the lease of this process cannot be renewed: its streams are ended')
    openHolds.endStreams()
  }
  const watch = new LeaseWatch({ clock: loopClock, leaseMs, onLosing })
  openHolds.admitWhile(() => watch.isKept)
  onLease?.(() => watch.ageMs)
  return watch
}

/** Starts all loops. @returns a function that stops them and waits for what is under way. */
export async function startWorkers(deps: WorkersDeps): Promise<() => Promise<void>> {
  const { log, timer } = deps
  const guarded = (name: string, task: () => Promise<void>) => (): Promise<void> =>
    task().catch((error: unknown) => log.error({ err: error, task: name }, 'background work failed'))
  const stops: (() => void)[] = []
  let journal = Promise.resolve()
  await beginLease(deps)
  const watch = watchLease(deps)
  await runLeaseTurn(deps, watch)
  stops.push(timer.repeat(deps.journalMs, () => (journal = guarded('journal', () => runLeaseTurn(deps, watch))())))
  stops.push(
    timer.repeat(
      deps.leaseMs / LOOKS_PER_LEASE,
      guarded('lease', async () => watch.check()),
    ),
  )
  stops.push(
    timer.repeat(
      deps.leaseMs / SWEEPS_PER_LEASE,
      guarded('orphans', () => settleOrphans(deps, { leases: deps.leases, maySweep: watch.maySweep })),
    ),
  )
  const sweepFiles = async (): Promise<void> => {
    const removed = await deps.files.sweep()
    if (removed > 0) log.debug({ removed }, 'files whose time was over are removed')
  }
  stops.push(timer.repeat(FILES_SWEEP_MS, guarded('files', sweepFiles)))
  stops.push(
    timer.repeat(
      VIDEOS_MS,
      guarded('videos', () => deps.videos.tick()),
    ),
  )
  const { refreshCatalog } = deps
  if (refreshCatalog !== null) {
    const first = guarded('catalog', refreshCatalog)()
    // Without the upstream's own prices an alias would be held at its card alone, which may be far below its cost.
    if (!deps.hasOwnPrices()) await Promise.race([first, pauseFor(FIRST_LIST_WAIT_MS, undefined, { ref: false })])
    const refresh = guarded('catalog', refreshCatalog)
    const retry = guarded('catalog', () => (deps.hasOwnPrices() ? Promise.resolve() : refreshCatalog()))
    stops.push(timer.repeat(CATALOG_REFRESH_MS, refresh), timer.repeat(CATALOG_RETRY_MS, retry))
  }
  if (deps.deliverMail !== null) stops.push(timer.repeat(MAIL_MS, guarded('mail', deps.deliverMail)))
  for (const { name, everyMs, run } of deps.chores ?? []) stops.push(timer.repeat(everyMs, guarded(name, run)))
  deps.revocations.start()
  deps.keyChanges.start()
  deps.keyUses.start()
  deps.timings.start()
  return async () => {
    for (const stop of stops) stop()
    deps.revocations.stop()
    deps.keyChanges.stop()
    await deps.videos.stop()
    // A journal that is under way would begin the lease again.
    await journal
    // Without a database it runs out by itself.
    await guarded('lease', () => endLease(deps))()
  }
}
