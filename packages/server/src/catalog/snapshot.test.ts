import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readDataFile } from './data-file.ts'
import { loadFeatured } from './featured.ts'
import { loadSnapshot } from './snapshot.ts'

const price = z
  .string()
  .regex(/^\d+(\.\d{1,12})?$/)
  .refine((text) => !/^0(\.0*)?$/.test(text))
const rate = {
  per_input_token: price,
  per_output_token: price,
  per_cached_input_token: price.optional(),
  per_cache_write_token: price.optional(),
}
const tier = z.strictObject({ above_input_tokens: z.int().min(1), ...rate })
const row = {
  id: z.string().regex(/^[\x21-\x7e]+$/),
  name: z.string().min(1),
  input_modalities: z.array(z.string()).min(1),
  output_modalities: z.array(z.string()).min(1),
  context_length: z.int().min(1).nullable(),
  max_output_tokens: z.int().min(1).nullable(),
  source: z.string(),
  estimated: z.boolean().optional(),
  limits: z.looseObject({}).optional(),
}
const textRow = z.strictObject({
  ...row,
  type: z.literal('text'),
  pricing: z.strictObject({
    ...rate,
    per_input_audio_token: price.optional(),
    per_output_audio_token: price.optional(),
    tiers: z.array(tier).optional(),
  }),
})
const mediaRow = z.strictObject({
  ...row,
  type: z.enum(['image', 'video', 'speech', 'transcription']),
  pricing: z.looseObject({ ...z.object(rate).partial().shape, per_output_image_token: price.optional() }),
})
const file = z.object({
  as_of: z.iso.date(),
  sources: z.record(z.string(), z.looseObject({ kind: z.enum(['listed', 'estimated']), what: z.string() })),
  models: z.array(z.union([textRow, mediaRow])),
})

describe('the bundled catalog', () => {
  const catalog = file.parse(readDataFile('catalog.json'))

  test('has 373 models with distinct ids in rising order, each with a source', () => {
    const ids = catalog.models.map((model) => model.id)
    expect(new Set(ids).size).toBe(373)
    expect(ids).toEqual(ids.toSorted((left, right) => (left < right ? -1 : 1)))
    for (const model of catalog.models) expect(catalog.sources).toHaveProperty([model.source])
  })

  test('has tiers in rising order', () => {
    for (const { prices, id } of loadSnapshot().rows) {
      const limits = (prices?.tiers ?? []).map((entry) => entry.aboveInputTokens)
      expect(limits, id).toEqual(limits.toSorted((left, right) => left - right))
    }
  })

  test('has a token price for every model that is sold as a text model', () => {
    const without = loadSnapshot().rows.filter((model) => model.type === 'text' && model.prices === null)
    expect(without).toEqual([])
  })

  test('has no chat price for models that make no text', () => {
    const mute = loadSnapshot().rows.filter((model) => !model.outputModalities.includes('text'))
    expect(mute.filter((model) => model.prices !== null)).toEqual([])
  })
})

test('the rate card has 17 aliases, each of which leads to a model of the bundled catalog', () => {
  const ids = new Set(loadSnapshot().rows.map((model) => model.id))
  const featured = loadFeatured('per_1m')
  expect(featured.length).toBe(17)
  for (const alias of featured) expect(ids).toContain(alias.model)
  expect(featured.filter((alias) => alias.confidential).map((alias) => alias.alias)).toEqual(['svc-llama-tee'])
})
