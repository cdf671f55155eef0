import { expect, test } from 'vitest'
import type { ChatPrice } from '../pricing/price.ts'
import { costPricesOfCard, parseCardNumber } from '../pricing/card.ts'
import { parseUsd, ZERO_USD } from '../pricing/usd.ts'
import { createCatalog } from './catalog.ts'
import { comparePrices } from './compare-prices.ts'
import type { MediaOffer } from './media-offer.ts'
import type { Model } from './model.ts'

const usd = (text: string) => parseUsd(text) ?? ZERO_USD
const rate = (text: string) => {
  const read = parseCardNumber(text, 'per_1m')
  if (read === null) throw new Error(`${text} is no rate`)
  return read
}

const card = { input: rate('12'), output: rate('60') }
const listed = (input: string, output: string) => ({
  ...{ input: usd(input), output: usd(output), cachedInput: null, cacheWrite: null, request: null, tiers: [] },
})

function model(price: ChatPrice | null, more: Partial<Model> = {}): Model {
  return {
    ...{ id: 'one', upstream: 'main', upstreamModel: 'maker/one', type: 'text', featured: true, name: 'One' },
    ...{ description: null, ownedBy: 'maker', created: 0, contextLength: null, maxOutputTokens: null },
    ...{ inputModalities: ['text'], outputModalities: ['text'], supportedParameters: [], price, media: null },
    ...{ route: null, aliases: [], aliasFor: null, confidential: false, promptTraining: null },
    ...more,
  }
}

function compare(of: Model, reportsCost = false) {
  const content = { listed: [of], unlisted: [], prefix: '', updatedAt: 0, findUnknown: () => null }
  const [compared] = comparePrices(createCatalog(content), () => reportsCost)
  if (compared === undefined) throw new Error('the model is in the catalog')
  return compared
}

test('a card that covers the cost and the margin decides, and keeps what it brings above them', () => {
  const { lines, warnings, source } = compare(model({ card, list: { prices: costPricesOfCard(card), source: 'live' } }))
  expect(lines).toEqual([
    {
      kind: 'input',
      card: 12_000_000_000n,
      cost: 10_000_000_000n,
      selling: 12_000_000_000n,
      marginBps: 2_000,
      rule: 'card',
    },
    {
      kind: 'output',
      card: 60_000_000_000n,
      cost: 50_000_000_000n,
      selling: 60_000_000_000n,
      marginBps: 2_000,
      rule: 'card',
    },
  ])
  expect([warnings, source]).toEqual([[], 'live'])
})

test('a card below cost and margin is reported, and each line says what decides', () => {
  const prices = listed('0.000000001', '0.0000001')
  const { lines, warnings } = compare(model({ card, list: { prices, source: 'configured' } }))
  expect(lines.map(({ rule, marginBps }) => [rule, marginBps])).toEqual([
    ['card', 110_000],
    ['cost', 2_000],
  ])
  expect(lines[1]).toMatchObject({ card: 60_000_000_000n, cost: 100_000_000_000n, selling: 120_000_000_000n })
  expect(warnings).toEqual(['card_below_cost'])
})

test('a cost that no list says is unknown, or known by reports alone', () => {
  const unlisted = model({ card, list: null })
  expect(compare(unlisted)).toMatchObject({ warnings: ['cost_unknown'], source: null })
  expect(compare(unlisted, true)).toMatchObject({
    warnings: ['reported_only'],
    lines: [{ cost: null }, { cost: null }],
  })
  const old = model({ card: null, list: { prices: listed('0.000001', '0.000002'), source: 'snapshot' } })
  expect(compare(old).warnings).toEqual(['bundled_list'])
  expect(compare(old, true).warnings).toEqual([])
})

test('of several upstreams the dearest counts, and one without a list leaves the cost unknown', () => {
  const target = (upstream: string, price: ChatPrice) => ({
    ...{ upstream, upstreamModel: 'x', price, media: null, weight: 1 },
  })
  const cheap: ChatPrice = { card, list: { prices: listed('0.000000001', '0.000000001'), source: 'live' } }
  const dear: ChatPrice = { card, list: { prices: listed('0.00000009', '0.00000009'), source: 'configured' } }
  const route = (...prices: ChatPrice[]) => ({
    route: { targets: prices.map((price, at) => target(`up-${at}`, price)), isWeighted: false, fallback: true },
  })
  const both = compare(model(cheap, route(cheap, dear)))
  expect(both).toMatchObject({ upstreams: ['up-0', 'up-1'], source: 'live', warnings: ['card_below_cost'] })
  expect(both.lines.map(({ cost }) => cost)).toEqual([90_000_000_000n, 90_000_000_000n])
  const one = compare(model(cheap, route(cheap, { card, list: null })))
  expect(one.warnings).toEqual(['cost_unknown'])
})

test('media are compared by their unit, and a guessed price is marked', () => {
  const media: MediaOffer = {
    type: 'speech',
    prices: { type: 'speech', unit: 'character', perUnit: usd('0.000015') },
    facts: { voices: [], defaultVoice: null, voiceRequired: false },
    isGuess: true,
    source: 'live',
  }
  expect(compare(model(null, { media, type: 'speech', featured: false }))).toMatchObject({
    ...{ unit: 'character', warnings: ['guess'] },
    lines: [{ kind: 'unit', card: null, cost: 15_000_000n, selling: 18_000_000n, marginBps: 2_000, rule: 'cost' }],
  })
})
