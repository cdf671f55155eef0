import type { Clock } from '../runtime/clock.ts'
import type { Timer } from '../runtime/timer.ts'

/** How often each process asks for what others have done to keys. Source: decision 0019 (databases). */
const NEWS_POLL_MS = 1_000
/**
 * How far back each question reaches. News carry the time of the process that wrote them and become visible with their
 * commit, so they may appear behind the latest seen; within this span they are found all the same.
 */
const OVERLAP_MS = 60_000
/** News that one question returns at most; the next one continues after the last of them. */
const PAGE_MAX = 1_000

/** Something that happened to a key or an account, with the time of whoever did it. */
export interface News {
  readonly id: string
  readonly at: number
}

export interface NewsPage {
  /** Continue after this one; null begins. */
  readonly after: News | null
  readonly limit: number
}

/** Lists what happened at or after a time, oldest first, then by id. */
export type ListNews = (since: number, page: NewsPage) => Promise<readonly News[]>

export interface NewsPollDeps {
  readonly list: ListNews
  readonly clock: Clock
  readonly timer: Timer
  /** Called once for each. */
  readonly onNews: (id: string) => void
  /** Called when the database could not be asked; the next question reaches as far back as this one would have. */
  readonly onError: (error: unknown) => void
}

export interface NewsPoll {
  /** Begins to poll; what happened before is not reported. */
  start(): void
  stop(): void
  /** Asks once, now. Never rejects. */
  poll(): Promise<void>
}

/** Tells this process about what any process does, within a second on both engines. */
export function createNewsPoll(deps: NewsPollDeps): NewsPoll {
  /** What was reported and may still be in reach of a question, with the time of its report. */
  const reported = new Map<string, number>()
  let since = deps.clock.now()
  let stopTimer: (() => void) | null = null

  async function reportSince(time: number, askedAt: number): Promise<void> {
    let after: News | null = null
    let count: number
    do {
      const page: readonly News[] = await deps.list(time, { after, limit: PAGE_MAX })
      for (const { id, at } of page) {
        const name = `${id} ${at}`
        if (reported.has(name)) continue
        reported.set(name, askedAt)
        deps.onNews(id)
      }
      after = page.at(-1) ?? null
      count = page.length
    } while (count === PAGE_MAX)
  }

  async function poll(): Promise<void> {
    const askedAt = deps.clock.now()
    try {
      await reportSince(since, askedAt)
      since = Math.max(since, askedAt - OVERLAP_MS)
      forgetBefore(reported, askedAt - 2 * OVERLAP_MS)
    } catch (error) {
      deps.onError(error)
    }
  }

  return {
    start() {
      since = deps.clock.now() - OVERLAP_MS
      stopTimer ??= deps.timer.repeat(NEWS_POLL_MS, poll)
    },
    stop() {
      stopTimer?.()
      stopTimer = null
    },
    poll,
  }
}

function forgetBefore(reported: Map<string, number>, time: number): void {
  for (const [name, reportedAt] of reported) {
    // The map is in the order of reports, so the first that is recent enough ends the walk.
    if (reportedAt >= time) return
    reported.delete(name)
  }
}
