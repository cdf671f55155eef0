import type { Clock } from '../runtime/clock.ts'
import type { Timer } from '../runtime/timer.ts'
import type { KeyStore, RevokedKey } from './key-store.ts'

/**
 * How often each process asks for revoked keys. Source: decision 0019 (databases).
 */
export const REVOCATION_POLL_MS = 1_000
/**
 * How far back each question reaches. A revocation carries the time of the process that wrote it and becomes visible
 * with its commit, so it may appear behind the latest one seen; within this span it is found all the same.
 */
const OVERLAP_MS = 60_000
/** Revocations that one question returns at most; the next one continues after the last of them. */
const PAGE_MAX = 1_000

export interface RevocationsDeps {
  readonly store: Pick<KeyStore, 'listRevokedSince'>
  readonly clock: Clock
  readonly timer: Timer
  /** Called once for each revoked key. */
  readonly onRevoked: (keyId: string) => void
  /** Called when the database could not be asked; the next question reaches as far back as this one would have. */
  readonly onError: (error: unknown) => void
}

export interface Revocations {
  /** Begins to poll; keys that were revoked before are not reported. */
  start(): void
  stop(): void
  /** Asks once, now. Never rejects. */
  poll(): Promise<void>
}

/** Tells this process about keys that any process revokes, within a second on both engines. */
export function createRevocations(deps: RevocationsDeps): Revocations {
  /** Keys that were reported and may still be in reach of a question, with the time of their report. */
  const reported = new Map<string, number>()
  let since = deps.clock.now()
  let stopTimer: (() => void) | null = null

  async function reportSince(time: number, askedAt: number): Promise<void> {
    let after: RevokedKey | null = null
    let count: number
    do {
      const page: readonly RevokedKey[] = await deps.store.listRevokedSince(time, { after, limit: PAGE_MAX })
      for (const { keyId } of page) {
        if (reported.has(keyId)) continue
        reported.set(keyId, askedAt)
        deps.onRevoked(keyId)
      }
      after = page.at(-1) ?? null
      count = page.length
    } while (count === PAGE_MAX)
  }

  async function poll(): Promise<void> {
    const askedAt = deps.clock.now()
    try {
      await reportSince(since, askedAt)
      since = Math.max(since, askedAt - OVERLAP_MS)
      forgetBefore(reported, askedAt - 2 * OVERLAP_MS)
    } catch (error) {
      deps.onError(error)
    }
  }

  return {
    start() {
      since = deps.clock.now() - OVERLAP_MS
      stopTimer ??= deps.timer.repeat(REVOCATION_POLL_MS, poll)
    },
    stop() {
      stopTimer?.()
      stopTimer = null
    },
    poll,
  }
}

function forgetBefore(reported: Map<string, number>, time: number): void {
  for (const [keyId, reportedAt] of reported) {
    // The map is in the order of reports, so the first that is recent enough ends the walk.
    if (reportedAt >= time) return
    reported.delete(keyId)
  }
}
