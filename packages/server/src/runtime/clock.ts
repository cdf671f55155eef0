/** Time as a value that is passed in, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
