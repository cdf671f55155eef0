import { modelEntry, nanocreditsOf } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { attoUsdOf, parseUsd } from '../pricing/usd.ts'
import type { ChatPrice, TokenPrices } from '../pricing/price.ts'
import type { Model } from './model.ts'
import { describeUnderpricedAliases, findUnderpricedAliases } from './price-check.ts'
import { createCatalog } from './catalog.ts'
import { renderModel } from './render-model.ts'
import { dearestSellingPrice } from './selling-price.ts'

const usd = (text: string) => parseUsd(text) ?? attoUsdOf(0n)
const prices: TokenPrices = {
  input: usd('0.00001'),
  output: usd('0.00005'),
  cachedInput: usd('0.000001'),
  cacheWrite: null,
  request: usd('0.001'),
  tiers: [
    { aboveInputTokens: 272_000, input: usd('0.00002'), output: usd('0.000075'), cachedInput: null, cacheWrite: null },
  ],
}
const card = { input: nanocreditsOf(12_000n), output: nanocreditsOf(60_000n) }

function modelAt(price: ChatPrice | null, id = 'openrouter/v/m'): Model {
  return {
    id,
    upstream: 'main',
    upstreamModel: 'v/m',
    type: 'text',
    featured: price !== null && price.card !== null,
    name: 'M',
    description: null,
    ownedBy: 'v',
    created: 1,
    contextLength: null,
    maxOutputTokens: 5,
    inputModalities: ['text'],
    outputModalities: ['text'],
    supportedParameters: [],
    price,
    aliases: [],
    aliasFor: null,
    media: null,
    route: null,
    confidential: false,
    promptTraining: null,
  }
}

const printed = (model: Model) => JSON.parse(JSON.stringify(renderModel(model)))

