import { setTimeout as wait } from 'node:timers/promises'

/** Waits until a condition holds. @returns false when it did not within `timeoutMs`. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs
  for (;;) {
    if (await isTrue()) return true
    if (performance.now() > end) return false
    await wait(25)
  }
}

/** The promise's value, or null when it takes longer than `timeoutMs`. */
export async function within<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value | null> {
  const timer = new AbortController()
  const late = wait(timeoutMs, null, { signal: timer.signal }).catch(() => null)
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
  }
}
