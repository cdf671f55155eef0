import type { SystemClock } from './clock.ts'

/** A clock that is set is followed once it has been steady for so long, in milliseconds. Source: decision 0115. */
export const BELIEVED_AFTER_MS = 600_000
/** A smaller step is followed at once, in milliseconds. Source: decision 0115. */
const STEP_MS = 5_000
/** A clock that was not looked at for so long is not known to have been steady, in milliseconds. Source: own choice. */
const LOOKED_AT_MS = 60_000

/**
 * What time it is, as far as this process believes the system's clock. Time goes on by what has passed when the clock
 * is set, and the clock is followed once it has been steady for ten minutes: one that is a month ahead for a moment
 * changes nothing.
 *
 * Source: decision 0115 (a clock that leaps is followed once it has been steady).
 */
export interface BelievedClock extends SystemClock {
  /** Not before now: what is kept for a while is kept from here. */
  latest(): number
  /**
   * Not after now: what cannot be undone waits until it is due by this. It is 0 until the process has believed the same
   * clock for ten minutes, since one that was wrong at its start looks like any other.
   */
  earliest(): number
}

/** What became of a clock that was set. */
export type ClockStep =
  /** It was set by so many milliseconds, and is not followed. */
  | { readonly kind: 'doubted'; readonly byMs: number }
  /** It is back where it was. */
  | { readonly kind: 'returned' }
  /** It has been steady for long enough, and is followed. */
  | { readonly kind: 'followed'; readonly byMs: number }

/** How far the system's clock is from the monotonic one, since when, and when it was last seen there. */
interface Doubt {
  readonly offset: number
  readonly since: number
  readonly lookedAt: number
}

const isNear = (left: number, right: number): boolean => Math.abs(left - right) <= STEP_MS

/**
 * Makes one, which believes the clock as it is.
 *
 * @param onStep called once with each step. It must not ask for the time.
 */
export function believedClock(clock: SystemClock, onStep: (step: ClockStep) => void = () => undefined): BelievedClock {
  const asleep = (): number => clock.asleep?.() ?? 0
  /** Between the time of day and what has passed. */
  let offset = clock.now() - clock.elapsed()
  let believedSince = clock.elapsed()
  let asleepBefore = asleep()
  let doubt: Doubt | null = null

  const doubted = (seen: number, elapsed: number): number => {
    const sleptMs = asleep() - asleepBefore
    asleepBefore += sleptMs
    offset += sleptMs
    if (isNear(seen, offset)) return seen
    const isSame = doubt !== null && isNear(seen, doubt.offset) && elapsed - doubt.lookedAt < LOOKED_AT_MS
    if (doubt === null) onStep({ kind: 'doubted', byMs: Math.round(seen - offset) })
    doubt = { offset: seen, since: isSame && doubt !== null ? doubt.since : elapsed, lookedAt: elapsed }
    if (elapsed - doubt.since < BELIEVED_AFTER_MS) return offset
    onStep({ kind: 'followed', byMs: Math.round(seen - offset) })
    believedSince = elapsed
    doubt = null
    return seen
  }
  const now = (): number => {
    const wall = clock.now()
    const elapsed = clock.elapsed()
    const seen = wall - elapsed
    // Small steps and the drift of the two against each other are followed.
    offset = isNear(seen, offset) ? seen : doubted(seen, elapsed)
    if (offset !== seen) return Math.round(offset + elapsed)
    if (doubt !== null) onStep({ kind: 'returned' })
    doubt = null
    return wall
  }
  return {
    now,
    elapsed: () => clock.elapsed(),
    latest: () => Math.max(now(), clock.now()),
    earliest: () => {
      const believed = now()
      return clock.elapsed() - believedSince < BELIEVED_AFTER_MS ? 0 : Math.min(believed, clock.now())
    },
  }
}
