import { expect, test } from 'vitest'
import { LEASE_ENDED, LeaseObserver } from './lease-observer.ts'

const LEASE_MS = 1_000

function observe() {
  let elapsed = 0
  const observer = new LeaseObserver({ clock: { elapsed: () => elapsed }, leaseMs: LEASE_MS })
  return { observer, pass: (milliseconds: number) => void (elapsed += milliseconds) }
}

test('a process is gone once its lease was unchanged for as long as one lasts, whatever the lease says', () => {
  for (const leaseUntil of [1, Date.UTC(2999, 0, 1)]) {
    const { observer, pass } = observe()
    observer.look(new Map([['other', leaseUntil]]))
    pass(LEASE_MS - 1)
    expect(observer.isGone('other', leaseUntil)).toBe(false)
    pass(1)
    expect(observer.isGone('other', leaseUntil)).toBe(true)
    expect(observer.isGone('other', leaseUntil + 1)).toBe(false)
  }
})

test('a process that has ended its lease, or has none, is gone at once, and one that was not looked at is not', () => {
  const { observer } = observe()
  expect(observer.isGone('other', LEASE_ENDED)).toBe(true)
  expect(observer.isGone('other', null)).toBe(true)
  expect(observer.isGone('new', 1)).toBe(false)
})
