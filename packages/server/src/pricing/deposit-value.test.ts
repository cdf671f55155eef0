import { expect, test } from 'vitest'
import { createRandom } from '../../testing/random.ts'
import { creditsOfUsd, valueOfDeposit } from '@svc/contract/deposit-value'

// B147: decimals are the asset's own, and each factor is applied once.
test.each([
  [1_000_000n, 6, '1', 1_000_000_000_000n],
  [10n ** 18n, 18, '1', 1_000_000_000_000n],
  [1n, 6, '1', 1_000_000n],
  [10n ** 18n, 18, '2500', 2_500_000_000_000_000n],
  [1n, 18, '2500', 0n],
  [400_000n, 18, '2500', 1_000n],
  [10n ** 16n, 18, '2512.345678', 25_123_456_780_000n],
  [1_000_000n, 6, '0.99', 990_000_000_000n],
])('%s units with %i decimals at %s USD are %s nanocredits', (amount, decimals, price, credits) => {
  expect(valueOfDeposit(amount, decimals, price)).toBe(credits)
})

test('what no deposit can be worth has no value', () => {
  expect(valueOfDeposit(2n ** 255n, 18, '2500')).toBeNull()
  expect(valueOfDeposit(1n, 6, 'free')).toBeNull()
})

test('parts are never worth more than the whole', () => {
  const random = createRandom()
  for (let round = 0; round < 500; round++) {
    const [one, other] = [BigInt(random.below(1e9)) * 997n, BigInt(random.below(1e9)) * 1_009n]
    const price = `${random.below(9_000)}.${random.below(1e8)}`
    const worth = (amount: bigint): bigint => valueOfDeposit(amount, 18, price) ?? 0n
    const parts = worth(one) + worth(other)
    expect({ seed: random.seed, isMore: parts > worth(one + other) }).toEqual({ seed: random.seed, isMore: false })
  }
})

test('dollars are a thousand credits', () => {
  expect(creditsOfUsd('1')).toBe(1_000_000_000_000n)
  expect(creditsOfUsd('0.50')).toBe(500_000_000_000n)
})
