import { expect, test } from 'vitest'
import { hasLiving } from './has-living.ts'
import { LEASE_ENDED } from './lease-observer.ts'

const LEASE_MS = 60_000
const MONTH_MS = 30 * 86_400_000

/** Looks at leases that change as time passes, in milliseconds since the first look. */
async function look(leasesAt: (passed: number) => Readonly<Record<string, number | null>>) {
  let passed = 0
  const isLiving = await hasLiving({
    listLeases: () => Promise.resolve(new Map(Object.entries(leasesAt(passed)))),
    clock: { elapsed: () => passed },
    leaseMs: LEASE_MS,
    pause: (ms) => Promise.resolve(void (passed += ms)),
  })
  return { isLiving, passed }
}

test('processes that stopped in order, or none, are known at once', async () => {
  expect(await look(() => ({}))).toEqual({ isLiving: false, passed: 0 })
  expect(await look(() => ({ a: LEASE_ENDED, b: LEASE_ENDED }))).toEqual({ isLiving: false, passed: 0 })
})

test.each([-MONTH_MS, 0, MONTH_MS])(
  'a process whose clock is off by %i ms lives while it renews its lease',
  async (ms) => {
    const renewed = await look((passed) => ({ a: 1 + ms + Math.floor(passed / 5_000) * 5_000, b: LEASE_ENDED }))
    expect(renewed).toEqual({ isLiving: true, passed: 5_000 })
  },
)

test.each([-MONTH_MS, 0, MONTH_MS])('a lease of a clock that is off by %i ms ends when not renewed', async (ms) => {
  expect(await look(() => ({ a: 1 + ms, b: null }))).toEqual({ isLiving: false, passed: LEASE_MS })
})

test('a process that starts meanwhile lives', async () => {
  expect(await look((passed) => (passed < 30_000 ? { a: 1 } : { a: 1, b: 2 }))).toMatchObject({ isLiving: true })
})
