import { setTimeout as wait } from 'node:timers/promises'

/** Pauses between two checks, in milliseconds: most wait for what is nearly there, and a check is work as well. */
const PAUSE_MS = { first: 10, last: 120 } as const
const GROWTH = 1.5

/**
 * Resolves with what the check answers once it passes; fails as it fails when it has not passed in time. Half a minute
 * is more than any machine needs that is merely busy; work that takes long by itself names its own time.
 */
export async function eventually<Answer>(check: () => Answer | Promise<Answer>, withinMs = 30_000): Promise<Answer> {
  const end = performance.now() + withinMs
  for (let pauseMs: number = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * GROWTH, PAUSE_MS.last)) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() >= end) throw error
    }
    await wait(pauseMs)
  }
}
