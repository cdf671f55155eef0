/** One random request to an endpoint, as the bytes that go over the connection. */
import type { Random } from '../../packages/server/testing/random.ts'
import type { FuzzTarget, Operation, Parameter } from './fuzz-target.ts'
import type { KnownNames } from './known-names.ts'
import { randomBody } from './random-body.ts'
import { hostileCookie } from './sign-in/hostile-cookies.ts'
import { valueFor } from './schema-values.ts'
import { strangeValue } from './strange-values.ts'

export interface RandomRequest {
  readonly bytes: Buffer
  readonly toHead: boolean
  /** The connection may end without an answer: the server need not read so much. */
  readonly mayBeCut: boolean
  /** What is asked, below `/api`. */
  readonly address: string
  /** For people: what was sent. */
  readonly summary: string
}

export interface RequestDeps {
  readonly random: Random
  readonly target: FuzzTarget
  readonly rawKey: string
  /** Headers of somebody who is signed in to the console; empty where nobody is. */
  readonly session: readonly string[]
  readonly known: KnownNames
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

const SIGNED_LISTS: Readonly<Record<string, string>> = { getMedia: 'media', getVideoContent: 'content' }

/** A whole address that an answer has told; null where none is to be had. */
function signedTarget({ id }: Operation, { random, known }: RequestDeps): string | null {
  const list = SIGNED_LISTS[id]
  return list === undefined || random.below(2) === 0 ? null : known.pick(list, random)
}

/** The address of a thing that exists within another one, such as a team's key; null where none is known. */
function nestedTarget({ path }: Operation, { random, known }: RequestDeps): string | null {
  const [outer = '', inner] = path.split(/\/\{\w+\}/).length > 2 ? splitAtLast(path) : []
  if (inner === undefined || random.below(2) === 0) return null
  const address = known.pickAddress(outer, random)
  return address === null ? null : `${address}${inner}`
}

/** What stands before the last parameter of a path, and what behind it. */
function splitAtLast(path: string): readonly [string, string] {
  return [path.slice(0, path.lastIndexOf('/{')), path.slice(path.lastIndexOf('}') + 1)]
}

function pathOf(operation: Operation, deps: RequestDeps): string {
  const nested = nestedTarget(operation, deps)
  if (nested !== null) return nested
  const { random, target, known } = deps
  const context = { random, resolve: target.resolve }
  const names = ['svc-gpt', 'openrouter%2Fopenai%2Fgpt-6-astra', 'svc-gpt/', '0195c1a0-0000-7000-8000-000000000000']
  return operation.path.replaceAll(/\{(\w+)\}/g, (_braces, name: string, at: number) => {
    const list = name === 'team_id' ? name : operation.path.slice(0, at - 1)
    const told = random.below(name === 'team_id' ? 12 : 2) > 0 ? known.pick(list, random) : null
    if (told !== null) return encodeURIComponent(told)
    if (random.below(3) === 0) return random.pick(names)
    const value = random.below(2) === 0 ? strangeValue(random) : valueFor({ type: 'string' }, context)
    // Without a value it would be another endpoint's address.
    return encode(printable(value), random) || 'x'
  })
}

function queryOf(parameters: readonly Parameter[], { random, target }: RequestDeps): string {
  const context = { random, resolve: target.resolve }
  const pairs = parameters
    .filter(({ in: place, required }) => place === 'query' && random.below(required === true ? 8 : 2) > 0)
    .map(({ name, schema }) => {
      const value = random.below(3) === 0 ? strangeValue(random) : valueFor(schema, context)
      return `${name}=${encode(printable(value), random)}`
    })
  if (random.below(6) === 0)
    pairs.push(random.pick(['a', '=', '&&', 'limit=1&limit=2', 'limit[]=1', '%', 'x=%zz', '?']))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** What a page sends: who is signed in, and which page it is. */
function browserHeaders({ caller }: Operation, { random, session }: Pick<RequestDeps, 'random' | 'session'>) {
  const [cookie = null, ...origin] = session
  if (caller === 'session') {
    const isOdd = random.below(25) === 0
    return isOdd ? random.pick([[], origin, session.slice(0, 1), [hostileCookie(random, cookie), ...origin]]) : session
  }
  // Limits count by address, and hardly a request would come through them from one alone.
  const headers = [`x-forwarded-for: 192.0.${random.below(256)}.${random.below(256)}`]
  if (random.below(3) === 0) headers.push(hostileCookie(random, cookie))
  return random.below(15) === 0 ? headers : [...headers, ...origin]
}

function credentials(operation: Operation, { random, rawKey, session }: RequestDeps): readonly string[] {
  if (operation.caller !== 'key') return browserHeaders(operation, { random, session })
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
  if (random.below(12) === 0) return []
  return [`authorization: ${random.below(15) === 0 ? random.pick(wrong) : right}`]
}

function headersOf(operation: Operation, type: string | null, deps: RequestDeps): string[] {
  const { random } = deps
  const headers = ['host: localhost', ...credentials(operation, deps)]
  if (random.below(10) === 0) headers.push(`accept: ${random.pick(['*/*', 'text/event-stream', 'image/png', 'x'])}`)
  if (random.below(15) === 0) headers.push(`x-request-id: ${random.pick(['abc', 'a'.repeat(500), "'", '0'])}`)
  if (operation.caller === 'key' && random.below(15) === 0)
    headers.push(`origin: ${random.pick(['null', 'https://a.example', 'x'])}`)
  if (random.below(20) === 0) headers.push(`x-forwarded-for: ${random.pick(['1.2.3.4', '::1', 'x', ','.repeat(50)])}`)
  if (random.below(20) === 0) headers.push('expect: 100-continue')
  if (random.below(20) === 0) headers.push('connection: close')
  if (type === null) return headers
  const types = [
    'application/json; charset=utf-8',
    'application/json;charset=latin1',
    'text/plain',
    '',
    '/',
    'application/xml',
  ]
  if (random.below(40) > 0) headers.push(`content-type: ${random.below(20) === 0 ? random.pick(types) : type}`)
  return headers
}

function frame(body: Buffer, random: Random): { readonly header: string | null; readonly body: Buffer } {
  if (random.below(10) > 0) return { header: body.length === 0 ? null : `content-length: ${body.length}`, body }
  const parts: Buffer[] = []
  const isTiny = body.length < 8_000 && random.below(3) === 0
  for (let at = 0; at < body.length;) {
    const size = 1 + random.below(isTiny ? 7 : Math.max(1, body.length))
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
  const address = signedTarget(operation, deps) ?? `${pathOf(operation, deps)}${queryOf(operation.parameters, deps)}`
  const path = `/api${address}`
  const { type, bytes: plain } = randomBody(operation, deps.target, random)
  const { header, body } = frame(plain, random)
  const headers = [...headersOf(operation, type, deps), ...(header === null ? [] : [header])]
  const head = `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body])
  return {
    ...{ bytes, address, toHead: method === 'HEAD', mayBeCut: plain.length > bodyBytesMax },
    summary: bytes.toString('latin1').replaceAll(deps.rawKey, 'KEY').slice(0, 600),
  }
}
