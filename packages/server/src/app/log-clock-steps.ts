import { BELIEVED_AFTER_MS, type ClockStep } from '../platform/runtime/believed-clock.ts'
import type { Logger } from '../platform/runtime/log.ts'

/** Makes the listener that logs for operators that the system's clock was set. */
export function logClockSteps(log: Pick<Logger, 'warn' | 'info'>): (step: ClockStep) => void {
  return (step) => {
    if (step.kind === 'returned') {
      log.info('the clock of this machine is back where it was')
      return
    }
    const facts = { step_seconds: step.byMs / 1_000 }
    if (step.kind === 'followed') log.warn(facts, 'the clock of this machine was set, and is followed now')
    else log.warn({ ...facts, followed_after_seconds: BELIEVED_AFTER_MS / 1_000 }, DOUBTED)
  }
}

const DOUBTED = 'the clock of this machine was set: it is followed once it has been steady for a while'
