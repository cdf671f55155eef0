/** Random bodies for an endpoint: JSON or a form, right ones among them, and ways in which a text is no JSON. */
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { nth, oneIn, rarely, weighted } from './draw.ts'
import type { FuzzTarget, Operation } from './fuzz-target.ts'
import { modelsFor } from './fuzz-models.ts'
import { randomForm } from './random-form.ts'
import { valueFor } from './schema-values.ts'
import { changes, strangeValue } from './strange-values.ts'

export interface RandomBody {
  /** The content type that fits it; null where there is none. */
  readonly type: string | null
  readonly bytes: Buffer
}

const KEYS = ['model', 'messages', 'stream', 'mod\\u0065l', 'n', 'x']
const OTHER_TEXTS = ['', ' ', 'null', '0', '"a"', '[]', '{}', 'NaN', '{"a":', '\u0000']
const NO_UTF8 = Buffer.from([0xff, 0xc0, 0x80])

/** Makes a text no JSON any more, or JSON that two readers understand differently, at a place in it. */
const spoil = fc.constantFrom<((text: string, at: number) => string | Buffer)[]>(
  (text, at) => text.slice(0, at),
  (text, at) => Buffer.concat([Buffer.from(text.slice(0, at)), NO_UTF8, Buffer.from(text.slice(at))]),
  (text) => `\ufeff${text}`,
  (text) => Buffer.from(text, 'utf16le'),
  (text, at) => text.replace('{', `{"${nth(KEYS, at)}":${nth(['null', '"svc-gpt"', '1', '[]'], at)},`),
  (text) => `${text}${text}`,
  (text) => text.replace(/}$/, ',}'),
  (text) => `/* */ ${text}`,
  (_text, at) => '['.repeat(nth([10, 5_000, 100_000], at)),
  (_text, at) => nth(OTHER_TEXTS, at),
  (text) => gzipSync(text),
  (text, at) => text.replaceAll(':', nth([' : ', '\n:\t', '::'], at)),
)

/** The document's example for one of the models; where nothing else differs, its text does. Null without one. */
function exampleFor({ id, example, examples = [] }: Operation): fc.Arbitrary<object> | null {
  const all = examples.length === 0 ? [example] : examples
  if (all[0] === undefined) return null
  const models = modelsFor(id)
  return fc
    .tuple(fc.constantFrom(...all), fc.nat(999_999), fc.constantFrom(...(models.length === 0 ? [null] : models)))
    .map(([chosen, number, model]) => {
      const told = JSON.stringify(chosen).replace(/"([A-Z][^"]* [^"]*)"/, `"$1 ${number}"`)
      return { ...Object(JSON.parse(told)), ...(model === null ? {} : { model }) }
    })
}

/** A request that reaches the upstream, where the endpoint has one. */
function properBody({ id, canStream }: Operation, example: fc.Arbitrary<object>): fc.Arbitrary<Buffer> {
  const usage = id === 'createChatCompletion' ? [{}, { stream_options: { include_usage: true } }] : [{}]
  const streamed = fc.constantFrom(...usage).map((options) => ({ stream: true, ...options }))
  const stream = canStream ? weighted([2, fc.constant({})], [3, streamed]) : fc.constant({})
  // An unknown field is forwarded or refused, by the dialect.
  const more = rarely(
    8,
    strangeValue.map((unknown) => ({ unknown })),
    {},
  )
  return fc.tuple(example, more, stream).map((parts) => Buffer.from(JSON.stringify(Object.assign({}, ...parts))))
}

/** An example or a made value with changes, and now and then its text spoilt. */
function changedBody(
  operation: Operation,
  target: FuzzTarget,
  example: fc.Arbitrary<object> | null,
): fc.Arbitrary<Buffer> {
  const made = valueFor(operation.body ?? {}, target.resolve)
  const value = example === null ? made : weighted([2, example as fc.Arbitrary<unknown>], [1, made])
  const models = fc.constantFrom('svc-gpt', ...modelsFor(operation.id))
  const stream = models.map((model): object | null => ({ stream: true, model }))
  return fc
    .record({
      value,
      change: example === null ? rarely(2, changes(2), (same: unknown) => same) : changes(4),
      stream: operation.canStream ? rarely(4, stream, null) : fc.constant(null),
      spoil: rarely(6, spoil, null),
      at: fc.nat(999_999),
    })
    .map((made) => {
      const before = made.change(made.value)
      const isObject = typeof before === 'object' && before !== null
      const text = JSON.stringify(isObject && made.stream !== null ? { ...before, ...made.stream } : before) ?? ''
      return Buffer.from(made.spoil === null ? text : made.spoil(text, made.at % (text.length + 1)))
    })
}

function jsonBody(operation: Operation, target: FuzzTarget): fc.Arbitrary<RandomBody> {
  const example = exampleFor(operation)
  const changed = changedBody(operation, target, example)
  const bytes = example === null ? changed : weighted([2, properBody(operation, example)], [3, changed])
  return bytes.map((each) => ({ type: 'application/json', bytes: each }))
}

/** Bodies of an operation. */
export function randomBody(operation: Operation, target: FuzzTarget): fc.Arbitrary<RandomBody> {
  const { id, body, form } = operation
  const json = jsonBody(operation, target)
  if (form !== null) {
    const made = randomForm(form, { resolve: target.resolve, models: modelsFor(id) })
    return body === null ? made : fc.oneof(json, made)
  }
  if (body !== null) return json
  return oneIn(12).map((isSent) =>
    isSent ? { type: 'application/json', bytes: Buffer.from('{"a":1}') } : { type: null, bytes: Buffer.alloc(0) },
  )
}
