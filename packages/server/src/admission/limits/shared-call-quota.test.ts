import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSharedProcesses, type SharedProcesses } from '../../../testing/shared-processes.ts'
import { findPostgres } from '../../../testing/test-database.ts'
import type { CallLimit } from './call-quota.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

let shared: SharedProcesses

async function threeQuotas(kind: string, ...windows: Parameters<SharedQuota>[1]): Promise<readonly CallLimit[]> {
  const processes = [await shared.start(), await shared.start(), await shared.start()]
  return processes.map(({ limits }) => limits.calls(kind, windows))
}

type SharedQuota = Awaited<ReturnType<SharedProcesses['start']>>['limits']['calls']

/** Calls so often at once, one process after the other; the milliseconds to wait, null for calls that passed. */
async function flood(quotas: readonly CallLimit[], caller: string, calls: number): Promise<readonly (number | null)[]> {
  const asked = Array.from({ length: calls }, async (_, turn) => quotas[turn % quotas.length]?.take(caller))
  return (await Promise.all(asked)).map((refusal) => refusal?.waitMs ?? null)
}

const passedOf = (waits: readonly (number | null)[]): number => waits.filter((wait) => wait === null).length

describe.skipIf(findPostgres() === null)('quotas that processes share', () => {
  beforeAll(async () => {
    shared = await openSharedProcesses()
  })
  afterAll(() => shared.close())

  // B129
  test('no stretch of a window ever holds more than its calls, to whatever processes they come at once', async () => {
    const quotas = await threeQuotas('claims', { max: 2, withinMs: MINUTE_MS })
    expect(passedOf(await flood(quotas, 'key', 20))).toBe(2)
    shared.clock.time += MINUTE_MS - 1
    expect(await flood(quotas, 'key', 3)).toEqual([1, 1, 1])
    shared.clock.time += 1
    expect(passedOf(await flood(quotas, 'key', 20))).toBe(2)
  })

  test('callers and kinds do not count for each other, and a refused call counts in no window', async () => {
    const windows = [
      { max: 1, withinMs: MINUTE_MS },
      { max: 3, withinMs: DAY_MS },
    ] as const
    const quotas = await threeQuotas('mirrors', ...windows)
    const others = await threeQuotas('wallets', ...windows)
    for (let minute = 0; minute < 3; minute++) {
      expect(passedOf(await flood(quotas, 'key', 3))).toBe(1)
      shared.clock.time += MINUTE_MS
    }
    expect(await flood(quotas, 'key', 1)).toEqual([DAY_MS - 3 * MINUTE_MS])
    expect(await flood(quotas, 'other', 1)).toEqual([null])
    expect(await flood(others, 'key', 1)).toEqual([null])
  })

  test('while the store is down each process lets its part through, and counts it when the store is back', async () => {
    let isDown = false
    const fail = (): Promise<never> => Promise.reject(new Error('the database is away'))
    const begin = () =>
      shared.start({
        store: (real) => ({
          ...real,
          takeCall: (...call) => (isDown ? fail() : real.takeCall(...call)),
          probe: () => (isDown ? fail() : real.probe()),
        }),
      })
    shared.clock.time += DAY_MS
    await shared.endLeases()
    const processes = [await begin(), await begin()]
    // Both have counted both.
    await processes[0]?.limits.tick()
    shared.clock.time += 5_000
    await processes[0]?.limits.tick()
    const quotas = processes.map(({ limits }) => limits.calls('claims', [{ max: 10, withinMs: MINUTE_MS }]))
    isDown = true
    expect(passedOf(await flood(quotas, 'outage', 40))).toBe(10)
    isDown = false
    for (const { limits } of processes) await limits.tick()
    expect(passedOf(await flood(quotas, 'outage', 40))).toBe(10)
    expect(processes.map(({ logged }) => logged.length)).toEqual([2, 2])
  })
})
