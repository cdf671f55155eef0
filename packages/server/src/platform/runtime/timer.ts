/** Repeated work as a value that is passed in, so that tests can say when it is time. */
export interface Timer {
  /**
   * Runs `task` again and again, `intervalMs` after it ended each time; the process may end meanwhile.
   * @returns a function that stops it.
   */
  repeat(intervalMs: number, task: () => Promise<void>): () => void
}

/**
 * The real one. A task must catch its own errors; what it throws ends the process as any unhandled rejection does.
 */
export const systemTimer: Timer = {
  repeat(intervalMs, task) {
    let timeout: NodeJS.Timeout | null = null
    let isStopped = false
    const schedule = () => {
      timeout = setTimeout(run, intervalMs)
      timeout.unref()
    }
    const run = () => {
      void task().then(() => {
        if (!isStopped) schedule()
      })
    }
    schedule()
    return () => {
      isStopped = true
      if (timeout !== null) clearTimeout(timeout)
    }
  },
}
