/** Models of media that several upstreams serve, as the catalog has them. */
import { describe, expect, test } from 'vitest'
import { buildCatalog } from './build-catalog.ts'
import { catalogConfigFrom, type CatalogSettings } from './catalog-config.ts'
import { comparePrices } from './compare-prices.ts'
import { loadFeatured } from './featured.ts'
import type { MediaTexts } from './media-texts.ts'
import { loadSnapshot } from './snapshot.ts'

const sources = { featured: loadFeatured('per_1m'), snapshot: loadSnapshot(), findScripted: () => null }

const target = (upstream: string, model: string, mediaPrice: MediaTexts | null, price: 'priced' | null = null) => ({
  ...{ upstream, model, mediaPrice, weight: 1 },
  price: price === null ? null : { input: '1', output: '2' },
})

type Target = ReturnType<typeof target>

const videoOf = (usd: string): MediaTexts => ({ type: 'video', per_second: usd })

const image = (usd: string): MediaTexts => ({ type: 'image', per_image: usd })

function catalogOf(
  id: string,
  [first, ...others]: readonly [Target, ...Target[]],
  more: Partial<CatalogSettings> = {},
) {
  const settings: CatalogSettings = {
    catalogPrefix: null,
    rateCardUnit: 'per_1m',
    upstreams: [
      { name: 'main', kind: 'openai-compatible', reportsCost: false, promptTraining: 'never' },
      { name: 'spare', kind: 'openai-compatible', reportsCost: false, promptTraining: 'may' },
    ],
    routes: new Map([[id, { ...first, others, isWeighted: false, fallback: true }]]),
    prices: new Map(),
    defaultPrice: null,
    isProduction: false,
    ...more,
  }
  return buildCatalog(sources, catalogConfigFrom(settings), null).catalog
}

describe('a model of images', () => {
  const two = catalogOf('painter', [target('main', 'a', image('0.01')), target('spare', 'b', image('0.04'))])

  test('has each upstream with its own price, and the dearest for show', () => {
    const model = two.find('painter')
    expect(model).toMatchObject({ type: 'image', upstream: 'main', upstreamModel: 'a', price: null })
    const own = model?.route?.targets.map(({ upstream, media }) => [upstream, media?.prices])
    expect(own).toMatchObject([
      ['main', { perImage: 10n ** 16n }],
      ['spare', { perImage: 4n * 10n ** 16n }],
    ])
    expect(model?.media).toMatchObject({ source: 'configured', prices: { perImage: 4n * 10n ** 16n } })
  })

  test('may be trained on where one of them may', () => {
    expect(two.find('painter')?.promptTraining).toBe('may')
  })

  test('is compared by all of them', () => {
    const painter = comparePrices(two, () => false).find(({ id }) => id === 'painter')
    expect(painter).toMatchObject({ upstreams: ['main', 'spare'], lines: [{ kind: 'unit', selling: 48_000_000_000n }] })
  })

  test('leaves out who has no price, or sells something else under that name', () => {
    const speech: MediaTexts = { type: 'speech', per_character: '1' }
    const targets = [
      target('spare', 'b', null),
      target('main', 'a', image('0.01')),
      target('spare', 'c', speech),
    ] as const
    const model = catalogOf('painter', targets).find('painter')
    expect(model).toMatchObject({ upstream: 'main', type: 'image', route: null })
  })

  test('that answers chats at one of them is asked for each there where it is sold', () => {
    const targets = [target('main', 'a', image('0.01')), target('spare', 'b', null, 'priced')] as const
    const model = catalogOf('painter', targets).find('painter')
    expect(model?.route?.targets.map(({ price, media }) => [price === null, media === null])).toEqual([
      [true, false],
      [false, true],
    ])
    expect(model?.price?.list).not.toBeNull()
  })
})

test('a spare may be added to what the first upstream lists', () => {
  const targets = [target('router', 'google/veo-3.1-lite', null), target('spare', 'b', videoOf('0.9'))] as const
  const upstreams = [
    { name: 'router', kind: 'openrouter', reportsCost: true },
    { name: 'spare', kind: 'openai-compatible', reportsCost: false },
  ] as const
  const model = catalogOf('google/veo-3.1-lite', targets, { upstreams: [...upstreams] }).find('google/veo-3.1-lite')
  const own = model?.route?.targets.map(({ upstream, media }) => [upstream, media?.source])
  expect(own).toEqual([
    ['router', 'snapshot'],
    ['spare', 'configured'],
  ])
  // As far as the least trusted list can be trusted, with what the first can do.
  expect(model?.media).toMatchObject({ source: 'snapshot', prices: { perSecond: 9n * 10n ** 17n } })
  expect(model?.media?.facts).toEqual(model?.route?.targets[0]?.media?.facts)
})

test('an alias has all its upstreams for renders, and in production those for chats whose cost is known', () => {
  const targets = [target('main', 'a', image('0.01')), target('spare', 'b', image('0.04'), 'priced')] as const
  const alias = catalogOf('svc-image', targets, { isProduction: true }).find('svc-image')
  expect(alias).toMatchObject({ upstream: 'spare', upstreamModel: 'b' })
  expect(alias?.route?.targets.map(({ price, media }) => [price !== null, media !== null])).toEqual([
    [false, true],
    [true, true],
  ])
  expect(alias?.media).toMatchObject({ prices: { perImage: 4n * 10n ** 16n } })
})
