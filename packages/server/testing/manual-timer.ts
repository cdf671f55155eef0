import type { Timer } from '../src/platform/runtime/timer.ts'

/** A timer whose time comes when a test says so. */
export interface ManualTimer extends Timer {
  /** Runs every task that repeats now, once. */
  tick(): Promise<void>
  /** How many tasks repeat now. */
  readonly running: number
}

/** Makes a timer that never runs by itself. */
export function createManualTimer(): ManualTimer {
  const tasks = new Set<() => Promise<void>>()
  return {
    repeat(_intervalMs, task) {
      tasks.add(task)
      return () => tasks.delete(task)
    },
    async tick() {
      for (const task of tasks) await task()
    },
    get running() {
      return tasks.size
    },
  }
}
