import { formatCredits } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { chargeChat } from '../pricing/charge-chat.ts'
import type { TokenPrices } from '../pricing/price.ts'
import { attoUsdOf, parseUsd } from '../pricing/usd.ts'
import { buildCatalog, type CatalogSources } from './build-catalog.ts'
import type { Catalog } from './catalog.ts'
import { catalogConfigFrom, type CatalogConfig, type CatalogSettings, type UpstreamKind } from './catalog-config.ts'
import type { CatalogList } from './catalog-row.ts'
import { loadFeatured } from './featured.ts'
import { parseLiveList } from './live-list.ts'
import { loadSnapshot } from './snapshot.ts'
import { sandboxCost } from './sandbox-cost.ts'

const scripted = { prices: freePrices(), contextLength: 128_000, maxOutputTokens: 16_384 }
const sources: CatalogSources = {
  featured: loadFeatured('per_1m'),
  snapshot: loadSnapshot(),
  findScripted: (id) => (id === 'svc-sandbox/cut@3' ? scripted : null),
}

function freePrices(): TokenPrices {
  return { input: attoUsdOf(1n), output: attoUsdOf(2n), cachedInput: null, cacheWrite: null, request: null, tiers: [] }
}

/** Credits of a million prompt tokens and a million output tokens, by the printed card. */
const cardSums: Readonly<Record<string, string>> = {
  'svc-gpt': '72',
  'svc-gpt-mini': '1.68',
  'svc-claude': '72',
  'svc-opus': '36',
  'svc-gemini': '13.5',
  'svc-flash': '5.4',
  'svc-reasoner': '0.9',
  'svc-r1': '2.78',
  'svc-grok': '9.6',
  'svc-llama': '1.01',
  'svc-qwen': '9.6',
  'svc-kimi': '12.24',
  'svc-glm': '1.94',
  'svc-mistral': '10.8',
  'svc-image': '0.36',
  'svc-mercury': '0.23',
  'svc-llama-tee': '1.01',
}
const million = {
  promptTokens: 1_000_000,
  completionTokens: 1_000_000,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
}

/** A route with one target. */
function routeTo(upstream: string, model: string | null, price: typeof priceTexts | null) {
  return { upstream, model, price, weight: 1, others: [], isWeighted: false, fallback: true }
}

function configFor(kind: UpstreamKind, changes: Partial<CatalogSettings> = {}): CatalogConfig {
  return catalogConfigFrom({
    catalogPrefix: null,
    rateCardUnit: 'per_1m',
    upstreams: [{ name: 'main', kind, reportsCost: kind !== 'openai-compatible' }],
    routes: new Map(),
    prices: new Map(),
    defaultPrice: null,
    isProduction: false,
    ...changes,
  })
}

function catalogFor(config: CatalogConfig, list: CatalogList | null = null): Catalog {
  return buildCatalog(sources, config, list).catalog
}

function listOf(...rows: readonly object[]): CatalogList {
  const parsed = parseLiveList({ data: rows })
  return { rows: parsed?.rows ?? [], source: 'live', updatedAt: 1_000 }
}

function pricesOf(catalog: Catalog, id: string): TokenPrices | null {
  return catalog.find(id)?.price?.list?.prices ?? null
}

const priceTexts = { input: '1', output: '2' }
const ids = (catalog: Catalog) => catalog.list().map((model) => model.id)

