import { describe, expect, test } from 'vitest'
import { formatUsd } from '../pricing/usd.ts'
import { buildCatalog, type CatalogSources } from './build-catalog.ts'
import { catalogConfigFrom, type CatalogSettings } from './catalog-config.ts'
import type { CatalogList } from './catalog-row.ts'
import { loadFeatured } from './featured.ts'
import { parseLiveList } from './live-list.ts'
import type { Model } from './model.ts'
import { loadSnapshot } from './snapshot.ts'

const sources: CatalogSources = {
  featured: loadFeatured('per_1m'),
  snapshot: loadSnapshot(),
  findScripted: () => null,
}

function catalogOf(kind: 'sandbox' | 'openrouter' | 'openai-compatible', more: Partial<CatalogSettings> = {}) {
  const settings: CatalogSettings = {
    catalogPrefix: null,
    rateCardUnit: 'per_1m',
    upstreams: [{ name: 'main', kind, reportsCost: kind !== 'openai-compatible' }],
    routes: new Map(),
    prices: new Map(),
    defaultPrice: null,
    isProduction: false,
    ...more,
  }
  return (rows: readonly object[] | null) => {
    const parsed = rows === null ? null : parseLiveList({ data: rows })
    const list: CatalogList | null =
      parsed === null ? null : { rows: parsed.rows, source: 'live', updatedAt: 1_790_000_000_000 }
    return buildCatalog(sources, catalogConfigFrom(settings), list).catalog
  }
}

function imageRow(id: string, more: object = {}) {
  return {
    id,
    architecture: { input_modalities: ['text'], output_modalities: ['image'] },
    pricing: { prompt: '0', completion: '0' },
    ...more,
  }
}

function imageOffer(model: Model | null) {
  if (model?.media?.type !== 'image') throw new Error('no offer of images')
  return model.media
}

describe('the bundled list', () => {
  const catalog = catalogOf('sandbox')(null)

  test('prices every model of media, and each by its kind', () => {
    const models = catalog.list().filter((model) => !model.featured && model.type !== 'text')
    const byType = Map.groupBy(models, (model) => model.media?.type)
    expect([...byType].map(([type, { length }]) => [type, length]).sort()).toEqual([
      ['image', 70],
      ['speech', 4],
      ['transcription', 3],
      ['video', 10],
    ])
    for (const model of models) expect(model.media).toMatchObject({ type: model.type, source: 'snapshot' })
  })

  test('keeps variants, extras and limits', () => {
    const recraft = imageOffer(catalog.find('recraft/recraft-v4-styles'))
    expect(formatUsd(recraft.prices.perRequest ?? recraft.prices.perImage)).toBe('0.005')
    expect(recraft.facts).toMatchObject({ countMax: 6, inputImagesMin: 1, inputImagesMax: 10 })
    const grok = imageOffer(catalog.find('x-ai/grok-imagine-image-2.0'))
    expect(grok.prices.variants).toHaveLength(4)
    expect(grok.prices.variants[0]).toMatchObject({ quality: 'low', resolution: '1K', size: null })
    expect(imageOffer(catalog.find('krea/k3-edit')).isGuess).toBe(true)
  })

  test('sells one voice by bytes, the others by characters', () => {
    const units = catalog.list().flatMap(({ media }) => (media?.type === 'speech' ? [media.prices.unit] : []))
    expect(units.toSorted()).toEqual(['byte', 'character', 'character', 'character'])
  })

  test('sells the image alias both ways: the card in chat, renders as its target', () => {
    const alias = catalog.find('svc-image')
    expect(alias?.price?.card).not.toBeNull()
    expect(formatUsd(imageOffer(alias).prices.perImage)).toBe('0.0387')
  })
})

