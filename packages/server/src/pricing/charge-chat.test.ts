import { formatCredits, nanocreditsOf } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { chargeChat, chargeEstimate, estimateUsage } from './charge-chat.ts'
import type { AttoUsd, CardRate, ChatPrice, ChatUsage, TokenPrices } from './price.ts'
import { attoUsdOf, chargeForCost, parseUsd } from './usd.ts'

const usd = (text: string): AttoUsd => {
  const amount = parseUsd(text)
  if (amount === null) throw new Error(`${text} is no amount`)
  return amount
}

const usage = (promptTokens: number, completionTokens: number, parts: Partial<ChatUsage> = {}): ChatUsage => ({
  promptTokens,
  completionTokens,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  ...parts,
})

const prices: TokenPrices = {
  input: usd('0.00001'),
  output: usd('0.00005'),
  cachedInput: usd('0.000001'),
  cacheWrite: usd('0.0000125'),
  request: null,
  tiers: [
    {
      aboveInputTokens: 272_000,
      input: usd('0.00002'),
      output: usd('0.000075'),
      cachedInput: usd('0.000002'),
      cacheWrite: usd('0.000025'),
    },
  ],
}
const card: CardRate = { input: nanocreditsOf(12_000n), output: nanocreditsOf(60_000n) }
const byCard: ChatPrice = { card, list: null }
const byList: ChatPrice = { card: null, list: { prices, source: 'live' } }

/** Recomputes a charge from its record alone, as a user would. */
function recompute(pricing: string): bigint {
  const record = JSON.parse(pricing)
  const perMillion = (text: string) => BigInt(Math.round(Number(text) * 1_000))
  const ofCard =
    record.card === undefined
      ? 0n
      : BigInt(record.prompt_tokens) * perMillion(record.card.credits_per_1m_input) +
        BigInt(record.completion_tokens) * perMillion(record.card.credits_per_1m_output)
  let cost = record.cost_usd === undefined ? 0n : usd(record.cost_usd)
  if (record.tokens !== undefined) {
    const rate = record.usd_per_token
    const parts = Object.entries(record.tokens).map(([kind, count]) => BigInt(count as number) * usd(rate[kind]))
    const sum = parts.reduce((total, part) => total + part, rate.request === undefined ? 0n : usd(rate.request))
    expect(sum).toBe(cost)
    cost = attoUsdOf(sum)
  }
  const ofCost = chargeForCost(attoUsdOf(cost))
  return ofCard >= ofCost ? ofCard : ofCost
}

describe('a featured alias', () => {
  test('is charged by its card without a reported cost: a million tokens each way of 12/60 are 72 credits', () => {
    const charge = chargeChat(byCard, usage(1_000_000, 1_000_000), null)
    expect(formatCredits(charge.charge)).toBe('72')
    expect(charge).toMatchObject({ basis: 'card', cost: 0n })
    expect(recompute(charge.pricing)).toBe(charge.charge)
  })

  test('is charged by the reported cost where that is more', () => {
    const charge = chargeChat(byCard, usage(1_000, 1_000), usd('0.06'))
    expect(charge).toMatchObject({ charge: 72_000_000_000n, cost: 60_000_000_000n, basis: 'cost' })
    expect(recompute(charge.pricing)).toBe(charge.charge)
  })

  test('is charged by its card where a reported cost is less, without a second margin (case B021)', () => {
    const charge = chargeChat(byCard, usage(1_000, 1_000), usd('0.00000006'))
    expect(charge).toMatchObject({ charge: 72_000_000n, cost: 60_000n, basis: 'card' })
  })

  test('is never made dearer by the bundled snapshot', () => {
    const charge = chargeChat({ card, list: { prices, source: 'snapshot' } }, usage(1_000_000, 1_000_000), null)
    expect(formatCredits(charge.charge)).toBe('72')
  })

  test.each(['configured', 'live'] as const)('is charged by the %s price of its route where that is more', (source) => {
    const charge = chargeChat({ card, list: { prices, source } }, usage(1_000, 1_000), null)
    expect(charge).toMatchObject({ charge: 72_000_000_000n, basis: 'list' })
    expect(recompute(charge.pricing)).toBe(charge.charge)
  })
})