describe('the sandbox catalog', () => {
  const catalog = catalogFor(configFor('sandbox'))

  test('lists exactly 17 aliases, as the card prints them, and then 373 models by id', () => {
    expect(catalog.counts).toEqual({ featured: 17, models: 373 })
    expect(ids(catalog).slice(0, 17)).toEqual(Object.keys(cardSums))
    const rest = ids(catalog).slice(17)
    expect(rest).toEqual(rest.toSorted((left, right) => (left < right ? -1 : 1)))
    expect(rest.length).toBe(373)
  })

  test.each(Object.entries(cardSums))(
    'charges %s exactly %s credits for a million tokens each way',
    (alias, credits) => {
      const model = catalog.find(alias)
      const cost = sandboxCost(catalog, model?.upstreamModel ?? '', million)
      if (model === null || model.price === null || cost === null) throw new Error('no price')
      expect(formatCredits(chargeChat(model.price, million, parseUsd(cost)).charge)).toBe(credits)
    },
  )

  test('finds a model by its listed id and by the bare one, and by nothing else', () => {
    const model = catalog.find('openrouter/openai/gpt-6-astra')
    expect(model).toMatchObject({ upstreamModel: 'openai/gpt-6-astra', aliases: ['svc-gpt'], featured: false })
    expect(catalog.find('openai/gpt-6-astra')).toBe(model)
    for (const id of [
      'openrouter/svc-gpt',
      'SVC-GPT',
      'svc-gpt-',
      'openai/gpt-6-astr',
      'openai/gpt-6-astra:free',
      '',
      'openrouter/',
    ]) {
      expect(catalog.find(id), id).toBeNull()
    }
    expect(catalog.find('openrouter/openrouter/openai/gpt-6-astra')).toBeNull()
  })

  test('has no model by the name of a property of objects', () => {
    for (const id of ['__proto__', 'constructor', 'toString']) expect(catalog.find(id)).toBeNull()
  })

  test('sends an alias under its own name, so that the card decides its cost there', () => {
    expect(catalog.find('svc-llama')).toMatchObject({
      upstreamModel: 'svc-llama',
      aliasFor: 'openrouter/meta-llama/llama-4-scout',
      confidential: false,
    })
    expect(catalog.find('svc-llama-tee')).toMatchObject({ confidential: true })
    expect(catalog.find('meta-llama/llama-4-scout')?.aliases).toEqual(['svc-llama', 'svc-llama-tee'])
  })

  test('serves scripted faults at a price, and does not list them', () => {
    expect(catalog.find('svc-sandbox/cut@3')?.price?.list?.source).toBe('configured')
    expect(ids(catalog).some((id) => id.includes('svc-sandbox/'))).toBe(false)
    expect(catalog.find('svc-sandbox/')).toBeNull()
    expect(catalogFor(configFor('openrouter')).find('svc-sandbox/cut@3')).toBeNull()
  })

  test('sells images in chat by the card, and no video by the token', () => {
    expect(catalog.find('svc-image')).toMatchObject({ type: 'image', price: { card: { input: 360n, output: 0n } } })
    expect(catalog.find('alibaba/wan-2.7')).toMatchObject({ type: 'video', price: null })
    expect(catalog.find('google/gemini-2.5-flash-image')?.price).not.toBeNull()
  })
})

describe('the openrouter catalog', () => {
  const live = listOf(
    { id: 'vendor/model-x', pricing: { prompt: '0.000001', completion: '0.000002' } },
    { id: 'openrouter/own-model', pricing: { prompt: '0.000001', completion: '0.000002' } },
    { id: 'openai/gpt-6-astra', context_length: 900, pricing: { prompt: '0.00001', completion: '0.00006' } },
    { id: 'vendor/no-price' },
  )

  test('uses the bundled list until a live one has come, and never sells an alias dearer for it', () => {
    const catalog = catalogFor(configFor('openrouter'))
    expect(catalog.counts).toEqual({ featured: 17, models: 373 })
    const price = catalog.find('svc-gpt')?.price
    expect(price?.list?.source).toBe('snapshot')
    expect(price && formatCredits(chargeChat(price, million, null).charge)).toBe('72')
  })

  test('takes models, limits and prices from the live list and leaves out what has no price (case B022)', () => {
    const catalog = catalogFor(configFor('openrouter'), live)
    expect(catalog.counts).toEqual({ featured: 17, models: 3 })
    expect(catalog.updatedAt).toBe(1_000)
    expect(catalog.find('vendor/no-price')).toBeNull()
    expect(catalog.find('svc-gpt')).toMatchObject({
      upstreamModel: 'openai/gpt-6-astra',
      contextLength: 900,
      price: { list: { source: 'live', prices: { output: 60_000_000_000_000n } } },
    })
  })

  test('strips the first prefix only', () => {
    const catalog = catalogFor(configFor('openrouter'), live)
    expect(catalog.find('openrouter/openrouter/own-model')?.upstreamModel).toBe('openrouter/own-model')
    expect(catalog.find('openrouter/own-model')?.upstreamModel).toBe('openrouter/own-model')
  })

  test('never takes the price of a neighbour with a similar name (case B024)', () => {
    const catalog = catalogFor(configFor('openrouter'), live)
    for (const id of ['vendor/model-x-live', 'vendor/model', 'model-x', 'vendor/model-x:nitro']) {
      expect(catalog.find(id), id).toBeNull()
    }
  })

  test('keeps the snapshot price of an alias target that the live list has lost, so that a hold covers it', () => {
    const catalog = catalogFor(configFor('openrouter'), live)
    expect(catalog.find('svc-opus')?.price?.list?.source).toBe('snapshot')
  })

  test('takes another prefix from the configuration', () => {
    const catalog = catalogFor(configFor('openrouter', { catalogPrefix: 'or/' }), live)
    expect(catalog.find('or/vendor/model-x')).toBe(catalog.find('vendor/model-x'))
    expect(catalog.find('openrouter/vendor/model-x')).toBeNull()
  })
})

