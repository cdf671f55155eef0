import type { SystemClock } from '../../platform/runtime/clock.ts'
import type { Timer } from '../../platform/runtime/timer.ts'

/** How often each process asks for what others have done to keys. Source: decision 0019 (databases). */
const CHANGE_POLL_MS = 1_000
/**
 * How far back each question reaches. Changes carry the time of the process that wrote them and become visible with
 * their commit, so they may appear behind the latest seen; within this span they are found all the same.
 */
const OVERLAP_MS = 60_000
/** Changes that one question returns at most; the next one continues after the last of them. */
const PAGE_MAX = 1_000

/** Something that happened to a key or an account, with the time of the process that did it. */
export interface KeyChange {
  readonly id: string
  readonly at: number
}

export interface ChangePage {
  /** Continue after this one; null begins. */
  readonly after: KeyChange | null
  readonly limit: number
}

/** Lists what happened at or after a time, oldest first, then by id. */
export type ListChanges = (since: number, page: ChangePage) => Promise<readonly KeyChange[]>

export interface ChangePollerDeps {
  readonly list: ListChanges
  readonly clock: SystemClock
  readonly timer: Timer
  /** Called once for each. */
  readonly onChange: (id: string) => void
  /** Called when the database could not be asked; the next question reaches as far back as this one would have. */
  readonly onError: (error: unknown) => void
}

export interface ChangePoller {
  /** Begins to poll; what happened before is not reported. */
  start(): void
  stop(): void
  /** Asks once, now. Never rejects. */
  poll(): Promise<void>
}

/** Tells this process about what any process does, within a second on both engines. */
export function createChangePoller(deps: ChangePollerDeps): ChangePoller {
  const { clock } = deps
  /** What was reported and may still be in reach of a question, with the monotonic time of its report. */
  const reported = new Map<string, number>()
  const reach = createReach(clock)
  /** How far back a question reached that failed; null where the last one was answered. */
  let missedSince: number | null = null
  let stopTimer: (() => void) | null = null

  async function reportSince(time: number, askedAt: number): Promise<void> {
    let after: KeyChange | null = null
    let count: number
    do {
      const page: readonly KeyChange[] = await deps.list(time, { after, limit: PAGE_MAX })
      for (const { id, at } of page) {
        const name = `${id} ${at}`
        if (reported.has(name)) continue
        reported.set(name, askedAt)
        deps.onChange(id)
      }
      after = page.at(-1) ?? null
      count = page.length
    } while (count === PAGE_MAX)
  }

  async function poll(): Promise<void> {
    const askedAt = clock.elapsed()
    const since = Math.min(reach(), missedSince ?? Number.POSITIVE_INFINITY)
    missedSince = since
    try {
      await reportSince(since, askedAt)
      missedSince = null
      forgetBefore(reported, askedAt - 2 * OVERLAP_MS)
    } catch (error) {
      deps.onError(error)
    }
  }

  return {
    start() {
      stopTimer ??= deps.timer.repeat(CHANGE_POLL_MS, poll)
    },
    stop() {
      stopTimer?.()
      stopTimer = null
    },
    poll,
  }
}

/**
 * Makes the question how far back changes are asked for. A clock that is set forward or back must hide no news: for a
 * while the earlier of the two times counts.
 */
function createReach(clock: SystemClock): () => number {
  let offset = clock.now() - clock.elapsed()
  let takenAt = clock.elapsed()
  return () => {
    const elapsed = clock.elapsed()
    const present = clock.now() - elapsed
    if (present < offset || elapsed - takenAt > 2 * OVERLAP_MS) {
      offset = present
      takenAt = elapsed
    }
    // Rows have whole milliseconds, and PostgreSQL takes no others.
    return Math.floor(offset + elapsed - OVERLAP_MS)
  }
}

function forgetBefore(reported: Map<string, number>, time: number): void {
  for (const [name, reportedAt] of reported) {
    // The map is in the order of reports, so the first that is recent enough ends the walk.
    if (reportedAt >= time) return
    reported.delete(name)
  }
}