describe('a catalog model', () => {
  test('is charged at reported cost × 1.2 × 1,000, exactly (case B021)', () => {
    const charge = chargeChat(byList, usage(10, 10), usd('0.0123456789'))
    expect(charge).toMatchObject({ charge: 14_814_814_680n, cost: 12_345_678_900n, basis: 'cost' })
    expect(recompute(charge.pricing)).toBe(charge.charge)
  })

  test('is rounded once, up, when the cost has more decimals than a charge', () => {
    expect(chargeChat(byList, usage(1, 1), usd('0.00037241000000000003')).charge).toBe(446_892_001n)
    expect(chargeChat(byList, usage(1, 1), usd('9.5E-16')).charge).toBe(1n)
  })

  test('takes a reported cost of zero at its word', () => {
    expect(chargeChat(byList, usage(10, 10), usd('0'))).toMatchObject({ charge: 0n, basis: 'cost' })
  })

  test('keeps its base prices at the limit of a tier and takes the tier for the whole request above it', () => {
    const at = chargeChat(byList, usage(272_000, 1_000), null)
    expect(formatCredits(at.charge)).toBe('3324')
    const above = chargeChat(byList, usage(272_001, 1_000), null)
    expect(formatCredits(above.charge)).toBe('6618.024')
    expect(recompute(at.pricing)).toBe(at.charge)
    expect(recompute(above.pricing)).toBe(above.charge)
  })

  test('takes the last tier that applies', () => {
    const tier = { ...prices.tiers[0]!, aboveInputTokens: 500_000, input: usd('0.00004') }
    const price: ChatPrice = {
      card: null,
      list: { prices: { ...prices, tiers: [...prices.tiers, tier] }, source: 'live' },
    }
    expect(formatCredits(chargeChat(price, usage(500_001, 0), null).charge)).toBe('24000.048')
  })

  test('costs a price per request beside the tokens', () => {
    const price: ChatPrice = { card: null, list: { prices: { ...prices, request: usd('0.005') }, source: 'live' } }
    const charge = chargeChat(price, usage(0, 0), null)
    expect(formatCredits(charge.charge)).toBe('6')
    expect(recompute(charge.pricing)).toBe(charge.charge)
  })

  test('prices media tokens at their own price where the list has one', () => {
    const price: ChatPrice = { card: null, list: { prices: { ...prices, audioOutput: usd('0.0001') }, source: 'live' } }
    const charge = chargeChat(price, usage(0, 100, { audioOutputTokens: 40 }), null)
    expect(charge.charge).toBe(chargeForCost(attoUsdOf(60n * prices.output + 40n * usd('0.0001'))))
    expect(recompute(charge.pricing)).toBe(charge.charge)
  })
})

describe('every token is priced once', () => {
  test('cached tokens are a part of the prompt: the card charges 2000 + 10, nothing more (case B016)', () => {
    const charge = chargeChat(byCard, usage(2_000, 10, { cachedTokens: 1_800 }), null)
    expect(charge.charge).toBe(2_000n * 12_000n + 10n * 60_000n)
  })

  test('a list charges cached tokens at the cache price and the others at the full price (case B016)', () => {
    const charge = chargeChat(byList, usage(2_000, 10, { cachedTokens: 1_800 }), null)
    const cost = 200n * prices.input + 1_800n * usd('0.000001') + 10n * prices.output
    expect(charge.charge).toBe(chargeForCost(attoUsdOf(cost)))
    expect(recompute(charge.pricing)).toBe(charge.charge)
  })

  test('cache writes and cache reads are parts of the same 2000 tokens (case B017)', () => {
    const parts = { cacheWriteTokens: 300, cachedTokens: 500 }
    const charge = chargeChat(byList, usage(2_000, 10, parts), null)
    const tokens = JSON.parse(charge.pricing).tokens
    expect(tokens).toEqual({ input: 1_200, cached_input: 500, cache_write: 300, output: 10 })
    expect(chargeChat(byCard, usage(2_000, 10, parts), null).charge).toBe(2_000n * 12_000n + 10n * 60_000n)
  })

  test('a list without cache prices charges all prompt tokens alike', () => {
    const price: ChatPrice = {
      card: null,
      list: { prices: { ...prices, cachedInput: null, cacheWrite: null, tiers: [] }, source: 'live' },
    }
    const parts = { cachedTokens: 1_800, cacheWriteTokens: 100 }
    expect(chargeChat(price, usage(2_000, 0, parts), null).charge).toBe(chargeChat(price, usage(2_000, 0), null).charge)
  })

  test('reasoning is a part of the output: 977 tokens are charged, not 768 and not 209 (case B019)', () => {
    const charge = chargeChat(byCard, usage(10, 977, { reasoningTokens: 768 }), null)
    expect(charge.charge).toBe(10n * 12_000n + 977n * 60_000n)
  })

  test('parts that are greater than their whole are cut to it', () => {
    const charge = chargeChat(byList, usage(100, 0, { cachedTokens: 500, cacheWriteTokens: 500 }), null)
    expect(JSON.parse(charge.pricing).tokens).toEqual({ cached_input: 100 })
  })
})

describe('an estimate', () => {
  test('counts four bytes of output as a token, rounded up, and says that it is one', () => {
    const counted = estimateUsage({ promptTokens: 100, outputBytes: 401 })
    expect(counted).toEqual(usage(100, 101))
    const charge = chargeEstimate(byCard, counted)
    expect(charge).toMatchObject({ basis: 'estimate', charge: 100n * 12_000n + 101n * 60_000n })
    expect(JSON.parse(charge.pricing)).toMatchObject({ estimated: true, basis: 'card' })
  })
})

test('numbers that no adapter lets through are still priced as counts', () => {
  for (const odd of [Number.NaN, -5, Number.NEGATIVE_INFINITY]) {
    expect(chargeChat(byCard, usage(odd, odd), null).charge).toBe(0n)
  }
  expect(chargeChat(byCard, usage(0.5, 0), null).charge).toBe(12_000n)
  expect(chargeChat(byCard, usage(Number.POSITIVE_INFINITY, 0), null).charge).toBe(12_000_000_000_000n)
})

test('a list price of any source is used when no card is there: no model is free by accident (case B022)', () => {
  const price: ChatPrice = { card: null, list: { prices, source: 'snapshot' } }
  expect(chargeChat(price, usage(100, 100), null).charge).toBeGreaterThan(0n)
})
