import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { createRandom, type Random } from '../../../testing/random.ts'
import { openSharedProcesses, type SharedProcess, type SharedProcesses } from '../../../testing/shared-processes.ts'
import { findPostgres } from '../../../testing/test-database.ts'
import { burstOf, type RateLimit, type RateState } from './rate-limit.ts'

let shared: SharedProcesses
let callers = 0
const newCaller = (): string => `caller-${++callers}`
const keys = (process: SharedProcess, perMinute: number): RateLimit =>
  process.limits.rate({ kind: 'key', perMinute, what: 'requests with this key' })

/** Whether a request passes, and its answer. */
async function ask(limit: RateLimit, caller: string, perMinute?: number): Promise<RateState | { waits: number }> {
  try {
    return await limit.take(caller, perMinute)
  } catch (error) {
    return { waits: Number(Reflect.get(error as object, 'retryAfterSeconds')) }
  }
}

/** Asks so often at once, one process after the other, and answers how many passed. */
async function flood(limits: readonly RateLimit[], caller: string, requests: number): Promise<number> {
  const asked = Array.from({ length: requests }, (_, turn) => ask(limits[turn % limits.length] as RateLimit, caller))
  return (await Promise.all(asked)).filter((answer) => 'limit' in answer).length
}

describe.skipIf(findPostgres() === null)('rates that processes share', () => {
  beforeAll(async () => {
    shared = await openSharedProcesses()
  })
  afterAll(() => shared.close())

  // B129
  test('a burst of 2 lets 2 of 20 requests to three processes through, while the answers are late', async () => {
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const late = { store: (real: Parameters<NonNullable<Late>>[0]) => ({ ...real, takeTokens: deferred(real, gate) }) }
    const limits = [
      keys(await shared.start(late), 12),
      keys(await shared.start(late), 12),
      keys(await shared.start(late), 12),
    ]
    const flooded = flood(limits, newCaller(), 20)
    open()
    expect(await flooded).toBe(2)
  })

  test('the whole burst passes over two processes, and not one more; each token comes back at its time', async () => {
    const limits = [keys(await shared.start(), 600), keys(await shared.start(), 600)]
    const caller = newCaller()
    let passed = 0
    for (let turn = 0; turn < 120; turn++) {
      if ('limit' in (await ask(limits[turn % 2] as RateLimit, caller))) passed++
    }
    expect(passed).toBe(100)
    shared.clock.time += 99
    expect(await flood(limits, caller, 6)).toBe(0)
    shared.clock.time += 1
    expect(await flood(limits, caller, 6)).toBe(1)
  })

  test('the state is that of the shared bucket, and a refusal says when to come back', async () => {
    const [one, other] = [keys(await shared.start(), 6), keys(await shared.start(), 6)]
    const [first, second] = [keys(await shared.start(), 600), keys(await shared.start(), 600)]
    const caller = newCaller()
    expect(await ask(one, caller)).toEqual({ limit: 6, remaining: 0, resetMs: 10_000 })
    shared.clock.time += 2_500
    expect(await ask(other, caller)).toEqual({ waits: 8 })
    const busy = newCaller()
    expect(await ask(first, busy)).toEqual({ limit: 600, remaining: 99, resetMs: 100 })
    expect(await ask(second, busy)).toEqual({ limit: 600, remaining: 98, resetMs: 200 })
    shared.clock.time += 100
    expect(await ask(first, busy)).toEqual({ limit: 600, remaining: 98, resetMs: 200 })
  })

  test('a caller who comes often is answered without the store, and it learns of it within a second or so', async () => {
    let exchanges = 0
    const counting: NonNullable<Late> = (real) => ({
      ...real,
      takeTokens: (...asked) => {
        exchanges++
        return real.takeTokens(...asked)
      },
    })
    const process = await shared.start({ store: counting })
    const limit = keys(process, 60_000)
    const caller = newCaller()
    for (let turn = 0; turn < 400; turn++) {
      await ask(limit, caller)
      if (turn % 20 === 0) shared.clock.time += 20
      await process.limits.tick()
    }
    const before = exchanges
    for (let turn = 0; turn < 400; turn++) await ask(limit, caller)
    expect(exchanges - before).toBeLessThan(20)
    const other = keys(await shared.start(), 60_000)
    shared.clock.time += 1_000
    await process.limits.tick()
    shared.clock.time += 10_000
    await process.limits.tick()
    expect(await flood([other], caller, 10_001)).toBe(10_000)
  })

  test.each([
    ['has them, and is not asked for', 0, 10],
    ['does without those that came too late to be worth anything', 5_000, 15],
  ])('who waits while tokens come into the lease %s', async (_, lateMs, askedFor) => {
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const needs: number[] = []
    const process = await shared.start({
      store: (real) => ({
        ...real,
        takeTokens: async (questions, now) => {
          needs.push(...questions.map(({ need }) => need))
          await gate
          return real.takeTokens(questions, now)
        },
      }),
    })
    const limit = keys(process, 600)
    const caller = newCaller()
    const first = flood([limit], caller, 10)
    await eventually(() => expect(needs).toEqual([10]))
    shared.clock.time += lateMs
    const later = flood([limit], caller, 5)
    open()
    expect([await first, await later]).toEqual([10, 5])
    await process.limits.close()
    expect(needs.reduce((sum, need) => sum + need, 0)).toBe(askedFor)
  })

  test('what an idle process holds is back after a second, and at a stop at once', async () => {
    const [idle, busy, stopped] = [await shared.start(), await shared.start(), await shared.start()]
    const [left, ended] = [newCaller(), newCaller()]
    expect(await flood([keys(idle, 600)], left, 20)).toBe(20)
    expect(await flood([keys(busy, 600)], left, 80)).toBeLessThan(80)
    shared.clock.time += 1_000
    await idle.limits.tick()
    expect(await flood([keys(busy, 600)], left, 80)).toBe(20)

    expect(await flood([keys(stopped, 600)], ended, 20)).toBe(20)
    await stopped.limits.close()
    expect(await flood([keys(busy, 600)], ended, 200)).toBe(80)
  })

  test('a bucket never fills the place of what a process holds, until that is worth nothing any more', async () => {
    const [held, rest] = [keys(await shared.start(), 600), keys(await shared.start(), 600)]
    for (const [lateMs, passed] of [
      [0, [3, 90, 7]],
      [1, [3, 90, 0]],
    ] as const) {
      const caller = newCaller()
      // What is taken at the beginning of an epoch of two seconds is worth something until the end of the next.
      shared.clock.time = Math.ceil(shared.clock.time / 2_000) * 2_000
      expect(await flood([held], caller, 20)).toBe(20)
      shared.clock.time += 3_999
      const early = await flood([held], caller, 3)
      shared.clock.time += lateMs
      expect([early, await flood([rest], caller, 200), await flood([held], caller, 7)]).toEqual(passed)
    }
  })

  test('what a process that died held is filled again, and never twice', async () => {
    const [dead, alive] = [await shared.start(), await shared.start()]
    const caller = newCaller()
    expect(await flood([keys(dead, 600)], caller, 20)).toBe(20)
    const rest = await flood([keys(alive, 600)], caller, 200)
    expect(rest).toBeGreaterThan(100 - 20 - 12 - 1)
    expect(rest).toBeLessThanOrEqual(80)
    shared.clock.time += 14_000
    expect(await flood([keys(alive, 600)], caller, 200)).toBe(100)
  })

  test('the bucket follows a rate that changes from one request to the next', async () => {
    const limit = keys(await shared.start(), 600)
    const caller = newCaller()
    for (let turn = 0; turn < 100; turn++) await ask(limit, caller, 600)
    expect(await ask(limit, caller, 600)).toEqual({ waits: 1 })
    shared.clock.time += 10_000
    expect(await ask(limit, caller, 6)).toEqual({ limit: 6, remaining: 0, resetMs: 10_000 })
    expect(await ask(limit, caller, 6)).toEqual({ waits: 10 })
    shared.clock.time += 1_000
    expect(await ask(limit, caller, 6_000)).toEqual({ waits: 1 })
    shared.clock.time += 1_000
    expect(await ask(limit, caller, 6_000)).toMatchObject({ limit: 6_000, remaining: 99 })
  })

  test('a caller who has a lower rate from now on has as many requests left as that allows at once', async () => {
    const limit = keys(await shared.start(), 600)
    const caller = newCaller()
    for (let turn = 0; turn < 30; turn++) await ask(limit, caller, 600)
    expect(await ask(limit, caller, 12)).toEqual({ limit: 12, remaining: 1, resetMs: 5_000 })
    expect(await ask(limit, caller, 12)).toEqual({ limit: 12, remaining: 0, resetMs: 10_000 })
    expect(await ask(limit, caller, 12)).toEqual({ waits: 5 })
  })

  test('a clock that is set back refuses no caller, and its buckets fill on from there', async () => {
    const [one, other] = [keys(await shared.start(), 600), keys(await shared.start(), 600)]
    const caller = newCaller()
    shared.clock.time += 86_400_000
    expect(await flood([one], caller, 95)).toBe(95)
    shared.clock.time -= 86_400_000
    expect(await flood([other, one], caller, 40)).toBe(5)
    shared.clock.time += 1_000
    expect(await flood([other, one], caller, 40)).toBe(10)
  })

  test('a process whose clock is behind by a little finds no more than there is', async () => {
    const [ahead, behind] = [keys(await shared.start(), 600), keys(await shared.start(), 600)]
    const caller = newCaller()
    shared.clock.time += 5_000
    expect(await flood([ahead], caller, 200)).toBe(100)
    shared.clock.time -= 5_000
    expect(await flood([behind], caller, 200)).toBe(0)
    shared.clock.time += 5_100
    expect(await flood([behind], caller, 200)).toBe(1)
  })

  test('a bucket that is full for a minute leaves the table', async () => {
    const process = await shared.start()
    await ask(keys(process, 600), newCaller())
    const rows = async (): Promise<number> =>
      (await shared.database.pool.query('select 1 from rate_bucket')).rowCount ?? 0
    expect(await rows()).toBeGreaterThan(0)
    shared.clock.time += 130_000
    await process.limits.tick()
    expect(await rows()).toBe(0)
  })

  test('random requests to three processes pass as through one bucket, or three quarters of it', async () => {
    const random = createRandom()
    for (let round = 0; round < 10; round++) {
      expect(await playRound(random, round % 2 === 0), `seed ${random.seed}`).toBeGreaterThan(0)
    }
  })
})

