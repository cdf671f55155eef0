/** Random requests to an endpoint, as the bytes that go over the connection. */
import fc from 'fast-check'
import { oneIn, rarely, weighted } from './draw.ts'
import type { FuzzTarget, Operation, Parameter } from './fuzz-target.ts'
import type { KnownNames } from './known-names.ts'
import { randomBody } from './random-body.ts'
import { type ResolveSchema, valueFor } from './schema-values.ts'
import { hostileCookie } from './sign-in/hostile-cookies.ts'
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
  /** The JSON body of a request that is to be quoted first, and sent with its quote; null for most. */
  readonly quotable: Buffer | null
}

/** What is known as a request is sent: who sends it, and what exists. */
export interface Sending {
  readonly rawKey: string
  /** Headers of a person who is signed in to the console; empty without a session. */
  readonly session: readonly string[]
  readonly known: KnownNames
  /** Bodies above this are refused before they are read. */
  readonly bodyBytesMax: number
  /** The quote of this very request; null where there is none yet. */
  readonly quoteId: string | null
}

/** A part of a request that is written as it is sent. */
type Late<Value> = (sending: Sending) => Value

function printable(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

const wrongEncodings = ['%', '%zz', '%00', '%c0%af', '%2F..%2f', '%0d%0ax-injected:1', ';a=b', '%25', '%ff'] as const

/** Percent-encodes values, or does it wrongly. Nothing here may end the request line. */
function encoded(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc
    .tuple(value, rarely(6, fc.constantFrom(...wrongEncodings), ''))
    .map(([made, end]) => encodeURIComponent(printable(made).toWellFormed()).slice(0, 3_000) + end)
}

const SIGNED_LISTS: Readonly<Record<string, string>> = { getMedia: 'media', getVideoContent: 'content' }

/** An address from earlier answers: a signed one, or that of a thing within another; null where none is known. */
function toldAddress({ id, path }: Operation): fc.Arbitrary<Late<string | null>> {
  const list = SIGNED_LISTS[id]
  const isNested = path.split('/{').length > 2
  const [outer, inner] = [path.slice(0, path.lastIndexOf('/{')), path.slice(path.lastIndexOf('}') + 1)]
  const find = (known: KnownNames, at: number): string | null => {
    if (list !== undefined) return known.pick(list, at)
    const address = isNested ? known.pickAddress(outer, at) : null
    return address === null ? null : `${address}${inner}`
  }
  return fc.option(fc.nat(), { freq: 2 }).map(
    (at) =>
      ({ known }: Sending) =>
        at === null ? null : find(known, at),
  )
}

const usualNames = ['svc-gpt', 'openrouter%2Fopenai%2Fgpt-6-astra', 'svc-gpt/', '0195c1a0-0000-7000-8000-000000000000']

/** The value of a parameter of a path: a name that is known, or another one. */
function nameFor(list: string, resolve: ResolveSchema): fc.Arbitrary<Late<string>> {
  const isTeam = list === 'team_id'
  const knows = weighted([1, fc.constant(false)], [isTeam ? 11 : 1, fc.constant(true)])
  const other = fc.oneof(
    fc.constantFrom(...usualNames),
    // Without a value it would be another endpoint's address.
    encoded(strangeValue).map((text) => text || 'x'),
    encoded(valueFor({ type: 'string' }, resolve)).map((text) => text || 'x'),
  )
  return fc.tuple(knows, fc.nat(), other).map(([isKnown, at, name]) => ({ known }) => {
    const told = isKnown ? known.pick(list, at) : null
    return told === null ? name : encodeURIComponent(told)
  })
}

function pathOf(operation: Operation, { resolve }: FuzzTarget): fc.Arbitrary<Late<string>> {
  const parts = operation.path.split(/\{(\w+)\}/)
  const pieces = parts.map((part, at): fc.Arbitrary<Late<string>> => {
    if (at % 2 === 0) return fc.constant(() => part)
    const before = parts.slice(0, at).map((each, place) => (place % 2 === 0 ? each : `{${each}}`))
    return nameFor(part === 'team_id' ? part : before.join('').slice(0, -1), resolve)
  })
  const made = fc.tuple(...pieces).map((each) => (sending: Sending) => each.map((piece) => piece(sending)).join(''))
  return fc.tuple(toldAddress(operation), made).map(
    ([told, path]) =>
      (sending) =>
        told(sending) ?? path(sending),
  )
}

const oddPairs = ['a', '=', '&&', 'limit=1&limit=2', 'limit[]=1', '%', 'x=%zz', '?'] as const

function queryOf(parameters: readonly Parameter[], { resolve }: FuzzTarget): fc.Arbitrary<string> {
  const pairs = parameters
    .filter(({ in: place }) => place === 'query')
    .map(({ name, schema, required }) => {
      const right = valueFor(schema, resolve)
      const value = weighted([1, strangeValue], [2, right])
      const pair = encoded(value).map((text) => `${name}=${text}`)
      return fc.option(pair, { freq: required === true ? 8 : 2 })
    })
  return fc.tuple(...pairs, rarely(6, fc.constantFrom(...oddPairs), null)).map((all) => {
    const sent = all.filter((pair) => pair !== null)
    return sent.length === 0 ? '' : `?${sent.join('&')}`
  })
}

/** What a page sends of a person who is signed in. */
const sessionHeaders = rarely<Late<readonly string[]>, Late<readonly string[]>>(
  25,
  fc.oneof(
    fc.constantFrom<Late<readonly string[]>[]>(
      () => [],
      ({ session }) => session.slice(1),
      ({ session }) => session.slice(0, 1),
    ),
    hostileCookie.map((write) => ({ session: [cookie, ...origin] }: Sending) => [write(cookie ?? null), ...origin]),
  ),
  ({ session }) => session,
)

/** What a page sends of a person who is not. */
const visitorHeaders: fc.Arbitrary<Late<readonly string[]>> = fc
  .record({
    // Limits count by address, and hardly a request would come through them from one alone.
    address: fc.tuple(fc.nat(255), fc.nat(255)),
    cookie: rarely(3, hostileCookie, null),
    hasOrigin: oneIn(15).map((isMissing) => !isMissing),
  })
  .map(({ address: [third, fourth], cookie, hasOrigin }) => ({ session: [right = null, ...origin] }) => [
    `x-forwarded-for: 192.0.${third}.${fourth}`,
    ...(cookie === null ? [] : [cookie(right)]),
    ...(hasOrigin ? origin : []),
  ])

const wrongCredentials: readonly Late<string>[] = [
  () => 'Bearer',
  () => 'Bearer ',
  () => 'Basic YTpi',
  ({ rawKey }) => `Bearer ${rawKey.slice(0, -1)}${rawKey.endsWith('A') ? 'B' : 'A'}`,
  ({ rawKey }) => `Bearer  ${rawKey} x`,
  () => 'sk-svc-1',
  () => 'Bearer \u00e9',
]

const rightCredentials: readonly Late<string>[] = [
  ({ rawKey }) => `Bearer ${rawKey}`,
  ({ rawKey }) => `Bearer ${rawKey}`,
  ({ rawKey }) => `bearer ${rawKey}`,
]

const keyHeaders: fc.Arbitrary<Late<readonly string[]>> = weighted(
  [165, fc.constantFrom(...rightCredentials)],
  [12, fc.constantFrom(...wrongCredentials)],
  [15, fc.constant(null)],
).map((write) => (sending) => (write === null ? [] : [`authorization: ${write(sending)}`]))

const CREDENTIALS = { key: keyHeaders, session: sessionHeaders, visitor: visitorHeaders } as const

/** One header in so many requests. */
function header(count: number, name: string, ...values: readonly string[]): fc.Arbitrary<readonly string[]> {
  return rarely(
    count,
    fc.constantFrom(...values).map((value) => [`${name}: ${value}`]),
    [],
  )
}

const anyHeaders: readonly fc.Arbitrary<readonly string[]>[] = [
  header(10, 'accept', '*/*', 'text/event-stream', 'image/png', 'x'),
  header(15, 'x-request-id', 'abc', 'a'.repeat(500), "'", '0'),
  header(20, 'x-forwarded-for', '1.2.3.4', '::1', 'x', ','.repeat(50)),
  header(20, 'expect', '100-continue'),
  header(20, 'connection', 'close'),
]
/** What a paid request may cost, in every way of saying it. */
interface Terms {
  readonly isQuoted: boolean
  readonly headers: readonly string[]
}

const amounts = ['5', '0.001', '0', '100000000', '-1', '1e3', '5 credits', '', '0.0000000001', '9'.repeat(400)]
const wrongQuotes = ['x', '', 'A'.repeat(700), 'quote', '%00']
const NO_TERMS: Terms = { isQuoted: false, headers: [] }

const terms: fc.Arbitrary<Terms> = weighted(
  [20, fc.constant(NO_TERMS)],
  [3, fc.constant({ isQuoted: true, headers: [] })],
  [2, fc.constantFrom(...amounts).map((most) => ({ isQuoted: false, headers: [`x-svc-max-credits: ${most}`] }))],
  [1, fc.constantFrom(...amounts).map((most) => ({ isQuoted: true, headers: [`x-svc-max-credits: ${most}`] }))],
  [1, fc.constantFrom(...wrongQuotes).map((quote) => ({ isQuoted: false, headers: [`x-svc-quote: ${quote}`] }))],
)

function isPaid({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'x-svc-quote')
}

const originHeader = header(15, 'origin', 'null', 'https://a.example', 'x')

const wrongTypes = [
  ...['application/json; charset=utf-8', 'application/json;charset=latin1', 'text/plain', '', '/', 'application/xml'],
]

/** The types that a body is sent with, where `RIGHT` means the one that fits it: one, or none. */
const RIGHT: unique symbol = Symbol('right')
const sentTypes: fc.Arbitrary<readonly (string | typeof RIGHT)[]> = weighted(
  [741, fc.constant([RIGHT])],
  [39, fc.constantFrom(...wrongTypes).map((type) => [type])],
  [20, fc.constant([])],
)

/** How a body is sent: whole, or in chunks of so many bytes, by turns. */
const framing = rarely(
  10,
  fc.record({
    sizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 200_000 })), { minLength: 1 }),
    trailer: rarely(3, fc.constant('x-trailer: 1\r\ncontent-length: 3\r\n'), ''),
  }),
  null,
)
/** More chunks than this are one at the end: a large body in tiny ones says no more. */
const CHUNKS_MAX = 3_000