describe("OpenRouter's lists", () => {
  const build = catalogOf('openrouter')
  const line = (cost: number, more: object = {}) => ({
    billable: 'output_image',
    unit: 'image',
    cost_usd: cost,
    ...more,
  })

  test('price images by tier and quality, the dearest provider counting', () => {
    const image_pricing = [
      line(0.03, { variant: '1k' }),
      line(0.04, { variant: '1k' }),
      line(0.09, { variant: 'medium_2k' }),
      { billable: 'input_image', unit: 'image', cost_usd: 0.003 },
      { billable: 'input_text', unit: 'token', cost_usd: 0.000005 },
    ]
    const image_parameters = {
      n: { type: 'range', min: 1, max: 6 },
      input_references: { type: 'range', min: 0, max: 4 },
    }
    const offer = imageOffer(build([imageRow('new/painter', { image_pricing, image_parameters })]).find('new/painter'))
    expect(offer).toMatchObject({ source: 'live', isGuess: false, facts: { countMax: 6, inputImagesMax: 4 } })
    expect(
      offer.prices.variants.map((variant) => [variant.resolution, variant.quality, formatUsd(variant.perImage)]),
    ).toEqual([
      ['1K', null, '0.04'],
      ['2K', 'medium', '0.09'],
    ])
    expect(offer.prices.perInputImage).toBe(3_000_000_000_000_000n)
  })

  test('price megapixels one by one, and tokens by a guess', () => {
    const catalog = build([
      imageRow('new/by-area', { image_pricing: [line(0.014, { unit: 'megapixel' })] }),
      imageRow('new/by-token', { image_pricing: [line(0.00003, { unit: 'token' })] }),
    ])
    const byArea = imageOffer(catalog.find('new/by-area'))
    expect(byArea.prices.variants).toHaveLength(9)
    expect(byArea.prices.variants[1]).toMatchObject({ size: '2MP', perImage: 28_000_000_000_000_000n })
    expect(imageOffer(catalog.find('new/by-token'))).toMatchObject({ isGuess: true })
  })

  test('leave a price that they do not state to the bundled list, and sell nothing that has none', () => {
    const catalog = build([imageRow('recraft/recraft-v3'), imageRow('new/unpriced')])
    expect(imageOffer(catalog.find('recraft/recraft-v3')).source).toBe('snapshot')
    expect(catalog.find('new/unpriced')).toBeNull()
  })

  test.each<[string, Record<string, string>, string, unknown]>([
    ['dollars', { duration_seconds: '0.084', duration_seconds_with_audio: '0.126' }, '0.084', { audio: true }],
    [
      'cents',
      { cents_per_video_output_second_480p: '5', cents_per_second_output: '7' },
      '0.07',
      { resolution: '480p' },
    ],
    ['a tier', { duration_seconds_with_audio_1080p: '0.12', duration_seconds: '0.1' }, '0.1', { resolution: '1080p' }],
  ])('price a second of video in %s', (_name, pricing_skus, perSecond, variant) => {
    const row = { ...imageRow('new/video'), architecture: { output_modalities: ['video'] }, pricing_skus }
    const media = build([row]).find('new/video')?.media
    if (media?.type !== 'video') throw new Error('no offer of videos')
    expect(formatUsd(media.prices.perSecond)).toBe(perSecond)
    expect(media.prices.variants).toContainEqual(expect.objectContaining(variant))
  })

  test('sell no video whose price is in an unknown unit', () => {
    const row = {
      ...imageRow('new/video'),
      architecture: { output_modalities: ['video'] },
      pricing_skus: { video_tokens: '0.000007' },
    }
    expect(build([row]).find('new/video')).toBeNull()
  })
})

describe('configured prices', () => {
  const image = { type: 'image', per_image: '0.02' } as const

  test('make a model of media of what a plain list calls a model', () => {
    const build = catalogOf('openai-compatible', {
      mediaPrices: new Map([['painter', image]]),
      defaultPrice: { input: '1', output: '1' },
    })
    const catalog = build([{ id: 'painter' }, { id: 'talker' }])
    expect(catalog.find('painter')).toMatchObject({ type: 'image', price: null, media: { source: 'configured' } })
    expect(catalog.find('talker')).toMatchObject({ type: 'text', media: null })
  })

  test('go before every list, and those of a route before all', () => {
    const upstreams: CatalogSettings['upstreams'] = [
      { name: 'main', kind: 'openrouter', reportsCost: true },
      { name: 'other', kind: 'openai-compatible', reportsCost: false },
    ]
    const mediaPrice = { ...image, per_image: '0.05' }
    const catalog = catalogOf('openrouter', {
      upstreams,
      mediaPrices: new Map([['recraft/recraft-v3', image]]),
      routes: new Map([['recraft/recraft-v4', { upstream: 'other', model: 'v4', price: null, mediaPrice }]]),
    })([imageRow('recraft/recraft-v3'), imageRow('recraft/recraft-v4')])
    expect(formatUsd(imageOffer(catalog.find('recraft/recraft-v3')).prices.perImage)).toBe('0.02')
    expect(formatUsd(imageOffer(catalog.find('recraft/recraft-v4')).prices.perImage)).toBe('0.05')
  })

  test('are needed where the upstream is not one that the bundled list is about', () => {
    const upstreams: CatalogSettings['upstreams'] = [
      { name: 'main', kind: 'openrouter', reportsCost: true },
      { name: 'other', kind: 'openai-compatible', reportsCost: false },
    ]
    const catalog = catalogOf('openrouter', {
      upstreams,
      routes: new Map([['recraft/recraft-v4', { upstream: 'other', model: null, price: null }]]),
    })([imageRow('recraft/recraft-v4')])
    expect(catalog.find('recraft/recraft-v4')).toBeNull()
  })

  test('read a minute as sixty seconds', () => {
    const whisper = { type: 'transcription', per_minute: '0.006' } as const
    const catalog = catalogOf('openai-compatible', { mediaPrices: new Map([['whisper-1', whisper]]) })(null)
    const media = catalog.find('whisper-1')?.media
    if (media?.type !== 'transcription') throw new Error('no offer of transcription')
    expect(formatUsd(media.prices.perSecond)).toBe('0.0001')
  })
})