describe('the catalog of an openai-compatible upstream', () => {
  const list = listOf({ id: 'llama-3' }, { id: 'qwen-3', max_model_len: 32_768 }, { id: 'whisper-1' })

  test('offers nothing without prices', () => {
    expect(catalogFor(configFor('openai-compatible'), list).counts).toEqual({ featured: 0, models: 0 })
  })

  test('offers the models that have a price, without a prefix (case B022)', () => {
    const catalog = catalogFor(configFor('openai-compatible', { prices: new Map([['qwen-3', priceTexts]]) }), list)
    expect(ids(catalog)).toEqual(['qwen-3'])
    expect(catalog.find('qwen-3')).toMatchObject({ contextLength: 32_768, price: { list: { source: 'configured' } } })
    expect(catalog.find('llama-3')).toBeNull()
  })

  test('offers its whole list at a default price, and nothing beyond it', () => {
    const catalog = catalogFor(configFor('openai-compatible', { defaultPrice: priceTexts }), list)
    expect(ids(catalog)).toEqual(['llama-3', 'qwen-3', 'whisper-1'])
    expect(catalog.find('qwen')).toBeNull()
  })

  test('passes any id at the default price while the upstream has given no list', () => {
    const catalog = catalogFor(configFor('openai-compatible', { defaultPrice: priceTexts }))
    expect(catalog.find('my-model')).toMatchObject({ upstreamModel: 'my-model', price: { card: null } })
    expect(catalog.find('a b')).toBeNull()
    expect(catalog.find('x'.repeat(257))).toBeNull()
  })

  test('offers configured models while the upstream has given no list', () => {
    const catalog = catalogFor(configFor('openai-compatible', { prices: new Map([['mine', priceTexts]]) }))
    expect(ids(catalog)).toEqual(['mine'])
  })

  test('takes prices that the list itself states', () => {
    const priced = listOf({ id: 'm', pricing: { prompt: '0.000001', completion: '0' } })
    expect(pricesOf(catalogFor(configFor('openai-compatible'), priced), 'm')?.input).toBe(1_000_000_000_000n)
  })

  test('serves aliases at the card on a loopback bind, without listing them', () => {
    const catalog = catalogFor(configFor('openai-compatible', { defaultPrice: priceTexts }), list)
    const price = catalog.find('svc-gpt')?.price
    expect(price).toMatchObject({ list: null })
    expect(price && formatCredits(chargeChat(price, million, null).charge)).toBe('72')
    expect(catalog.counts.featured).toBe(0)
  })

  test.each([
    ['the alias', 'svc-gpt'],
    ["the maker's id", 'openai/gpt-6-astra'],
    ['the id without its maker', 'gpt-6-astra'],
  ])('lists an alias when the upstream has %s', (_name, id) => {
    const catalog = catalogFor(configFor('openai-compatible'), listOf({ id }))
    expect(ids(catalog)).toEqual(['svc-gpt'])
    expect(catalog.find('svc-gpt')?.upstreamModel).toBe(id)
  })

  test('lists an alias that the configuration routes, and charges the price of the route where it is more', () => {
    const routes = new Map([['svc-gpt', routeTo('main', 'llama-3', priceTexts)]])
    const catalog = catalogFor(configFor('openai-compatible', { routes }), list)
    expect(ids(catalog)).toEqual(['svc-gpt'])
    const price = catalog.find('svc-gpt')?.price
    expect(price && formatCredits(chargeChat(price, million, null).charge)).toBe('3600')
    expect(catalog.find('svc-gpt')).toMatchObject({ upstreamModel: 'llama-3', aliasFor: 'llama-3' })
  })

  test('refuses aliases in production, unless their cost can be known', () => {
    const routes = new Map([
      ['svc-gpt', routeTo('main', 'llama-3', priceTexts)],
      ['svc-opus', routeTo('other', null, null)],
      ['svc-qwen', routeTo('main', 'qwen-3', null)],
    ])
    const settings = { routes, isProduction: true, defaultPrice: priceTexts }
    const upstreams = [
      { name: 'main', kind: 'openai-compatible', reportsCost: false },
      { name: 'other', kind: 'openai-compatible', reportsCost: true },
    ] as const
    const built = buildCatalog(sources, configFor('openai-compatible', { ...settings, upstreams }), list)
    expect(built.refusedAliases.length).toBe(15)
    expect(built.catalog.find('svc-qwen')).toBeNull()
    expect(
      built.catalog
        .list()
        .filter((model) => model.featured)
        .map((model) => model.id),
    ).toEqual(['svc-gpt', 'svc-opus'])
  })
})