describe('a model in the list', () => {
  test('shows the selling price, margin included, with its tiers', () => {
    const entry = printed(modelAt({ card: null, list: { prices, source: 'live' } }))
    expect(entry.pricing).toEqual({
      prompt: '0.000012',
      completion: '0.00006',
      input_cache_read: '0.0000012',
      request: '0.0012',
      overrides: [{ min_prompt_tokens: 272_000, prompt: '0.000024', completion: '0.00009' }],
    })
    expect(entry.svc).toMatchObject({ credits_per_1m_input: 12_000, credits_per_1m_output: 60_000, margin_bps: 2_000 })
    expect(modelEntry.safeParse(entry).success).toBe(true)
  })

  test('names the kinds that have a price of their own: an hour of cache, audio, images', () => {
    const media = { audioInput: usd('0.0001'), audioOutput: usd('0.0002'), imageOutput: usd('0.00003') }
    const [tier] = prices.tiers
    const tiers = tier === undefined ? [] : [{ ...tier, cacheWriteLong: usd('0.00004') }]
    const dear = { ...prices, ...media, cacheWrite: usd('0.0000125'), cacheWriteLong: usd('0.00002'), tiers }
    const entry = printed(modelAt({ card: null, list: { prices: dear, source: 'live' } }))
    expect(entry.pricing).toMatchObject({
      input_cache_write: '0.000015',
      input_cache_write_1h: '0.000024',
      audio: '0.00012',
      audio_output: '0.00024',
      image_output: '0.000036',
      overrides: [{ input_cache_write_1h: '0.000048' }],
    })
    expect(modelEntry.safeParse(entry).success).toBe(true)
    // An hour that costs what every write costs is not named.
    const plain = { ...prices, cacheWrite: usd('0.0000125'), cacheWriteLong: usd('0.0000125'), tiers: [] }
    const same = printed(modelAt({ card: null, list: { prices: plain, source: 'live' } }))
    expect(same.pricing).not.toHaveProperty('input_cache_write_1h')
  })

  test('of several upstreams each kind shows the dearest, which may be a text price', () => {
    const list = { prices: { ...prices, imageOutput: usd('0.00003'), tiers: [] }, source: 'live' } as const
    const cheapText = { ...prices, output: usd('0.00001'), imageOutput: usd('0.00003'), tiers: [] }
    const other = { prices: { ...prices, imageOutput: null, tiers: [] }, source: 'live' } as const
    const shown = (...each: readonly ChatPrice[]) => dearestSellingPrice(each)?.imageOutput
    const alone = shown({ card: null, list })
    expect(shown({ card: null, list: { prices: cheapText, source: 'live' } })).toBe(alone)
    // The other sells images as text, which is dearer.
    expect(shown({ card: null, list }, { card: null, list: other })).toBe(600_000_000_000_000n)
    expect(shown({ card: null, list: other })).toBeNull()
  })

  test('shows the card for an alias that nothing makes dearer', () => {
    const entry = printed(modelAt({ card, list: null }, 'svc-gpt'))
    expect(entry.pricing).toEqual({ prompt: '0.000000012', completion: '0.00000006' })
    expect(entry.svc).toMatchObject({ featured: true, credits_per_1m_input: 12, credits_per_1m_output: 60 })
  })

  test('shows what is really charged where the cost of an alias is above its card', () => {
    const entry = printed(modelAt({ card, list: { prices, source: 'live' } }, 'svc-gpt'))
    expect(entry.svc).toMatchObject({ credits_per_1m_input: 12_000, credits_per_1m_output: 60_000 })
  })

  test('prints money with exact digits', () => {
    const price = { ...prices, input: usd('0.000000123456789012'), tiers: [] }
    const text = JSON.stringify(renderModel(modelAt({ card: null, list: { prices: price, source: 'live' } })))
    expect(text).toContain('"prompt":"0.0000001481481468144"')
    expect(text).toContain('"credits_per_1m_input":148.148146815,')
  })

  test('names the voices of a model that speaks, the default first', () => {
    const media: Model['media'] = {
      type: 'speech',
      prices: { type: 'speech', unit: 'character', perUnit: usd('0.00001') },
      facts: { voices: ['anna', 'bert'], defaultVoice: 'bert', voiceRequired: true },
      isGuess: false,
      source: 'live',
    }
    const entry = printed({ ...modelAt(null), type: 'speech', media })
    expect(entry.svc).toMatchObject({ unit: 'character', credits_per_unit: 0.012, voices: ['bert', 'anna'] })
    expect(modelEntry.safeParse(entry).success).toBe(true)
  })

  test('has no prices when it is not sold by tokens', () => {
    const entry = printed(modelAt(null))
    expect(entry).toMatchObject({ pricing: null, svc: { credits_per_1m_input: null, credits_per_1m_output: null } })
    expect(modelEntry.safeParse(entry).success).toBe(true)
  })
})

describe('the warning at start', () => {
  const catalogOf = (...listed: readonly Model[]) =>
    createCatalog({ listed, unlisted: [], prefix: '', updatedAt: 0, findUnknown: () => null })

  test('names every alias whose card is below cost plus margin, in one sentence', () => {
    const catalog = catalogOf(
      modelAt({ card, list: { prices, source: 'live' } }, 'svc-gpt'),
      modelAt({ card, list: { prices, source: 'snapshot' } }, 'svc-opus'),
      modelAt({ card, list: null }, 'svc-qwen'),
    )
    const text = describeUnderpricedAliases(findUnderpricedAliases(catalog))
    expect(text).toContain('svc-gpt (12/60, needed 24000/90000), svc-opus (12/60, needed 24000/90000).')
    expect(text).not.toContain('svc-qwen')
  })

  test('is not given when every card covers its cost', () => {
    const cheap = { ...prices, input: usd('0.00000001'), output: usd('0.00000005'), tiers: [] }
    const catalog = catalogOf(modelAt({ card, list: { prices: cheap, source: 'live' } }, 'svc-gpt'))
    expect(describeUnderpricedAliases(findUnderpricedAliases(catalog))).toBeNull()
  })
})
