/** How late the event loop comes to its work: what a request waits before any of ours looks at it. */

/** How often it is looked at, in milliseconds. Source: own choice; a look costs some microseconds. */
const EVERY_MS = 50
/** Weight of one look in the average: one long turn says a quarter, four of them two thirds. Source: own choice. */
const WEIGHT = 1 / 4

export interface LoopDelay {
  /** Exponential average of the lateness, in milliseconds; the look under way counts by its weight where it is more. */
  readonly ms: number
  stop(): void
}

/** Begins to look. It keeps no process alive. */
export function watchLoopDelay(): LoopDelay {
  let averageMs = 0
  let dueAt = performance.now() + EVERY_MS
  const lateMs = (): number => Math.max(0, performance.now() - dueAt)
  const timer = setInterval(() => {
    averageMs += (lateMs() - averageMs) * WEIGHT
    dueAt = performance.now() + EVERY_MS
  }, EVERY_MS)
  timer.unref()
  return {
    get ms() {
      return Math.max(averageMs, lateMs() * WEIGHT)
    },
    stop: () => clearInterval(timer),
  }
}
