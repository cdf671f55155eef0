import type { Clock, SystemClock } from '../src/platform/runtime/clock.ts'

/** A clock that is never set: its time and what has passed move together. One that has both already stays as it is. */
export function steadyClock(clock: Clock | SystemClock): SystemClock {
  return 'elapsed' in clock ? clock : { now: () => clock.now(), elapsed: () => clock.now() }
}
