import { uptime } from 'node:os'

/** Time as values that are passed in, so that tests can move it. */

/**
 * What time it is, for people and for rows. It is set forward and back while the gateway runs: the difference of two of
 * its readings never tells how long something took.
 */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number
}

/** How time passes. It never goes back and never leaps, whatever becomes of the system's clock. */
export interface MonotonicClock {
  /** Milliseconds, with fractions, since some moment of this process's life. */
  elapsed(): number
}

/** Both: what time it is, and how long something takes. */
export interface SystemClock extends Clock, MonotonicClock {
  /**
   * Milliseconds that the machine has slept, up to a constant: the time of day goes on then, and `elapsed` may not.
   * Absent where that is unknown.
   */
  asleep?(): number
}

export const systemClock: SystemClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  // Counts from the start of the machine, sleep included. Source: Node.js, `os.uptime`.
  asleep: () => uptime() * 1_000 - performance.now(),
}
