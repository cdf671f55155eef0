import { nanocreditsOf } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { costPricesOfCard, formatPerMillion, parseCardNumber } from './card.ts'
import { listCost } from './list-cost.ts'
import { chargeForCost } from './usd.ts'

describe('a number of the card', () => {
  test.each([
    ['0.24', 240n],
    ['12', 12_000n],
    ['0.05', 50n],
    ['0', 0n],
  ])('%s credits per million tokens are %s nanocredits per token', (text, rate) => {
    expect(parseCardNumber(text, 'per_1m')).toBe(rate)
  })

  test('means a thousand times as much when the card is read per thousand', () => {
    expect(parseCardNumber('0.24', 'per_1k')).toBe(240_000n)
  })

  test.each(['-1', 'x', '', '0.0000000001', '0.0000001'])('is refused when it is %j', (text) => {
    expect(parseCardNumber(text, 'per_1m')).toBeNull()
  })

  test('is printed as credits per million', () => {
    expect(formatPerMillion(nanocreditsOf(240n))).toBe('0.24')
  })
})

test('the cost prices of a card row never make a request dearer than the card', () => {
  for (const rate of [50n, 180n, 230n, 700n, 2_080n]) {
    const card = { input: nanocreditsOf(rate), output: nanocreditsOf(rate * 3n) }
    const usage = {
      promptTokens: 999_983,
      completionTokens: 77_773,
      cachedTokens: 5,
      cacheWriteTokens: 0,
      reasoningTokens: 9,
    }
    const byCost = chargeForCost(listCost(costPricesOfCard(card), usage))
    const byCard = 999_983n * card.input + 77_773n * card.output
    expect(byCost).toBeLessThanOrEqual(byCard)
    expect(byCard - byCost).toBeLessThanOrEqual(2n)
  }
})
