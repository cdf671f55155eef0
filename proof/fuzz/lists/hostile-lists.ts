/** Model lists that an upstream may answer with, of every kind: right ones with places changed, and no lists at all. */
import fc from 'fast-check'
import { rarely, weighted } from '../draw.ts'
import { changes, strangeValue } from '../strange-values.ts'

/** Prices that are none, or that nothing should be sold for, or that no balance can hold. */
const prices: readonly unknown[] = [
  ...['0', '0.0', '-0', '-1', '-0.000001', 'NaN', 'Infinity', '1e999', '1e-999', '1e-18', '1e-19', '999999', '1e6'],
  ...['', ' ', '0x1', '1,5', '٣', '1e5.5', '--1', 'null', '\u0000', `0.${'0'.repeat(90)}1`, '9'.repeat(2_000)],
  ...[0, -1, 0.000001, 1e-300, 1e300, Number.MAX_SAFE_INTEGER, null, true, [], {}, ['0.1'], { toString: 1 }],
]

const ids: readonly unknown[] = [
  ...['svc-gpt', 'openrouter/x/y', 'x/y', 'X/Y', 'x/y ', '__proto__', 'constructor', 'toString', 'a:free', 'a:batch'],
  ...['~a', '../../etc', 'a\r\nb', '\u0000', '\ud800/x', '😀', 'é', '', ' ', 'a'.repeat(200), 'a'.repeat(201)],
  ...['%2e%2e', '?x=1', '#', 'a/b/c/d', '<script>', '\u001b[31mred', null, 7, {}, []],
]

const texts: readonly unknown[] = [
  ...['A model', '\u001b]0;title\u0007', '\u0000', '\ud800', '\u202egnp.exe', '<img src=x onerror=alert(1)>', ''],
  ...['a'.repeat(199) + '😀', 'x'.repeat(100_000), 7, null, {}],
]

const keys = ['prompt', 'completion', 'input_cache_read', 'input_cache_write', 'request', 'audio', 'image_output']

const price = fc.constantFrom(...prices)

const override = fc
  .record({
    min_prompt_tokens: fc.constantFrom<unknown>(0, 1, 1_000, 1e15, -1, 'x', null),
    rates: rarely(2, fc.record({ prompt: price, completion: price }), {}),
    hours: rarely(4, fc.record({ utc_start: fc.constantFrom<unknown>('00:00', 7, null, {}) }), {}),
  })
  .map(({ rates, hours, ...rest }) => ({ ...rest, ...rates, ...hours }))

const overrides = fc
  .constantFrom(1, 2, 20, 100, 101)
  .chain((length) => fc.array(override, { minLength: length, maxLength: length }))

const rates = fc.oneof(
  fc.constant({ prompt: '0.000001', completion: '0.000002' }),
  fc.record(Object.fromEntries(keys.map((key) => [key, price])), { requiredKeys: [] }),
)

const pricing = rarely(12, strangeValue, null).chain((strange) =>
  strange !== null
    ? fc.constant(strange)
    : fc
        .tuple(
          rates,
          rarely(5, fc.record({ discount: fc.constantFrom<unknown>('1', '0.5', '1.5', '-1', ...prices) }), {}),
          rarely(4, fc.record({ overrides: weighted([5, overrides], [1, strangeValue]) }), {}),
        )
        .map((parts): unknown => Object.assign({}, ...parts)),
)

const modality = fc.constantFrom(
  ...['image', 'video', 'speech', 'transcription', 'text', 'embeddings', 'smell', '__proto__'],
)

const media = fc.record({
  architecture: fc.record({
    input_modalities: fc.constant(['text']),
    output_modalities: fc.oneof(modality, fc.constant(null), fc.tuple(modality)),
  }),
  image_pricing: fc.array(
    fc.record({
      billable: fc.constantFrom('output_image', 'input_image', 'input_text', 'x'),
      unit: fc.constantFrom('image', 'token', 'megapixel', 'x'),
      cost_usd: price,
      variant: fc.constantFrom<unknown>(null, 'low_1k', '__proto__', 'x'.repeat(200)),
    }),
    { maxLength: 3 },
  ),
  pricing_skus: fc.record({ duration_seconds: price, cents_per_second_output_480p: price }),
  supported_durations: fc.constantFrom<unknown>([4, 8], [0], [1e9], 'x', null),
  supports_streaming: fc.constantFrom<unknown>(true, 'yes', null),
})

const usualId = fc.nat(39).map((number): unknown => `vendor/model-${number}`)

const row = fc
  .record({
    model: fc.record({
      id: weighted([2, usualId], [1, fc.constantFrom(...ids)]),
      name: fc.constantFrom(...texts),
      description: fc.constantFrom(...texts),
      created: fc.constantFrom<unknown>(1_700_000_000, -1, 0, 1e300, 1.5, 'x', null),
      context_length: fc.constantFrom<unknown>(8_192, 0, -1, 1e300, 1, '8192', null),
      pricing,
    }),
    more: rarely(4, media, {}),
    change: rarely(6, changes(1), (same: unknown) => same),
  })
  .map(({ model, more, change }) => change({ ...model, ...more }))

const noLists = [
  '',
  '<html>',
  'null',
  '7',
  '"x"',
  '{}',
  '{"data":{}}',
  '{"data":null}',
  '{"data":[]}',
  '[[[',
  '[1,2',
  '\u0000',
]

const links = fc.record({ links: fc.record({ next: fc.constantFrom<unknown>('/models?page=2', '//x', 7, null) }) })

const list = fc
  .record({
    rows: fc.constantFrom(1, 3, 10, 30, 100).chain((length) => fc.array(row, { minLength: length, maxLength: length })),
    links: rarely(6, links, {}),
    isBare: rarely(8, fc.constant(true), false),
    // JSON knows numbers that JavaScript does not.
    number: rarely(4, fc.constantFrom('1e999', '-1e999', '1e-999'), '0.000001'),
    cut: rarely(12, fc.nat(9_999), 10_000),
  })
  .map(({ rows, links: more, isBare, number, cut }) => {
    const text = JSON.stringify(isBare ? rows : { data: rows, ...more }).replaceAll('0.000001', number)
    return text.slice(0, Math.ceil((text.length * cut) / 10_000))
  })

/** Lists as the text of an answer. */
export const hostileList: fc.Arbitrary<string> = weighted([9, list], [1, fc.constantFrom(...noLists)])
