import { expect, test } from 'vitest'
import { LeaseWatch } from './lease-watch.ts'

function watchOf() {
  const clock = { at: 5_000, elapsed: () => clock.at }
  let lost = 0
  const watch = new LeaseWatch({ clock, leaseMs: 60_000, onLosing: () => (lost += 1) })
  const after = (ms: number): number => {
    clock.at += ms
    watch.check()
    return lost
  }
  return { clock, watch, after }
}

test('a lease that is renewed is never lost', () => {
  const { clock, watch, after } = watchOf()
  for (let at = 0; at < 100; at += 1) {
    watch.renewed(clock.at)
    expect(after(5_000)).toBe(0)
  }
})

test('one that is not is lost after three quarters, once, and may be had again', () => {
  const { clock, watch, after } = watchOf()
  expect(after(44_999)).toBe(0)
  expect(after(1)).toBe(1)
  expect(after(1_000_000)).toBe(1)
  watch.renewed(clock.at)
  expect(after(44_999)).toBe(1)
  expect(after(1)).toBe(2)
})

test('a renewal counts from when it was asked for, and a late answer takes nothing back', () => {
  const { clock, watch, after } = watchOf()
  const askedAt = clock.at
  expect(after(40_000)).toBe(0)
  watch.renewed(askedAt)
  watch.renewed(askedAt - 30_000)
  expect(after(5_000)).toBe(1)
})

test('a process that was stopped for longer than its lease notices at its first look', () => {
  const { after } = watchOf()
  expect(after(600_000)).toBe(1)
})

test('after a time without a renewal it leaves the holds of others alone for half a lease', () => {
  const { clock, watch } = watchOf()
  expect(watch.maySweep).toBe(true)
  clock.at += 29_000
  watch.renewed(clock.at)
  expect(watch.maySweep).toBe(true)
  clock.at += 31_000
  watch.renewed(clock.at)
  expect(watch.maySweep).toBe(false)
  clock.at += 29_000
  watch.renewed(clock.at)
  expect(watch.maySweep).toBe(false)
  clock.at += 1_000
  expect(watch.maySweep).toBe(true)
})

test('work may begin only while no other process can have taken this one for gone', () => {
  let elapsed = 0
  const watch = new LeaseWatch({ clock: { elapsed: () => elapsed }, leaseMs: 1_000, onLosing: () => undefined })
  elapsed = 749
  expect(watch.isKept).toBe(true)
  elapsed = 750
  expect(watch.isKept).toBe(false)
  watch.renewed(700)
  expect(watch.isKept).toBe(true)
})
