import type { Timer } from '../../platform/runtime/timer.ts'
import type { KeyStore } from './key-store.ts'

const HOUR_MS = 3_600_000
/** How often noted uses are written. */
const WRITE_INTERVAL_MS = 10_000
/** Keys in one write at most. */
const BATCH_MAX = 500
/** Keys in memory at most; beyond it the memory starts anew and a key may cost a second write in its hour. */
const NOTED_MAX = 100_000

export interface KeyUsesDeps {
  readonly store: Pick<KeyStore, 'noteUses'>
  readonly timer: Timer
  /** Called when a write failed; its uses are tried again with the next. */
  readonly onError: (error: unknown) => void
}

export interface KeyUses {
  /** Notes that a key was used. Costs no input or output. */
  note(keyId: string, now: number): void
  /** Writes what was noted. Never rejects. */
  flush(): Promise<void>
  start(): void
  /** Stops the timer and writes the rest. */
  stop(): Promise<void>
}

/**
 * Keeps `last_used_at` rounded down to the hour, off the path of requests: each key costs one write an hour, in
 * batches.
 */
export function createKeyUses(deps: KeyUsesDeps): KeyUses {
  /** The hour that is known to be noted or waiting, by key. */
  const noted = new Map<string, number>()
  let waiting = new Map<string, number>()
  let stopTimer: (() => void) | null = null

  async function flush(): Promise<void> {
    const uses = [...waiting]
    waiting = new Map()
    for (let start = 0; start < uses.length; start += BATCH_MAX) {
      const batch = uses.slice(start, start + BATCH_MAX)
      try {
        await deps.store.noteUses(new Map(batch))
      } catch (error) {
        // What was noted meanwhile is newer and stays.
        waiting = new Map([...batch, ...waiting])
        deps.onError(error)
      }
    }
  }

  return {
    note(keyId, now) {
      const hour = now - (now % HOUR_MS)
      if (noted.get(keyId) === hour) return
      if (noted.size >= NOTED_MAX) noted.clear()
      noted.set(keyId, hour)
      waiting.set(keyId, hour)
    },
    flush,
    start() {
      stopTimer ??= deps.timer.repeat(WRITE_INTERVAL_MS, flush)
    },
    async stop() {
      stopTimer?.()
      stopTimer = null
      await flush()
    },
  }
}
