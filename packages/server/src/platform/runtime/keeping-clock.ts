import type { Clock, SystemClock } from './clock.ts'

/**
 * The time of day for rows that are kept for a while. The clock and what has passed since the start say the same until
 * somebody sets the clock; from then on a row is kept from the later of the two, and is over by the earlier.
 *
 * Source: decision 0069 (durations and clocks).
 */
export interface KeepingClock extends Clock {
  /** Not before now: what is kept for a while is kept from here. */
  latest(): number
  /** Not after now: what is over by this is over. */
  earliest(): number
}

/** Makes one. What it says holds from now on: of a clock that was wrong before nobody here knows. */
export function keepingClock(clock: SystemClock): KeepingClock {
  const startedAt = clock.now() - clock.elapsed()
  const passed = (): number => Math.round(startedAt + clock.elapsed())
  return {
    now: () => clock.now(),
    latest: () => Math.max(clock.now(), passed()),
    earliest: () => Math.min(clock.now(), passed()),
  }
}
