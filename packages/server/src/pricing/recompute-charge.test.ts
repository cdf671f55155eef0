import { nanocreditsOf } from '@svc/contract'
import { expect, test } from 'vitest'
import { chargeChat } from './charge-chat.ts'
import { chargeMedia } from './charge-media.ts'
import type { ChatUsage, TokenPrices } from './price.ts'
import { isOtherMargin, recomputeCharge } from '@svc/contract/recompute-charge'
import { attoUsdOf, ZERO_USD } from './usd.ts'

const micro = (amount: bigint) => attoUsdOf(amount * 10n ** 12n)

const prices: TokenPrices = {
  ...{ input: micro(10n), output: micro(50n), cachedInput: micro(1n), cacheWrite: micro(12n), request: micro(7n) },
  cacheWriteLong: micro(20n),
  tiers: [{ aboveInputTokens: 100, input: micro(20n), output: micro(75n), cachedInput: null, cacheWrite: null }],
}
const usage: ChatUsage = {
  ...{ promptTokens: 90, completionTokens: 30, cachedTokens: 20, cacheWriteTokens: 10, reasoningTokens: 5 },
  cacheWriteLongTokens: 4,
}
const byList = chargeChat({ card: null, list: { prices, source: 'live' } }, usage, null)
const byTier = chargeChat({ card: null, list: { prices, source: 'live' } }, { ...usage, promptTokens: 101 }, null)
const byCard = chargeChat(
  { card: { input: nanocreditsOf(12_000n), output: nanocreditsOf(60n) }, list: null },
  usage,
  null,
)
const bySpeech = chargeMedia({ lines: [{ unit: 'characters', quantity: 43, perUnit: micro(17n) }], reportedCost: null })
const byImages = chargeMedia({
  lines: [
    { unit: 'images', quantity: 2, perUnit: micro(40_000n) },
    { unit: 'input_images', quantity: 1, perUnit: micro(500n) },
  ],
  ...{ minimum: micro(90_000n), reportedCost: null, variant: { quality: 'high' } },
})
const bySeconds = chargeMedia({
  lines: [{ unit: 'seconds', quantity: 8.4701, perUnit: attoUsdOf(333n) }],
  ...{ reportedCost: null, estimated: true },
})
const byCost = chargeMedia({ lines: [{ unit: 'images', quantity: 1, perUnit: ZERO_USD }], reportedCost: micro(123n) })

test.each([
  ['a list', byList],
  ['a tier of a list', byTier],
  ['the card', byCard],
  ['characters', bySpeech],
  ['images with a minimum', byImages],
  ['a fraction of a second', bySeconds],
  ['a reported cost', byCost],
])('a charge by %s is found again', (_by, { charge, cost, pricing }) => {
  expect(recomputeCharge(pricing)).toMatchObject({ charge, cost })
})

test('says what was counted, and whether it was estimated', () => {
  expect(recomputeCharge(byList.pricing)).toMatchObject({ promptTokens: 90, completionTokens: 30, cachedTokens: 20 })
  expect(recomputeCharge(bySeconds.pricing)).toMatchObject({ basis: 'list', isEstimated: true })
})

test('takes the margin from the text', () => {
  const ofOther = byCost.pricing.replace('"margin_bps":2000', '"margin_bps":1000')
  expect(recomputeCharge(byCost.pricing)).toMatchObject({ charge: 147_600_000n, marginBps: 2_000 })
  expect(recomputeCharge(ofOther)).toMatchObject({ charge: 135_300_000n, marginBps: 1_000 })
  expect(recomputeCharge(ofOther)).toSatisfy(isOtherMargin)
})

test.each([
  ['more tokens of a kind', byList, '"output":30', '"output":31'],
  ['more tokens in all', byList, '"prompt_tokens":90', '"prompt_tokens":91'],
  ['another price of a kind', byList, '"input":"0.00001"', '"input":"0.00002"'],
  ['no price of a kind', byList, '"output":"0.00005"', '"other":"0.00005"'],
  ['another cost', byList, '"cost_usd":"0.00', '"cost_usd":"0.01'],
  ['another basis', byList, '"basis":"list"', '"basis":"cost"'],
  ['a tier that its prompt does not reach', byTier, '"above_input_tokens":100', '"above_input_tokens":101'],
  ['a cost without a margin', byCost, ',"margin_bps":2000', ''],
  ['no card', byCard, '"card":', '"cards":'],
  ['another number of units', bySpeech, '"characters":43', '"characters":44'],
  ['a unit without a price', byImages, '"input_images":"0.0005"', '"other":"0.0005"'],
  ['another minimum', byImages, '"minimum_usd":"0.09"', '"minimum_usd":"0.10"'],
  ['no object', byCost, byCost.pricing, '7'],
  ['no JSON', byCost, byCost.pricing, '{'],
])('a text with %s is refused', (_what, { pricing }, from, to) => {
  expect(pricing).toContain(from)
  expect(recomputeCharge(pricing.replace(from, to))).toBeNull()
})
