/**
 * An upstream that answers anything, in the kind that each address has: right answers with places changed, events in
 * every form, files that break off, lies in headers, redirects, bodies without end, silence.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { play, type ScriptedAnswer } from '../../packages/server/testing/scripted-answer.ts'
import { startStubUpstream, type StubCall } from '../../packages/server/testing/stub-upstream.ts'
import { drawOnce, oneIn, rarely, weighted } from './draw.ts'
import { hostileStream } from './hostile-events.ts'
import { mutatedText } from './strange-values.ts'
import { type RightAnswer, rightAnswer, type UpstreamCall } from './upstream-answers.ts'

export interface HostileUpstream {
  /** Where it answers; a dialect's own path comes behind it. */
  readonly origin: string
  /** Answers given so far, listings aside. */
  readonly count: () => number
  /** The newest answers after so many, in words. */
  readonly since: (count: number) => readonly string[]
  close(): Promise<void>
}

/** Answers that are remembered, for the story of a fault. */
const REMEMBERED = 6
const REMEMBERED_BYTES = 1_500
/** More than any answer may have, in bytes: the longest is one with images. */
const ENDLESS_BYTES = 220 * 1024 * 1024
/** The same for a file, which goes on to the client as it comes. */
const ENDLESS_FILE_BYTES = 4 * 1024 * 1024
const ENDLESS_PIECE = Buffer.alloc(1024 * 1024, ' ')
/** More than this goes in one piece. */
const LARGE_BYTES = 100_000

const contentTypes = ['application/json', 'text/event-stream', 'text/event-stream; charset=utf-8', 'text/html', '', 'x']
const encodings = ['identity', 'gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'gzip, gzip', '']
const statuses = [
  ...[201, 202, 204, 206, 301, 302, 303, 307, 308, 400, 401, 402, 404, 409, 410, 413, 416, 418, 429, 500],
  ...[502, 503, 504, 529, 599],
]
const delays = ['1', '-5', 'x', '99999999999', 'Fri, 31 Dec 9999 23:59:59 GMT']
const places = ['http://127.0.0.1:1/', '/v1/elsewhere', '//elsewhere.invalid/', 'file:///etc/passwd', '', 'http://[']

/** An answer, and what it is in words. */
interface HostileAnswer {
  readonly answer: ScriptedAnswer
  readonly story: string
}

/** Headers that lie, or say what was not asked for. */
function lies(status: number): fc.Arbitrary<Record<string, string>> {
  const parts: fc.Arbitrary<Record<string, string>>[] = [
    rarely(12, fc.record({ 'content-encoding': fc.constantFrom(...encodings) }), {}),
    rarely(12, fc.record({ 'x-generation-id': fc.constantFrom('', 'x'.repeat(300), 'gen-2') }), {}),
    rarely(30, fc.constant({ 'set-cookie': 'a=b', 'x-request-id': 'theirs', 'transfer-encoding': 'chunked' }), {}),
  ]
  if (status === 429 || status === 503) parts.push(fc.record({ 'retry-after': fc.constantFrom(...delays) }))
  if (status > 300 && status < 309) parts.push(fc.record({ location: fc.constantFrom(...places) }))
  return fc.tuple(...parts).map((told) => Object.assign({}, ...told) as Record<string, string>)
}

/** Bytes in pieces that end anywhere, and behind them now and then more than any answer may have. */
function* piecesOf(bytes: Buffer, sizes: readonly number[], endlessBytes: number): Generator<Buffer | number> {
  for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
    if (turn % 3 === 2) yield 1
  }
  for (let sent = 0; sent < endlessBytes; sent += ENDLESS_PIECE.length) yield ENDLESS_PIECE
}

/** Small pieces, and large ones, by turns. */
const pieceSizes = fc.array(weighted([1, fc.integer({ min: 1, max: 9 })], [3, fc.integer({ min: 100, max: 4_000 })]), {
  minLength: 1,
  maxLength: 6,
})

interface Sent {
  readonly type: string
  readonly bytes: Buffer
  readonly status: number
}

/** Ways of sending an answer: its headers, its pieces and its end may be wrong. */
function sending({ type, bytes, status }: Sent): fc.Arbitrary<HostileAnswer> {
  return fc
    .record({
      headers: lies(status),
      isEncoded: fc.boolean(),
      told: rarely(8, fc.constantFrom(...contentTypes), type),
      // Sometimes it sends a length, and sometimes a wrong one.
      extraLength: rarely(25, fc.constantFrom(0, 0, 1, 5_000), null),
      sizes: pieceSizes,
      isEndless: oneIn(600),
      isCut: oneIn(15),
    })
    .map(({ headers, isEncoded, told, extraLength, sizes, isEndless, isCut }) => {
      const encoded = headers['content-encoding'] === 'gzip' && isEncoded ? gzipSync(bytes) : bytes
      const isChunked = extraLength === null || 'transfer-encoding' in headers
      const length = isChunked ? {} : { 'content-length': encoded.length + extraLength }
      const endless = /^(?:audio|video)/.test(type) ? ENDLESS_FILE_BYTES : ENDLESS_BYTES
      const largest = encoded.length > LARGE_BYTES ? [encoded.length] : sizes
      return {
        answer: {
          ...{ status, headers: { 'content-type': told, ...headers, ...length } },
          pieces: piecesOf(encoded, largest, isEndless ? endless : 0),
          end: isCut ? 'cut' : 'whole',
        },
        story: `${status} ${told} ${JSON.stringify(headers)}\n${bytes.toString('utf8').slice(0, REMEMBERED_BYTES)}`,
      }
    })
}