type Framing = { readonly sizes: readonly number[]; readonly trailer: string } | null

function frame(body: Buffer, how: Framing): { readonly headers: readonly string[]; readonly body: Buffer } {
  if (how === null) return { headers: body.length === 0 ? [] : [`content-length: ${body.length}`], body }
  const parts: Buffer[] = []
  for (let [at, turn] = [0, 0]; at < body.length; turn++) {
    const size = turn < CHUNKS_MAX ? (how.sizes[turn % how.sizes.length] ?? 1) : body.length
    const part = body.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
    at += part.length
  }
  const end = Buffer.from(`0\r\n${how.trailer}\r\n`)
  return { headers: ['transfer-encoding: chunked'], body: Buffer.concat([...parts, end]) }
}

const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'] as const

/** Requests to an operation, to be written as they are sent. */
export function randomRequest(operation: Operation, target: FuzzTarget): fc.Arbitrary<Late<RandomRequest>> {
  const isKey = operation.caller === 'key'
  return fc
    .record({
      method: rarely<string, string>(20, fc.constantFrom(...methods), operation.method),
      path: pathOf(operation, target),
      query: queryOf(operation.parameters, target),
      credentials: CREDENTIALS[operation.caller],
      headers: fc.tuple(...anyHeaders, isKey ? originHeader : fc.constant([])),
      types: sentTypes,
      body: randomBody(operation, target),
      framing,
      terms: isPaid(operation) ? terms : fc.constant(NO_TERMS),
    })
    .map((made) => (sending) => {
      const { method, body: plain } = made
      const path = made.path(sending)
      // A signed address has its query already.
      const address = path.includes('?') ? path : `${path}${made.query}`
      const { headers: length, body } = frame(plain.bytes, made.framing)
      const types = made.types.map((type) => `content-type: ${type === RIGHT ? plain.type : type}`)
      const headers = [
        'host: localhost',
        ...made.credentials(sending),
        ...made.headers.flat(),
        ...made.terms.headers,
        ...(made.terms.isQuoted && sending.quoteId !== null ? [`x-svc-quote: ${sending.quoteId}`] : []),
        ...(plain.type === null ? [] : types),
        ...length,
      ]
      const head = `${method} /api${address} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`
      const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body])
      return {
        ...{ bytes, address, toHead: method === 'HEAD', mayBeCut: plain.bytes.length > sending.bodyBytesMax },
        quotable: made.terms.isQuoted && plain.type === 'application/json' ? plain.bytes : null,
        summary: bytes.toString('latin1').replaceAll(sending.rawKey, 'KEY').slice(0, 600),
      }
    })
}
