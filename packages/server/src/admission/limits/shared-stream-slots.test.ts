import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../testing/random.ts'
import { openSharedProcesses, type SharedProcesses } from '../../../testing/shared-processes.ts'
import { findPostgres } from '../../../testing/test-database.ts'
import type { GiveBack, StreamLimit } from './stream-slots.ts'

let shared: SharedProcesses

async function take(slots: StreamLimit, caller: string): Promise<GiveBack | null> {
  try {
    return await slots.take(caller)
  } catch (error) {
    expect(error).toMatchObject({ code: 'rate_limit_exceeded' })
    return null
  }
}

/** Takes so many slots at once, one process after the other, and answers what gives back those that were had. */
async function flood(limits: readonly StreamLimit[], caller: string, streams: number): Promise<readonly GiveBack[]> {
  const asked = Array.from({ length: streams }, (_, turn) => take(limits[turn % limits.length] as StreamLimit, caller))
  return (await Promise.all(asked)).filter((giveBack) => giveBack !== null)
}

describe.skipIf(findPostgres() === null)('streams at once over processes that share', () => {
  beforeAll(async () => {
    shared = await openSharedProcesses()
  })
  afterAll(() => shared.close())

  test('all processes together never open more than the limit, and any of them takes what one gives back', async () => {
    const processes = [await shared.start(), await shared.start(), await shared.start()]
    const limits = processes.map((process) => process.limits.streams({ streamsAtOnce: 5 }))
    const [first, ...rest] = await flood(limits, 'key', 30)
    expect(rest).toHaveLength(4)
    expect(await flood(limits, 'other key', 30)).toHaveLength(5)
    first?.()
    first?.()
    expect(await flood(limits, 'key', 6)).toHaveLength(1)
    expect(limits.reduce((sum, { open }) => sum + open, 0)).toBe(10)
  })

  test('a stream that begins while another process still reports the end of one is not refused', async () => {
    const told: (() => void)[] = []
    const slow = await shared.start({
      store: (real) => ({
        ...real,
        takeSlots: async (...asked) => {
          if (asked[0].every(({ want }) => want === 0)) await new Promise<void>((resolve) => told.push(resolve))
          return real.takeSlots(...asked)
        },
      }),
    })
    const patient = await shared.start({
      pause: async () => {
        told.forEach((tell) => tell())
        await slow.limits.close()
      },
    })
    const giveBack = await slow.limits.streams({ streamsAtOnce: 1 }).take('ended')
    giveBack()
    expect(await take(patient.limits.streams({ streamsAtOnce: 1 }), 'ended')).not.toBeNull()
  })

  test('streams of a process whose lease ran out count no more', async () => {
    const [dead, alive] = [await shared.start(), await shared.start()]
    const limit = alive.limits.streams({ streamsAtOnce: 5 })
    expect(await flood([dead.limits.streams({ streamsAtOnce: 5 })], 'dead', 5)).toHaveLength(5)
    expect(await flood([limit], 'dead', 5)).toHaveLength(0)
    shared.clock.time += 5_000
    await alive.limits.tick()
    expect(await flood([limit], 'dead', 5)).toHaveLength(0)
    shared.clock.time += 60_000
    await alive.limits.tick()
    expect(await flood([limit], 'dead', 9)).toHaveLength(5)
    const rows = await shared.database.pool.query('select 1 from stream_slot where process_id = $1', [dead.processId])
    expect(rows.rowCount).toBe(0)
  })

  test.each([30, -30])('a process whose clock is off by %i days counts the streams of the others', async (days) => {
    const { clock } = shared
    const elsewhere = { now: () => clock.now() + days * 86_400_000, elapsed: () => clock.elapsed() }
    const limits = [await shared.start(), await shared.start({ clock: elsewhere })].map(({ limits: each }) => each)
    const slots = limits.map((each) => each.streams({ streamsAtOnce: 5 }))
    const caller = `off by ${days}`
    expect(await flood(slots.slice(0, 1), caller, 3)).toHaveLength(3)
    clock.time += 5_000
    for (const each of limits) await each.tick()
    expect(await flood(slots.slice(1), caller, 5)).toHaveLength(2)
    clock.time += 5_000
    for (const each of limits) await each.tick()
    expect(await flood(slots, caller, 5)).toHaveLength(0)
  })

  test('while the store is down each process opens its part; what is open then counts when it is back', async () => {
    await shared.endLeases()
    let isDown = false
    const fail = (): Promise<never> => Promise.reject(new Error('the database is away'))
    const begin = () =>
      shared.start({
        store: (real) => ({
          ...real,
          takeSlots: (...asked) => (isDown ? fail() : real.takeSlots(...asked)),
          probe: () => (isDown ? fail() : real.probe()),
        }),
      })
    const processes = [await begin(), await begin()]
    shared.clock.time += 5_000
    for (const { limits } of processes) await limits.tick()
    const limits = processes.map((process) => process.limits.streams({ streamsAtOnce: 6 }))
    const before = await flood([limits[0] as StreamLimit], 'key', 4)
    isDown = true
    const during = await flood(limits, 'key', 20)
    expect(before.length + during.length).toBe(7)
    before.forEach((giveBack) => giveBack())
    isDown = false
    for (const each of processes) {
      await each.limits.tick()
      await each.limits.close()
    }
    expect(await flood(limits, 'key', 20)).toHaveLength(3)
  })

  test('random streams are never more than the limit, and none is refused while there is room', async () => {
    const random = createRandom()
    const most = 1 + random.below(8)
    const processes = [await shared.start(), await shared.start(), await shared.start()]
    const limits = processes.map((process) => process.limits.streams({ streamsAtOnce: most }))
    const open: GiveBack[] = []
    for (let turn = 0; turn < 60; turn++) {
      const told = `seed ${random.seed}, limit ${most}, turn ${turn}`
      for (let ends = random.below(open.length + 1); ends > 0; ends--) open.splice(random.below(open.length), 1)[0]?.()
      for (const process of processes) await process.limits.close()
      const wanted = random.below(6)
      const had = await flood(limits, `random ${random.seed}`, wanted)
      expect(had.length, told).toBe(Math.min(wanted, most - open.length))
      open.push(...had)
    }
  })
})
