/** Model lists that an upstream may answer with, of every kind: right ones with places changed, and no lists at all. */
import type { Random } from '../../../packages/server/testing/random.ts'
import { mutate, strangeValue } from '../strange-values.ts'

/** Prices that are none, or that nobody should be sold anything for, or that no balance can hold. */
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

function pricing(random: Random): unknown {
  if (random.below(12) === 0) return strangeValue(random)
  const some: [string, unknown][] = keys.map((key) => [key, random.pick(prices, null)])
  const right: [string, unknown][] = [
    ['prompt', '0.000001'],
    ['completion', '0.000002'],
  ]
  const base = Object.fromEntries(random.below(2) === 0 ? right : some.filter(() => random.below(3) > 0))
  return {
    ...base,
    ...(random.below(5) === 0 ? { discount: random.pick<unknown>(['1', '0.5', '1.5', '-1', ...prices], null) } : {}),
    ...(random.below(4) === 0 ? { overrides: overrides(random) } : {}),
  }
}

function overrides(random: Random): unknown {
  if (random.below(6) === 0) return strangeValue(random)
  return Array.from({ length: random.pick([1, 2, 20, 100, 101]) }, () => ({
    min_prompt_tokens: random.pick<unknown>([0, 1, 1_000, 1e15, -1, 'x', null], null),
    ...(random.below(2) === 0 ? { prompt: random.pick(prices, null), completion: random.pick(prices, null) } : {}),
    ...(random.below(4) === 0 ? { utc_start: random.pick<unknown>(['00:00', 7, null, {}], null) } : {}),
  }))
}

function media(random: Random): object {
  const modality = random.pick([
    'image',
    'video',
    'speech',
    'transcription',
    'text',
    'embeddings',
    'smell',
    '__proto__',
  ])
  const line = () => ({
    billable: random.pick(['output_image', 'input_image', 'input_text', 'x']),
    unit: random.pick(['image', 'token', 'megapixel', 'x']),
    cost_usd: random.pick(prices, null),
    variant: random.pick<unknown>([null, 'low_1k', '__proto__', 'x'.repeat(200)], null),
  })
  return {
    architecture: {
      input_modalities: ['text'],
      output_modalities: random.pick<unknown>([[modality], modality, null], null),
    },
    image_pricing: Array.from({ length: random.below(4) }, line),
    pricing_skus: {
      duration_seconds: random.pick(prices, null),
      cents_per_second_output_480p: random.pick(prices, null),
    },
    supported_durations: random.pick<unknown>([[4, 8], [0], [1e9], 'x', null], null),
    supports_streaming: random.pick<unknown>([true, 'yes', null], null),
  }
}

function row(random: Random, number: number): unknown {
  const id = random.below(3) === 0 ? random.pick(ids, null) : `vendor/model-${number % 40}`
  const made = {
    id,
    name: random.pick(texts, null),
    description: random.pick(texts, null),
    created: random.pick<unknown>([1_700_000_000, -1, 0, 1e300, 1.5, 'x', null], null),
    context_length: random.pick<unknown>([8_192, 0, -1, 1e300, 1, '8192', null], null),
    pricing: pricing(random),
    ...(random.below(4) === 0 ? media(random) : {}),
  }
  return random.below(6) === 0 ? mutate(made, random) : made
}

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

/** One list, as the text of an answer. */
export function hostileList(random: Random): string {
  if (random.below(10) === 0) return random.pick(noLists)
  const rows = Array.from({ length: random.pick([1, 3, 10, 30, 100]) }, (_none, number) => row(random, number))
  const links =
    random.below(6) === 0 ? { links: { next: random.pick<unknown>(['/models?page=2', '//x', 7], null) } } : {}
  // JSON knows numbers that JavaScript does not.
  const text = JSON.stringify(random.below(8) === 0 ? rows : { data: rows, ...links })
  const spelled = random.below(4) === 0 ? text.replaceAll('0.000001', random.pick(['1e999', '-1e999', '1e-999'])) : text
  return random.below(12) === 0 ? spelled.slice(0, random.below(spelled.length)) : spelled
}
