import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import type { ChainWatch, WatchDeps } from '../deposits/chain-watch.ts'
import { watchChain } from '../deposits/watch-chain.ts'
import type { MonotonicClock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import type { Timer } from '../platform/runtime/timer.ts'

export interface WatchDepositsDeps {
  readonly watch: WatchDeps
  readonly chains: readonly ChainWatch[]
  /** How often each chain is looked at, in milliseconds. */
  readonly watchMs: number
  /** Names this process: one of all watches a chain at a time. */
  readonly processId: string
  readonly timer: Timer
  readonly clock: MonotonicClock
  readonly log: Logger
}

/** A watcher that has fallen silent is replaced after so many of its rounds. Source: decision 0029. */
const LEASE_ROUNDS = 30
/** But never later than this, in milliseconds. Source: decision 0029. */
const LEASE_MS_MAX = 30_000
/** How often a round that goes on renews the lease, in the time of one: two may be late before it is lost. */
const RENEWALS_PER_LEASE = 3
/** The longest pause after rounds that failed, in milliseconds. Source: own choice. */
const BACK_OFF_MAX_MS = 60_000

const leaseMsAt = (watchMs: number): number => Math.min(LEASE_MS_MAX, watchMs * LEASE_ROUNDS)

/**
 * Watches every chain, each at its own pace, as long as this process has the chain's lease. After rounds that failed it
 * waits longer and longer.
 *
 * @returns a function that stops it, waits for the rounds that are under way, and gives the leases back.
 */
export function startWatchingDeposits(deps: WatchDepositsDeps): () => Promise<void> {
  const stops = deps.chains.map((chain) => startOne(deps, chain))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

function startOne(deps: WatchDepositsDeps, chain: ChainWatch): () => Promise<void> {
  const { watch, timer, clock, watchMs, processId } = deps
  const task = `deposits:${chain.reader.chainId}`
  let pausedUntil = 0
  let current = Promise.resolve()
  const round = async (): Promise<void> => {
    if (clock.elapsed() < pausedUntil) return
    try {
      // The lease spares the providers double questions. Were two to watch at once, nothing would be credited twice.
      if (!(await watch.watch.takeLease(task, processId, watch.clock.now(), leaseMsAt(watchMs)))) return
      await whileRenewing(deps, task, () => watchChain(watch, chain))
    } catch (error) {
      pausedUntil = clock.elapsed() + backOffMs(watchMs, chain.state.failuresInARow)
      tell(deps, chain, error)
    }
  }
  const stop = timer.repeat(watchMs, () => (current = round()))
  return async () => {
    stop()
    await current
    await watch.watch.endLease(task, processId)
  }
}

/** Keeps the lease as long as a round takes, which may be many times as long as the lease after a long silence. */
async function whileRenewing(
  { watch, watchMs, timer, processId, log }: WatchDepositsDeps,
  task: string,
  work: () => Promise<void>,
): Promise<void> {
  const leaseMs = leaseMsAt(watchMs)
  const stop = timer.repeat(leaseMs / RENEWALS_PER_LEASE, async () => {
    try {
      await watch.watch.takeLease(task, processId, watch.clock.now(), leaseMs)
    } catch (error) {
      // The database is away: the round will find that out, and another one takes over if it stays away.
      log.warn({ err: error, task }, 'the lease of a watcher was not renewed')
    }
  })
  try {
    await work()
  } finally {
    stop()
  }
}

function backOffMs(watchMs: number, failures: number): number {
  return Math.min(BACK_OFF_MAX_MS, watchMs * 2 ** Math.min(failures, 10))
}

/** A provider that is away is worth one line when it goes, and then one in a while. */
function tell({ log }: WatchDepositsDeps, { reader, state }: ChainWatch, error: unknown): void {
  const facts = { chain_id: reader.chainId, failures: state.failuresInARow }
  if (!(error instanceof ChainUnavailableError)) log.error({ ...facts, err: error }, 'the chain was not watched')
  else if (Math.log2(Math.max(1, state.failuresInARow)) % 1 === 0) {
    log.warn({ ...facts, reason: error.message }, 'the chain cannot be read: deposits wait')
  }
}
