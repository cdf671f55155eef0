/** One random body for an endpoint: JSON or a form, right ones among them, and ways in which a text is no JSON. */
import { gzipSync } from 'node:zlib'
import type { Random } from '../../packages/server/testing/random.ts'
import type { FuzzTarget, Operation } from './fuzz-target.ts'
import { modelsFor } from './fuzz-models.ts'
import { randomForm } from './random-form.ts'
import { valueFor } from './schema-values.ts'
import { mutate, strangeValue } from './strange-values.ts'

export interface RandomBody {
  /** The content type that fits it; null where there is none. */
  readonly type: string | null
  readonly bytes: Buffer
}

/** Ways in which a text stops being JSON, or becomes JSON that two readers understand differently. */
function spoil(text: string, random: Random): Buffer {
  const at = random.below(text.length + 1)
  const key = random.pick(['model', 'messages', 'stream', 'mod\\u0065l', 'n', 'x'])
  const [before, after] = [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at))]
  switch (random.below(12)) {
    case 0:
      return before
    case 1:
      return Buffer.concat([before, Buffer.from([0xff, 0xc0, 0x80]), after])
    case 2:
      return Buffer.from(`\ufeff${text}`)
    case 3:
      return Buffer.from(text, 'utf16le')
    case 4:
      return Buffer.from(text.replace('{', `{"${key}":${random.pick(['null', '"svc-gpt"', '1', '[]'])},`))
    case 5:
      return Buffer.from(`${text}${text}`)
    case 6:
      return Buffer.from(text.replace(/}$/, ',}'))
    case 7:
      return Buffer.from(`/* */ ${text}`)
    case 8:
      return Buffer.from('['.repeat(random.pick([10, 5_000, 100_000])))
    case 9:
      return Buffer.from(random.pick(['', ' ', 'null', '0', '"a"', '[]', '{}', 'NaN', '{"a":', '\u0000']))
    case 10:
      return gzipSync(text)
    default:
      return Buffer.from(text.replaceAll(':', random.pick([' : ', '\n:\t', '::'])))
  }
}

/** The document's example for one of the models; where nothing else differs, its text does. */
function exampleFor({ id, example, examples = [] }: Operation, random: Random): unknown {
  const text = JSON.stringify(examples.length === 0 ? example : random.pick(examples))
  if (text === undefined) return undefined
  const told = text.replace(/"([A-Z][^"]* [^"]*)"/, `"$1 ${random.below(1_000_000)}"`)
  const value: unknown = JSON.parse(told)
  const models = modelsFor(id)
  return models.length === 0 ? value : { ...Object(value), model: random.pick(models) }
}

/** A request that reaches the upstream, where the endpoint has one. */
function properBody(operation: Operation, example: unknown, random: Random): Buffer {
  const usage = operation.id === 'createChatCompletion' && random.below(2) === 0
  const options = usage ? { stream_options: { include_usage: true } } : {}
  // A field that nobody knows is forwarded or refused, by the dialect.
  const more = random.below(8) === 0 ? { unknown: strangeValue(random) } : {}
  const stream = operation.canStream && random.below(5) < 3 ? { stream: true, ...options } : {}
  return Buffer.from(JSON.stringify({ ...Object(example), ...more, ...stream }))
}

function jsonBody(operation: Operation, target: FuzzTarget, random: Random): Buffer {
  const example = exampleFor(operation, random)
  const isProper = example !== undefined && random.below(5) < 2
  if (isProper) return properBody(operation, example, random)
  const isMade = example === undefined || random.below(3) === 0
  let value = isMade ? valueFor(operation.body ?? {}, { random, resolve: target.resolve }) : example
  const changes = random.pick(example === undefined ? [0, 0, 0, 1, 2] : [0, 0, 1, 1, 2, 5])
  for (let change = 0; change < changes; change++) value = mutate(value, random)
  if (operation.canStream && random.below(4) === 0 && typeof value === 'object' && value !== null) {
    value = { ...value, stream: true, model: random.pick(modelsFor(operation.id), 'svc-gpt') }
  }
  const text = JSON.stringify(value) ?? ''
  return random.below(6) === 0 ? spoil(text, random) : Buffer.from(text)
}

/** Makes one. */
export function randomBody(operation: Operation, target: FuzzTarget, random: Random): RandomBody {
  const { body, form } = operation
  if (body === null && form === null) {
    return random.below(12) === 0
      ? { type: 'application/json', bytes: Buffer.from('{"a":1}') }
      : { type: null, bytes: Buffer.alloc(0) }
  }
  if (form !== null && (body === null || random.below(2) === 0)) {
    const { contentType, bytes } = randomForm(form, {
      random,
      resolve: target.resolve,
      models: modelsFor(operation.id),
    })
    return { type: contentType, bytes }
  }
  return { type: 'application/json', bytes: jsonBody(operation, target, random) }
}
