/** Quotes as texts that their callers keep. */
import { nanocreditsOf, type UsageType } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { buildCatalog } from '../catalog/build-catalog.ts'
import { catalogConfigFrom } from '../catalog/catalog-config.ts'
import { loadFeatured } from '../catalog/featured.ts'
import { type Model, offeringsOf } from '../catalog/model.ts'
import { loadSnapshot } from '../catalog/snapshot.ts'
import type { Quote } from './quote.ts'
import { createQuoteSeal, QUOTE_FORM } from './sealed-quote.ts'

const { catalog } = buildCatalog(
  { featured: loadFeatured('per_1m'), snapshot: loadSnapshot(), findScripted: () => null },
  catalogConfigFrom({
    ...{ catalogPrefix: null, rateCardUnit: 'per_1m', routes: new Map(), prices: new Map(), defaultPrice: null },
    ...{ upstreams: [{ name: 'main', kind: 'openrouter', reportsCost: true }], isProduction: false },
  }),
  null,
)

const PEPPER = 'a pepper of a test gateway'
const seal = createQuoteSeal([{ version: 1, secret: PEPPER }])

function quoteOf(model: Model): Quote {
  const { id, contextLength, maxOutputTokens } = model
  return {
    ...{ type: 'chat' satisfies UsageType, model: id, contextLength, maxOutputTokens },
    ...{ most: nanocreditsOf(123_456_789_012n), fixed: nanocreditsOf(12n), expiresAt: 1_795_813_200_000 },
    targets: offeringsOf(model).map(({ media, upstream, upstreamModel, price }) => ({
      ...{ upstream, upstreamModel, price },
      media: media?.prices ?? null,
    })),
  }
}

describe('a sealed quote', () => {
  test('of every model of the bundled catalog says all of it again, and fits in a header', () => {
    const lengths = catalog.list().map((model) => {
      const quote = quoteOf(model)
      const text = seal.seal('key-1', quote)
      expect(seal.open('key-1', text)).toEqual(quote)
      expect(text).toMatch(QUOTE_FORM)
      return text.length
    })
    expect(lengths.length).toBeGreaterThan(300)
    expect(Math.max(...lengths)).toBeLessThan(1_024)
  })

  test('opens for its key and in its deployment alone, as it was made', () => {
    const quote = quoteOf(catalog.list()[0] as Model)
    const text = seal.seal('key-1', quote)
    expect(seal.open('key-2', text)).toBeNull()
    expect(createQuoteSeal([{ version: 1, secret: 'another pepper' }]).open('key-1', text)).toBeNull()
    const rotated = createQuoteSeal([
      { version: 2, secret: 'a newer pepper' },
      { version: 1, secret: PEPPER },
    ])
    expect(rotated.open('key-1', text)).toEqual(quote)
    for (let at = 'quote_'.length; at < text.length; at += 7) {
      const other = text[at] === 'A' ? 'B' : 'A'
      expect(seal.open('key-1', `${text.slice(0, at)}${other}${text.slice(at + 1)}`)).toBeNull()
    }
    for (let length = 'quote_'.length; length < text.length; length += 11) {
      expect(seal.open('key-1', text.slice(0, length))).toBeNull()
    }
  })
})
