import { describe, expect, test } from 'vitest'
import type { CatalogRow } from './catalog-row.ts'
import { parseLiveList } from './live-list.ts'
import { parseListPrices } from './live-prices.ts'

const pricing = { prompt: '0.000001', completion: '0.000002' }
const rowsOf = (...data: readonly unknown[]): readonly CatalogRow[] => parseLiveList({ data })?.rows ?? []
const skippedOf = (...data: readonly unknown[]) => parseLiveList({ data })?.skipped ?? []

describe('a list of models', () => {
  test('gives what OpenRouter says about a model', () => {
    const [row] = rowsOf({
      id: 'vendor/model',
      name: 'Vendor: Model',
      created: 1_700_000_000,
      description: 'A model.',
      context_length: 200_000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'X' },
      top_provider: { context_length: 200_000, max_completion_tokens: 64_000, is_moderated: false },
      supported_parameters: ['tools'],
      pricing: { ...pricing, input_cache_read: '0.0000001', image: '0', web_search: '0.01', request: '0' },
    })
    expect(row).toEqual({
      id: 'vendor/model',
      type: 'text',
      name: 'Vendor: Model',
      description: 'A model.',
      created: 1_700_000_000,
      contextLength: 200_000,
      maxOutputTokens: 64_000,
      inputModalities: ['text', 'image'],
      outputModalities: ['text'],
      supportedParameters: ['tools'],
      media: null,
      prices: {
        input: 1_000_000_000_000n,
        output: 2_000_000_000_000n,
        cachedInput: 100_000_000_000n,
        cacheWrite: null,
        cacheWriteLong: null,
        request: null,
        audioInput: null,
        audioOutput: null,
        imageOutput: null,
        tiers: [],
      },
    })
  })

  test("gives the little that OpenAI's form says, and the window where a server adds it", () => {
    expect(
      rowsOf({ id: 'a', object: 'model', created: 5, owned_by: 'x' }, { id: 'b', max_model_len: 8_192 }),
    ).toMatchObject([
      { id: 'a', created: 5, contextLength: null, prices: null },
      { id: 'b', created: 0, contextLength: 8_192 },
    ])
  })

  test('counts one search where a model takes options for it, and so makes it with each request', () => {
    const [searching, other] = rowsOf(
      {
        ...{ id: 'v/sonar', supported_parameters: ['max_tokens', 'web_search_options'] },
        pricing: { ...pricing, request: '0.001', web_search: '0.005' },
      },
      {
        id: 'v/other',
        supported_parameters: ['tools'],
        pricing: { ...pricing, request: '0.001', web_search: '0.005' },
      },
    )
    expect([searching?.prices?.request, other?.prices?.request]).toEqual([
      6_000_000_000_000_000n,
      1_000_000_000_000_000n,
    ])
  })

  test('may be the array alone', () => {
    expect(parseLiveList([{ id: 'a' }])?.rows.length).toBe(1)
  })

  test.each([null, 'x', 5, {}, { data: 'x' }, { data: [], links: { next: '/models?offset=100' } }])(
    'is refused as %j',
    (list) => {
      expect(parseLiveList(list)).toBeNull()
    },
  )

  test('loses its odd rows one by one, and says why', () => {
    const data = [
      null,
      { id: 5 },
      { id: 'has space' },
      { id: 'v/m:batch', pricing },
      { id: 'v/m:free', pricing },
      { id: '~v/m-latest', pricing },
      { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
      { id: 'v/zero', pricing: { prompt: '0', completion: '0.000' } },
      { id: 'v/odd', pricing: { prompt: 'cheap', completion: '1' } },
      { id: 'v/smell', pricing, architecture: { output_modalities: ['smell'] } },
      { id: 'v/good', pricing },
      { id: 'v/good', pricing },
    ]
    expect(rowsOf(...data).map((row) => row.id)).toEqual(['v/good'])
    expect(skippedOf(...data).map((row) => row.reason)).toEqual([
      'not a model',
      'not a model',
      'not a model',
      'variant',
      'variant',
      'variant',
      'router',
      'router',
      'odd price',
      'no text or media',
      'repeated',
    ])
  })

  test('keeps a row whose unimportant fields are odd', () => {
    const odd = {
      id: 'v/m',
      name: 7,
      created: 'x',
      context_length: -1,
      architecture: [],
      supported_parameters: {},
      pricing,
    }
    expect(rowsOf(odd)).toMatchObject([{ id: 'v/m', name: 'v/m', created: 0, contextLength: null, type: 'text' }])
  })

  test('knows what a model makes', () => {
    const made = (...output_modalities: string[]) =>
      rowsOf({ id: 'm', architecture: { output_modalities }, pricing })[0]
    expect(made('image', 'text')).toMatchObject({ type: 'image', prices: { input: 1_000_000_000_000n } })
    expect(made('text', 'audio')).toMatchObject({ type: 'text' })
    expect(made('video')).toMatchObject({ type: 'video', prices: null })
    expect(made('embeddings')).toMatchObject({ type: 'embedding', prices: { input: 1_000_000_000_000n } })
  })

  test('sells vectors by the prompt alone, and knows them by their name where it says nothing else', () => {
    const prompt = { prompt: '0.000001' }
    expect(rowsOf({ id: 'm', architecture: { output_modalities: ['embeddings'] }, pricing: prompt })).toMatchObject([
      { type: 'embedding', prices: { input: 1_000_000_000_000n, output: 0n } },
    ])
    const named = ['text-embedding-3-small', 'nomic-embed-text', 'v/embed-v4', 'embedded-chat', 'gpt-6']
    const types = ['embedding', 'embedding', 'embedding', 'text', 'text']
    expect(rowsOf(...named.map((id) => ({ id }))).map(({ type }) => type)).toEqual(types)
  })

  test('can be read again from what it gives back', () => {
    const first = parseLiveList({ data: [{ id: 'v/m', pricing, context_length: 5, extra: 'x' }, { id: 'n' }] })
    const again = parseLiveList(JSON.parse(JSON.stringify(first?.source)))
    expect(again?.rows).toEqual(first?.rows)
  })
})