const otherTexts = fc.constantFrom('', '<html>', '{', 'null', '[]', '"x"')

function jsonAnswer(whole: unknown): fc.Arbitrary<HostileAnswer> {
  const status = weighted([3, fc.constant(200)], [1, fc.constantFrom(...statuses)])
  return status.chain((code) => {
    const failure = { error: { message: 'sk-or-v1-upstream-secret failed', code, type: 'x', param: 'model' } }
    const values = code >= 400 ? fc.constantFrom<unknown>(failure, whole) : fc.constant(whole)
    const text = weighted([9, values.chain((value) => mutatedText(value))], [1, otherTexts])
    return text.chain((sent) => sending({ type: 'application/json', bytes: Buffer.from(sent), status: code }))
  })
}

function eventsAnswer(events: readonly unknown[]): fc.Arbitrary<HostileAnswer> {
  return hostileStream(events).chain((bytes) => sending({ type: 'text/event-stream', bytes, status: 200 }))
}

/** A file: whole, cut, with bytes changed, or another one altogether. */
function fileAnswer({ type, bytes }: { readonly type: string; readonly bytes: Buffer }): fc.Arbitrary<HostileAnswer> {
  const { length } = bytes
  const status = weighted([4, fc.constant(200)], [1, fc.constantFrom(200, 206, 204, 302, 404, 416, 500, 503)])
  const edits = rarely(3, fc.array(fc.tuple(fc.nat(length - 1), fc.nat(255)), { maxLength: 20 }), [])
  const cut = weighted([2, fc.constant(length)], [3, fc.constantFrom(0, 1, 44)], [1, fc.nat(length)])
  return fc.tuple(status, edits, cut).chain(([code, changes, end]) => {
    const changed = Buffer.from(bytes)
    for (const [at, byte] of changes) changed[at] = byte
    return sending({ type, bytes: changed.subarray(0, end), status: code })
  })
}

const silence: HostileAnswer = { answer: { pieces: [], end: 'silence' }, story: 'silence' }
const hangUp: HostileAnswer = { answer: { pieces: [], end: 'cut' }, story: 'hangs up' }

/** Answers of the right kind, mostly; silence now and then, but where the gateway is to wait for minutes. */
function hostileAnswer(right: RightAnswer, { path, wantsStream }: UpstreamCall): fc.Arbitrary<HostileAnswer> {
  const { file, events, whole } = right
  const ofKind = (isRightKind: boolean): fc.Arbitrary<HostileAnswer> => {
    if (file !== null && isRightKind) return fileAnswer(file)
    return events !== null && wantsStream === isRightKind ? eventsAnswer(events) : jsonAnswer(whole)
  }
  const isAwaited = path.includes('/images')
  const quiet = isAwaited ? hangUp : silence
  const drawn = weighted([227, ofKind(true)], [11, ofKind(false)], [1, fc.constant(hangUp)], [1, fc.constant(quiet)])
  return isAwaited ? drawn.map(withoutLength) : drawn
}

/** A length that promises more than is sent is silence, too. */
function withoutLength({ answer, story }: HostileAnswer): HostileAnswer {
  const { 'content-length': _promised, ...headers } = { ...answer.headers }
  return { answer: { ...answer, headers }, story }
}

function readCall({ method, path, json, wantsStream }: StubCall): UpstreamCall {
  return { method, path: path.split('?', 1)[0] ?? '', body: Object(json), wantsStream }
}

/**
 * The same question has the same answer, whatever was asked before: a body tells questions apart, but for the boundary
 * of a form. What is polled has another answer each time.
 */
function seedFor(seed: number, { path, headers, body }: StubCall, turn: number): number {
  const [, boundary = ''] = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '') ?? []
  const told = boundary === '' ? body : body.toString('latin1').replaceAll(boundary, '')
  const hash = createHash('sha256').update(path.split('?', 1)[0] ?? '')
  hash.update(told.length === 0 ? String(turn) : told)
  return (seed ^ hash.digest().readInt32LE(0)) | 0
}

/** Starts it. */
export async function startHostileUpstream(seed: number): Promise<HostileUpstream> {
  let count = 0
  const recent: { readonly at: number; readonly text: string }[] = []
  const { origin, close } = await startStubUpstream({
    async handler(asked, response) {
      const call = readCall(asked)
      const right = rightAnswer(call)
      if (right === null) return void response.writeHead(404).end('{}')
      const own = seedFor(seed, asked, count)
      const at = ++count
      const { answer, story } = drawOnce(
        right.chain((each) => hostileAnswer(each, call)),
        own,
      )
      recent.push({ at, text: `answer ${at} to ${call.method} ${call.path}: ${story}` })
      if (recent.length > REMEMBERED) recent.shift()
      await play(response, answer)
    },
  })
  return {
    ...{ origin, close },
    count: () => count,
    since: (before) => recent.filter(({ at }) => at > before).map(({ text }) => text),
  }
}
