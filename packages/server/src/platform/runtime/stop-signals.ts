/**
 * One press of Ctrl-C can arrive twice: from the terminal, and from a process that passes it on. Source: own choice.
 */
const SAME_SIGNAL_MS = 500

export interface StopSignals {
  /** Milliseconds that only grow. */
  readonly now: () => number
  /** Stops in order. Called once. */
  readonly stop: (signal: NodeJS.Signals) => void
  /** Ends at once. */
  readonly end: () => void
}

/** Takes signals: the first one stops, a clearly later one ends at once, one that comes with it is the same. */
export function createStopSignals({ now, stop, end }: StopSignals): (signal: NodeJS.Signals) => void {
  let stoppingSince: number | null = null
  return (signal) => {
    if (stoppingSince === null) {
      stoppingSince = now()
      stop(signal)
    } else if (now() - stoppingSince >= SAME_SIGNAL_MS) end()
  }
}