describe('prices of a list', () => {
  const prices = (source: Record<string, unknown>) => {
    const read = parseListPrices({ ...pricing, ...source })
    if (typeof read === 'string') throw new Error(read)
    return read
  }

  test('become tiers where the prompt overrides them, later entries winning per key', () => {
    const overrides = [
      { min_prompt_tokens: 200_000, prompt: '0.000004' },
      { min_prompt_tokens: 100_000, prompt: '0.000003', completion: '0.000009' },
      { min_prompt_tokens: 200_000, completion: '0.00001' },
    ]
    expect(prices({ overrides }).tiers).toMatchObject([
      { aboveInputTokens: 100_000, input: 3_000_000_000_000n, output: 9_000_000_000_000n },
      { aboveInputTokens: 200_000, input: 3_000_000_000_000n, output: 10_000_000_000_000n },
    ])
  })

  test('keep the cache price of the base in a tier that does not name one', () => {
    const overrides = [{ min_prompt_tokens: 10, prompt: '0.000004' }]
    expect(prices({ input_cache_read: '0.0000001', overrides }).tiers).toMatchObject([
      { cachedInput: 100_000_000_000n },
    ])
  })

  test('that hold at some hours only count where they are dearer', () => {
    const night = { utc_start: 2300, utc_end: 500, prompt: '0.0000001' }
    const day = { utc_start: 500, utc_end: 2300, completion: '0.00001' }
    expect(prices({ overrides: [night, day] })).toMatchObject({
      input: 1_000_000_000_000n,
      output: 10_000_000_000_000n,
      tiers: [],
    })
  })

  test('that make a model free, by itself, by a discount or from some length on, sell nothing', () => {
    const free = { min_prompt_tokens: 1_000, prompt: '0', completion: '0' }
    const cached = { prompt: '0', completion: '0', input_cache_read: '1' }
    for (const more of [
      { prompt: '0', completion: '0' },
      cached,
      { discount: '1' },
      { discount: 1 },
      { overrides: [free] },
    ]) {
      expect(parseListPrices({ ...pricing, ...more })).toBe('router')
    }
    expect(parseListPrices({ ...pricing, overrides: Array.from({ length: 21 }, () => free) })).toBe('odd')
  })

  test('that are no numbers spoil their row alone', () => {
    for (const price of [{ toString: 1 }, [], ['0.1'], true, 'NaN', '1e999', Infinity, '\0']) {
      const odd = { id: 'odd', pricing: { ...pricing, prompt: price } }
      expect(rowsOf(odd, { id: 'audio', pricing }).map(({ id }) => id)).toEqual(['audio'])
    }
  })

  test('are less by their discount, rounded up', () => {
    expect(prices({ discount: 0.25 })).toMatchObject({ input: 750_000_000_000n, output: 1_500_000_000_000n })
    expect(prices({ prompt: '0.000000000000000001', discount: 0.5 }).input).toBe(1n)
  })

  test('may be numbers with exponents', () => {
    expect(prices({ prompt: 1e-7 }).input).toBe(100_000_000_000n)
  })

  test.each([
    [{ prompt: undefined }, 'unknown'],
    [{ prompt: 'x' }, 'odd'],
    [{ input_cache_read: {} }, 'odd'],
    [{ discount: 2 }, 'odd'],
    [{ overrides: 'x' }, 'odd'],
    [{ overrides: [{ min_prompt_tokens: 5, prompt: '-3' }] }, 'odd'],
    [{ completion: '-1' }, 'router'],
  ])('%j are %s', (source, reading) => {
    expect(parseListPrices({ ...pricing, ...source })).toBe(reading)
  })
})
