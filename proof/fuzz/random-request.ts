/** One random request to an endpoint, as the bytes that go over the connection. */
import { gzipSync } from 'node:zlib'
import type { Random } from '../../packages/server/testing/random.ts'
import type { FuzzTarget, Operation, Parameter } from './fuzz-target.ts'
import { valueFor } from './schema-values.ts'
import { mutate, strangeValue } from './strange-values.ts'

export interface RandomRequest {
  readonly bytes: Buffer
  readonly toHead: boolean
  /** The connection may end without an answer: the server need not read so much. */
  readonly mayBeCut: boolean
  /** For people: what was sent. */
  readonly summary: string
}

export interface RequestDeps {
  readonly random: Random
  readonly target: FuzzTarget
  readonly rawKey: string
  /** Bodies above this are refused before they are read. */
  readonly bodyBytesMax: number
}

function printable(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value) ?? ''
}

/** Percent-encodes, or does it wrongly. Nothing here may end the request line. */
function encode(text: string, random: Random): string {
  const encoded = encodeURIComponent(text.toWellFormed()).slice(0, 3_000)
  if (random.below(6) > 0) return encoded
  return encoded + random.pick(['%', '%zz', '%00', '%c0%af', '%2F..%2f', '%0d%0ax-injected:1', ';a=b', '%25', '%ff'])
}

function pathOf(operation: Operation, { random, target }: RequestDeps): string {
  const context = { random, resolve: target.resolve }
  const known = ['svc-gpt', 'openrouter%2Fopenai%2Fgpt-6-astra', 'svc-gpt/', '0195c1a0-0000-7000-8000-000000000000']
  return operation.path.replaceAll(/\{\w+\}/g, () => {
    if (random.below(3) === 0) return random.pick(known)
    const value = random.below(2) === 0 ? strangeValue(random) : valueFor({ type: 'string' }, context)
    // Without a value it would be another endpoint's address.
    return encode(printable(value), random) || 'x'
  })
}

function queryOf(parameters: readonly Parameter[], { random, target }: RequestDeps): string {
  const context = { random, resolve: target.resolve }
  const pairs = parameters
    .filter(({ in: place }) => place === 'query' && random.below(2) === 0)
    .map(({ name, schema }) => {
      const value = random.below(3) === 0 ? strangeValue(random) : valueFor(schema, context)
      return `${name}=${encode(printable(value), random)}`
    })
  if (random.below(6) === 0)
    pairs.push(random.pick(['a', '=', '&&', 'limit=1&limit=2', 'limit[]=1', '%', 'x=%zz', '?']))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function headersOf(operation: Operation, { random, rawKey }: RequestDeps): string[] {
  const headers = ['host: localhost']
  const flipped = `${rawKey.slice(0, -1)}${rawKey.endsWith('A') ? 'B' : 'A'}`
  const wrong = [
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    `Bearer ${flipped}`,
    `Bearer  ${rawKey} x`,
    'sk-svc-1',
    'Bearer \u00e9',
  ]
  const right = random.pick([`Bearer ${rawKey}`, `Bearer ${rawKey}`, `bearer ${rawKey}`])
  if (random.below(12) > 0) headers.push(`authorization: ${random.below(15) === 0 ? random.pick(wrong) : right}`)
  if (random.below(10) === 0) headers.push(`accept: ${random.pick(['*/*', 'text/event-stream', 'image/png', 'x'])}`)
  if (random.below(15) === 0) headers.push(`x-request-id: ${random.pick(['abc', 'a'.repeat(500), "'", '0'])}`)
  if (random.below(15) === 0) headers.push(`origin: ${random.pick(['null', 'https://a.example', 'x'])}`)
  if (random.below(20) === 0) headers.push(`x-forwarded-for: ${random.pick(['1.2.3.4', '::1', 'x', ','.repeat(50)])}`)
  if (random.below(20) === 0) headers.push('expect: 100-continue')
  if (random.below(20) === 0) headers.push('connection: close')
  if (operation.body === null && random.below(10) > 0) return headers
  const types = [
    'application/json; charset=utf-8',
    'application/json;charset=latin1',
    'text/plain',
    '',
    '/',
    'application/xml',
  ]
  const type = random.below(12) === 0 ? random.pick(types) : 'application/json'
  if (random.below(20) > 0) headers.push(`content-type: ${type}`)
  return headers
}

/** Ways in which a text stops being JSON, or becomes JSON that two readers understand differently. */
function spoil(text: string, random: Random): Buffer {
  const at = random.below(text.length + 1)
  const key = random.pick(['model', 'messages', 'stream', 'mod\\u0065l', 'n', 'x'])
  switch (random.below(12)) {
    case 0:
      return Buffer.from(text.slice(0, at))
    case 1:
      return Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([0xff, 0xc0, 0x80]),
        Buffer.from(text.slice(at)),
      ])
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

/** A request that reaches the upstream, where the endpoint has one: the document's own example. */
function properBody(example: object, random: Random): Buffer {
  const usage = random.below(2) === 0 ? { stream_options: { include_usage: true } } : {}
  const more = random.below(3) === 0 ? { unknown: strangeValue(random) } : {}
  return Buffer.from(
    JSON.stringify({ ...example, ...more, ...(random.below(3) > 0 ? { stream: true, ...usage } : {}) }),
  )
}

function bodyOf(operation: Operation, { random, target }: RequestDeps): Buffer {
  if (operation.body === null) return random.below(12) === 0 ? Buffer.from('{"a":1}') : Buffer.alloc(0)
  if (random.below(5) < 2) return properBody(Object(operation.example), random)
  let value = random.below(3) === 0 ? valueFor(operation.body, { random, resolve: target.resolve }) : operation.example
  for (let changes = random.pick([0, 0, 1, 1, 2, 5]); changes > 0; changes--) value = mutate(value, random)
  if (random.below(4) === 0 && typeof value === 'object' && value !== null) {
    value = { ...value, stream: true, model: 'svc-gpt' }
  }
  const text = JSON.stringify(value) ?? ''
  return random.below(6) === 0 ? spoil(text, random) : Buffer.from(text)
}

function frame(body: Buffer, random: Random): { readonly header: string | null; readonly body: Buffer } {
  if (random.below(10) > 0) return { header: body.length === 0 ? null : `content-length: ${body.length}`, body }
  const parts: Buffer[] = []
  for (let at = 0; at < body.length;) {
    const size = 1 + random.below(Math.max(1, body.length))
    const part = body.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
    at += size
  }
  const trailer = random.below(3) === 0 ? 'x-trailer: 1\r\ncontent-length: 3\r\n' : ''
  return { header: 'transfer-encoding: chunked', body: Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`)]) }
}

/** Makes one. */
export function randomRequest(operation: Operation, deps: RequestDeps): RandomRequest {
  const { random, bodyBytesMax } = deps
  const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND']
  const method = random.below(20) === 0 ? random.pick(methods) : operation.method
  const path = `/api${pathOf(operation, deps)}${queryOf(operation.parameters, deps)}`
  const plain = bodyOf(operation, deps)
  const { header, body } = frame(plain, random)
  const headers = [...headersOf(operation, deps), ...(header === null ? [] : [header])]
  const head = `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body])
  return {
    ...{ bytes, toHead: method === 'HEAD', mayBeCut: plain.length > bodyBytesMax },
    summary: bytes.toString('latin1').replaceAll(deps.rawKey, 'KEY').slice(0, 600),
  }
}
