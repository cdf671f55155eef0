import { nanocreditsOf } from '@svc/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cardCharge, chargeChat, billingPrices } from './charge-chat.ts'
import { boundChat } from './hold-bound.ts'
import { listCost } from './list-cost.ts'
import type { ChatPrice, ChatUsage, PriceTier, TokenPrices } from './price.ts'
import { recomputeCharge } from '@svc/contract/recompute-charge'
import { attoUsdOf, chargeForCost, costAtPar } from './usd.ts'

const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 2_147_483_647)
const runs = { seed, numRuns: 500 }

const price = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(attoUsdOf)
const optionalPrice = fc.option(price, { nil: null })
const rate = { input: price, output: price, cachedInput: optionalPrice, cacheWrite: optionalPrice }
const tier = fc.record({ aboveInputTokens: fc.integer({ min: 1, max: 100_000 }), ...rate })
const tiers = fc
  .uniqueArray(tier, { maxLength: 3, selector: (entry) => entry.aboveInputTokens })
  .map((entries): PriceTier[] => entries.toSorted((left, right) => left.aboveInputTokens - right.aboveInputTokens))
const media = { audioInput: optionalPrice, audioOutput: optionalPrice, imageOutput: optionalPrice }
const prices: fc.Arbitrary<TokenPrices> = fc.record({ ...rate, ...media, request: optionalPrice, tiers })
const nanocredits = fc.bigInt({ min: 0n, max: 10n ** 8n }).map(nanocreditsOf)
const card = fc.record({ input: nanocredits, output: nanocredits })
const list = fc.record({ prices, source: fc.constantFrom('configured' as const, 'live' as const, 'snapshot' as const) })
const chatPrice: fc.Arbitrary<ChatPrice> = fc.oneof(
  fc.record({ card, list: fc.option(list, { nil: null }) }),
  fc.record({ card: fc.constant(null), list }),
)
const count = fc.integer({ min: 0, max: 150_000 })
const usage: fc.Arbitrary<ChatUsage> = fc.record({
  promptTokens: count,
  completionTokens: count,
  cachedTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
  audioInputTokens: count,
  audioOutputTokens: count,
  imageOutputTokens: count,
})
const cost = fc.option(fc.bigInt({ min: 0n, max: 10n ** 20n }).map(attoUsdOf), { nil: null })

test(`a charge is never below cost × 1.2, never below the card, and rounds once (seed ${seed})`, () => {
  fc.assert(
    fc.property(chatPrice, usage, cost, (chatPrices, tokens, reported) => {
      const charge = chargeChat(chatPrices, tokens, reported)
      const atCard = chatPrices.card === null ? 0n : cardCharge(chatPrices.card, tokens)
      const mayUseList = chatPrices.card === null || chatPrices.list?.source !== 'snapshot'
      const listed = chatPrices.list !== null && mayUseList ? listCost(chatPrices.list.prices, tokens) : null
      const atto = reported ?? listed ?? 0n
      expect(charge.charge).toBe([atCard, (atto * 12n + 9_999_999n) / 10_000_000n].reduce((a, b) => (a > b ? a : b)))
      expect(charge.cost).toBe(costAtPar(attoUsdOf(atto)))
      expect(charge.charge).toBeGreaterThanOrEqual(charge.cost)
      expect(recomputeCharge(charge.pricing)).toMatchObject({ charge: charge.charge, cost: charge.cost })
    }),
    runs,
  )
})

test(`more cost or more output never makes a charge smaller (seed ${seed})`, () => {
  const more = fc.bigInt({ min: 0n, max: 10n ** 18n })
  fc.assert(
    fc.property(chatPrice, usage, fc.tuple(more, more), count, (chatPrices, tokens, [base, extra], output) => {
      const less = chargeChat(chatPrices, tokens, attoUsdOf(base))
      expect(chargeChat(chatPrices, tokens, attoUsdOf(base + extra)).charge).toBeGreaterThanOrEqual(less.charge)
      const plain = { ...tokens, audioOutputTokens: 0, imageOutputTokens: 0 }
      const longer = { ...plain, completionTokens: plain.completionTokens + output }
      const charge = chargeChat(chatPrices, plain, null).charge
      expect(chargeChat(chatPrices, longer, null).charge).toBeGreaterThanOrEqual(charge)
    }),
    runs,
  )
})

test(`a hold covers every usage within its bounds that costs what the list says (seed ${seed})`, () => {
  fc.assert(
    fc.property(chatPrice, usage, count, count, (chatPrices, tokens, spare, spareOutput) => {
      const bound = boundChat(chatPrices, tokens.promptTokens + spare)
      const hold = bound.fixed + bound.perOutputToken * BigInt(tokens.completionTokens + spareOutput)
      expect(hold).toBeGreaterThanOrEqual(chargeChat(chatPrices, tokens, null).charge)
      const prices = billingPrices(chatPrices)
      const reported = prices === null ? null : listCost(prices, tokens)
      expect(hold).toBeGreaterThanOrEqual(chargeChat(chatPrices, tokens, reported).charge)
    }),
    runs,
  )
})

test(`adding up rounded parts is never less than rounding the sum (seed ${seed})`, () => {
  fc.assert(
    fc.property(price, price, (left, right) => {
      const parts = chargeForCost(left) + chargeForCost(right)
      expect(parts).toBeGreaterThanOrEqual(chargeForCost(attoUsdOf(left + right)))
    }),
    runs,
  )
})