describe('routes', () => {
  const upstreams = [
    { name: 'main', kind: 'openrouter', reportsCost: true },
    { name: 'local', kind: 'openai-compatible', reportsCost: false },
  ] as const

  test('send a catalog model to another upstream at the price of the route', () => {
    const routes = new Map([['openai/gpt-6-astra', routeTo('local', 'astra', priceTexts)]])
    const catalog = catalogFor(configFor('openrouter', { upstreams, routes }))
    expect(catalog.find('openrouter/openai/gpt-6-astra')).toMatchObject({ upstream: 'local', upstreamModel: 'astra' })
    expect(pricesOf(catalog, 'openai/gpt-6-astra')?.input).toBe(1_000_000_000_000n)
  })

  test("never sell at the first upstream's list price what another one serves", () => {
    const routes = new Map([['openai/gpt-6-astra', routeTo('local', 'astra', null)]])
    expect(catalogFor(configFor('openrouter', { upstreams, routes })).find('openai/gpt-6-astra')).toBeNull()
  })

  test('add models that are in no list', () => {
    const routes = new Map([['house/model', routeTo('local', null, priceTexts)]])
    const catalog = catalogFor(configFor('openrouter', { upstreams, routes }))
    expect(catalog.find('openrouter/house/model')).toMatchObject({ upstream: 'local', upstreamModel: 'house/model' })
    expect(catalog.counts.models).toBe(374)
  })

  test('say of prompts the strictest of what is said of their upstreams', () => {
    const astra = { ...routeTo('main', null, priceTexts), others: [{ ...routeTo('local', 'astra', priceTexts) }] }
    const settings = {
      upstreams: [upstreams[0], { ...upstreams[1], promptTraining: 'never' as const }] as const,
      routes: new Map([
        ['openai/gpt-6-astra', astra],
        ['svc-gpt', astra],
        ['house/model', routeTo('local', null, priceTexts)],
      ]),
    }
    const said = (promptTraining: ReadonlyMap<string, 'may' | 'never'>, ids: readonly string[]) => {
      const catalog = catalogFor(configFor('openrouter', { ...settings, promptTraining }))
      return ids.map((id) => catalog.find(id)?.promptTraining)
    }
    const ids = ['openai/gpt-6-astra', 'svc-gpt', 'house/model', 'svc-opus', 'svc-llama-tee']
    expect(said(new Map(), ids)).toEqual([null, null, 'never', null, 'never'])
    expect(said(new Map([['openai/*', 'may']]), ids)).toEqual(['may', 'may', 'never', null, 'never'])
    expect(said(new Map([['*', 'never']]), ids)).toEqual(['never', 'never', 'never', 'never', 'never'])
  })
})
