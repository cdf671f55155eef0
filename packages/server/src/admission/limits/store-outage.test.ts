import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSharedProcesses, type SharedProcesses } from '../../../testing/shared-processes.ts'
import { findPostgres } from '../../../testing/test-database.ts'
import { PostgresPool } from '../../platform/db/postgres-pool.ts'
import { createLimitStore, type LimitStore } from './limit-store.ts'
import type { RateLimit } from './rate-limit.ts'

let shared: SharedProcesses

/** A store that can be sent away: no server listens where it is then. */
function fickle() {
  const state = { isAway: false }
  const gone = createLimitStore(new PostgresPool({ url: 'postgres://nobody@127.0.0.1:1/none', takesSettings: true }))
  const store = (real: LimitStore): LimitStore => {
    const now = (): LimitStore => (state.isAway ? gone : real)
    return {
      takeTokens: (...asked) => now().takeTokens(...asked),
      takeSlots: (...asked) => now().takeSlots(...asked),
      takeCall: (...asked) => now().takeCall(...asked),
      forget: (...asked) => now().forget(...asked),
      probe: () => now().probe(),
    }
  }
  return { state, store }
}

async function countPassed(limits: readonly RateLimit[], caller: string, requests: number): Promise<number> {
  const asked = Array.from({ length: requests }, async (_, turn) => limits[turn % limits.length]?.take(caller))
  const ends = await Promise.allSettled(asked)
  const failures = ends.filter(({ status }) => status === 'rejected')
  for (const failure of failures) expect(failure).toMatchObject({ reason: { code: 'rate_limit_exceeded' } })
  return requests - failures.length
}

describe.skipIf(findPostgres() === null)('an outage of what processes share', () => {
  beforeAll(async () => {
    shared = await openSharedProcesses()
  })
  afterAll(() => shared.close())

  test('gives each of two processes half, is reported once, and ends by itself', async () => {
    const { state, store } = fickle()
    const noted: string[] = []
    const metrics = {
      refused: (limit: string) => void noted.push(limit),
      exchanged: () => undefined,
      setDown: (isDown: boolean) => void noted.push(isDown ? 'down' : 'up'),
    }
    const [one, other] = [await shared.start({ store, metrics }), await shared.start({ store })]
    shared.clock.time += 5_000
    for (const { limits } of [one, other]) await limits.tick()
    const limits = [one, other].map((process) =>
      process.limits.rate({ kind: 'key', perMinute: 600, what: 'requests with this key' }),
    )
    const caller = 'caller'
    state.isAway = true
    expect(await countPassed([limits[0] as RateLimit], caller, 80)).toBe(50)
    expect(await countPassed(limits, caller, 200)).toBe(50)
    shared.clock.time += 1_000
    expect(await countPassed(limits, caller, 200)).toBe(10)
    for (const process of [one, other]) await process.limits.tick()
    expect(noted.filter((each) => each !== 'key')).toEqual(['down'])
    expect(noted.filter((each) => each === 'key').length).toBeGreaterThan(0)

    state.isAway = false
    for (const process of [one, other]) await process.limits.tick()
    expect(noted.filter((each) => each !== 'key')).toEqual(['down', 'up'])
    expect(one.logged).toEqual([
      expect.stringContaining('each goes on with its part'),
      'limits are shared between processes again',
    ])
    // What passed meanwhile was reported: the shared bucket is as empty as the parts were.
    shared.clock.time += 1_000
    for (const process of [one, other]) await process.limits.tick()
    expect(await countPassed(limits, caller, 200)).toBe(10)
  })

  test('begins with what a caller has used up: no caller gets a second burst', async () => {
    shared.clock.time += 300_000
    const { state, store } = fickle()
    const process = await shared.start({ store })
    const limit = process.limits.rate({ kind: 'key', perMinute: 600, what: 'requests with this key' })
    expect(await countPassed([limit], 'spender', 200)).toBe(100)
    state.isAway = true
    expect(await countPassed([limit], 'spender', 200)).toBe(0)
    expect(process.logged).toEqual([])
  })
})