type Late = NonNullable<Parameters<SharedProcesses['start']>[0]>['store']

function deferred(real: Parameters<NonNullable<Late>>[0], gate: Promise<void>) {
  const takeTokens: typeof real.takeTokens = async (...asked) => {
    await gate
    return real.takeTokens(...asked)
  }
  return takeTokens
}

/** One bucket, as exact as numbers are: what passes is taken from it, whatever is in it. */
class Model {
  readonly #interval: number
  readonly #burst: number
  #fullAt = 0

  constructor(perMinute: number, burst: number) {
    this.#interval = Math.ceil(60_000_000_000 / perMinute) / 1_000_000
    this.#burst = burst
  }

  left(now: number): number {
    return this.#burst - Math.max(0, this.#fullAt - now) / this.#interval
  }

  take(now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now) + this.#interval
  }
}

/**
 * @param hasTimers false for processes whose timers stall: they keep what they hold, as long as it is worth something.
 */
async function playRound(random: Random, hasTimers: boolean): Promise<number> {
  const perMinute = random.pick([2, 60, 600, 600, 3_000])
  const processes = [await shared.start(), await shared.start(), await shared.start()]
  const limits = processes.map((process) => keys(process, perMinute))
  const caller = newCaller()
  const whole = new Model(perMinute, burstOf(perMinute))
  const smaller = new Model(perMinute, burstOf(perMinute) - 2 * Math.floor(burstOf(perMinute) / 8))
  let played = 0
  for (let turn = 0; turn < 60; turn++) {
    const burst = burstOf(perMinute)
    const requests = random.below(random.pick([3, 3 + Math.floor(burst / 6), 3 + Math.floor(burst / 2), 2 * burst]))
    const asked = Array.from({ length: requests }, () => ask(random.pick(limits), caller))
    const passed = (await Promise.all(asked)).filter((answer) => 'limit' in answer).length
    const now = shared.clock.now()
    const told = `seed ${random.seed}, ${perMinute} a minute, turn ${turn}, ${passed} of ${requests}`
    expect(whole.left(now) - passed, told).toBeGreaterThan(-0.01)
    if (passed < requests && hasTimers) expect(smaller.left(now) - passed, told).toBeLessThan(1.01)
    played += requests
    for (let each = 0; each < passed; each++) [whole, smaller].forEach((model) => model.take(now))
    const step = random.pick([0, 1, 10, 100, 500, 1_990, 5_000])
    // The timer's half a second never passes without it.
    for (let left = step; left > 0; left -= 500) {
      shared.clock.time += Math.min(500, left)
      for (const process of hasTimers ? processes : []) await process.limits.tick()
    }
  }
  return played
}
