import { setTimeout as pauseFor } from 'node:timers/promises'

/** The longest that an answer waits for what is kept of it, in milliseconds. Source: own choice. */
const WAIT_MS = 1_000

/**
 * Waits until work is done that an answer should not leave before, and no longer than a moment: a database that is away
 * is tried again without it.
 *
 * @param work never rejects.
 */
export async function waitAMoment(work: Promise<void>): Promise<void> {
  const waited = new AbortController()
  const late = pauseFor(WAIT_MS, undefined, { ref: false, signal: waited.signal }).catch(() => undefined)
  await Promise.race([work, late])
  waited.abort()
}
