import { describe, expect, test } from 'vitest'
import { AMOUNT_MAX, holdFor, sizeHold, unitsFor, type HoldSizing } from './hold-size.ts'

const request: HoldSizing = { fixed: 100n, perUnit: 10n, units: 1_000, policy: 'exact', firstUnits: 50 }

describe('the size of a hold', () => {
  test('is everything or nothing when the client named its limit', () => {
    expect(sizeHold(request, 10_100n)).toEqual({ amount: 10_100n, units: 1_000, limitUnits: null })
    expect(sizeHold(request, 10_099n)).toBeNull()
  })

  test.each(['stepwise', 'affordable'] as const)('is the model’s maximum when that fits a quarter (%s)', (policy) => {
    expect(sizeHold({ ...request, policy }, 40_400n)).toEqual({ amount: 10_100n, units: 1_000, limitUnits: null })
  })

  test('starts with the first step of a stream when the balance is the limiter', () => {
    const stepwise = { ...request, policy: 'stepwise' } as const
    expect(sizeHold(stepwise, 40_399n)).toEqual({ amount: 600n, units: 50, limitUnits: null })
    expect(sizeHold(stepwise, 5_100n)).toEqual({ amount: 600n, units: 50, limitUnits: 500 })
    // Never more than half of what can be paid at all, rounded up, so that a second request finds something.
    expect(sizeHold(stepwise, 350n)).toEqual({ amount: 230n, units: 13, limitUnits: 25 })
    expect(sizeHold(stepwise, 119n)).toEqual({ amount: 110n, units: 1, limitUnits: 1 })
    expect(sizeHold(stepwise, 109n)).toBeNull()
  })

  test('leaves half of the balance to others, and a sixteenth where the first units need the other half', () => {
    const affordable = { ...request, policy: 'affordable' } as const
    expect(sizeHold(affordable, 1_600n)).toEqual({ amount: 800n, units: 70, limitUnits: 70 })
    expect(sizeHold(affordable, 800n)).toEqual({ amount: 600n, units: 50, limitUnits: 50 })
    expect(sizeHold(affordable, 480n)).toEqual({ amount: 450n, units: 35, limitUnits: 35 })
    expect(sizeHold(affordable, 20_200n)).toEqual({ amount: 10_100n, units: 1_000, limitUnits: null })
  })

  test('is one unit when the balance pays for exactly one', () => {
    expect(sizeHold({ ...request, policy: 'affordable' }, 110n)).toEqual({ amount: 110n, units: 1, limitUnits: 1 })
    expect(sizeHold({ ...request, policy: 'affordable' }, 109n)).toBeNull()
  })

  test.each(['exact', 'stepwise', 'affordable'] as const)(
    'is the fixed part alone when units are free (%s)',
    (policy) => {
      const free = { ...request, perUnit: 0n, policy }
      expect(sizeHold(free, 100n)).toEqual({ amount: 100n, units: 1_000, limitUnits: null })
      expect(sizeHold(free, 99n)).toBeNull()
    },
  )

  test('stays within a 64-bit column whatever is asked', () => {
    expect(holdFor(10n ** 18n, 10n ** 18n, 1_000_000_000)).toBe(AMOUNT_MAX)
  })

  test('counts only whole units', () => {
    expect(unitsFor(119n, 100n, 10n, 5)).toBe(1)
    expect(unitsFor(99n, 100n, 10n, 5)).toBe(0)
    expect(unitsFor(10n ** 18n, 100n, 10n, 5)).toBe(5)
  })
})
