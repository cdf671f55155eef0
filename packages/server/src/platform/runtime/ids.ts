import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4096)
let used = pool.length
let lastMs = 0
let sequence = 0

/** A clock put back by more than this, in milliseconds, is followed. Source: own choice, RFC 9562 section 6.2. */
const SET_BACK_MS_MIN = 1_000

/**
 * Makes a UUID version 7 as lower-case text. Ids made in one process sort by the time of their making, also within one
 * millisecond and while a clock is corrected a little. After a clock that was far ahead they hold the true time again.
 *
 * Random bytes come from a pool that is refilled in one call, because a system call per id is a measurable part of a
 * request.
 * Source: RFC 9562 section 5.7 and 6.2 (method 1, a counter in `rand_a`).
 */
export function createId(nowMs: number): string {
  if (nowMs > lastMs || nowMs < lastMs - SET_BACK_MS_MIN) {
    lastMs = nowMs
    sequence = 0
  } else if (++sequence > 0xfff) {
    lastMs++
    sequence = 0
  }
  if (used + 8 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.toString('hex', used, used + 8)
  used += 8
  const time = lastMs.toString(16).padStart(12, '0')
  const counter = sequence.toString(16).padStart(3, '0')
  const variant = ((Number.parseInt(random[0] as string, 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${variant}${random.slice(1, 4)}-${random.slice(4)}`
}

/** Below every id that is made in a millisecond or later, above all that were made before. */
export function leastIdOf(ms: number): string {
  const time = Math.min(Math.max(ms, 0), 0xffff_ffff_ffff).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-0000-000000000000`
}
