/** How late the event loop comes to its work: what a request waits before any of ours looks at it. */

/** How often it is looked at, in milliseconds. Source: own choice; a look costs some microseconds. */
const EVERY_MS = 50
/** Weight of the last look in the average: a single long turn says little, four of them say all. Source: own choice. */
const WEIGHT = 1 / 4

export interface LoopDelay {
  /** The average of the last looks, and at least how late the present one is, in milliseconds. */
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
