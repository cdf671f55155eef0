/**
 * An upstream that answers anything, in the kind that each address has: right answers with places changed, events in
 * every form, files that break off, lies in headers, redirects, bodies without end, silence.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createRandom, type Random } from '../../packages/server/testing/random.ts'
import { listenOnLoopback } from '../../packages/server/testing/loopback-server.ts'
import { hostileStream, mutated } from './hostile-events.ts'
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
/** More than any answer may have, in bytes: the longest is one with pictures. */
const ENDLESS_BYTES = 220 * 1024 * 1024
/** The same for a file, which goes on to the client as it comes. */
const ENDLESS_FILE_BYTES = 4 * 1024 * 1024
const ENDLESS_PIECE = Buffer.alloc(1024 * 1024, ' ')

const contentTypes = ['application/json', 'text/event-stream', 'text/event-stream; charset=utf-8', 'text/html', '', 'x']
const encodings = ['identity', 'gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'gzip, gzip', '']
const statuses = [201, 202, 204, 206, 301, 302, 303, 307, 308, 400, 401, 402, 404, 409, 410, 413, 416, 418, 429, 500]
const moreStatuses = [...statuses, 502, 503, 504, 529, 599]
const places = ['http://127.0.0.1:1/', '/v1/elsewhere', '//elsewhere.invalid/', 'file:///etc/passwd', '', 'http://[']

/** One answer on its way. */
interface Reply {
  readonly response: ServerResponse
  readonly random: Random
  readonly note: (text: string) => void
}

/** Writes bytes in pieces that end anywhere. */
async function writePieces({ response, random }: Reply, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed;) {
    const size = random.below(4) === 0 ? 1 + random.below(9) : 1 + random.below(bytes.length)
    response.write(bytes.subarray(at, at + size))
    at += size
    if (random.below(3) === 0) await wait(1)
  }
}

/** Writes until nobody listens any more. */
async function writeWithoutEnd({ response }: Reply, bytesMax: number): Promise<void> {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  for (let sent = 0; sent < bytesMax && !response.destroyed; sent += ENDLESS_PIECE.length) {
    if (response.write(ENDLESS_PIECE)) continue
    await once(response, 'drain', { signal: closed.signal }).catch(() => undefined)
  }
}

function lies({ random }: Reply, status: number): Record<string, string> {
  const encoding = random.below(10) === 0 ? random.pick(encodings) : ''
  return {
    ...(encoding === '' ? {} : { 'content-encoding': encoding }),
    ...(random.below(12) === 0 ? { 'x-generation-id': random.pick(['', 'x'.repeat(300), 'gen-2']) } : {}),
    ...(random.below(30) === 0
      ? { 'set-cookie': 'a=b', 'x-request-id': 'theirs', 'transfer-encoding': 'chunked' }
      : {}),
    ...(status === 429 || status === 503
      ? { 'retry-after': random.pick(['1', '-5', 'x', '99999999999', 'Fri, 31 Dec 9999 23:59:59 GMT']) }
      : {}),
    ...(status > 300 && status < 309 ? { location: random.pick(places) } : {}),
  }
}

async function send(
  reply: Reply,
  { type, bytes, status }: { type: string; bytes: Buffer; status: number },
): Promise<void> {
  const { response, random, note } = reply
  const headers = lies(reply, status)
  const encoded = headers['content-encoding'] === 'gzip' && random.below(2) === 0 ? gzipSync(bytes) : bytes
  const told = random.below(8) === 0 ? random.pick(contentTypes) : type
  note(`${status} ${told} ${JSON.stringify(headers)}\n${bytes.toString('utf8').slice(0, REMEMBERED_BYTES)}`)
  // Sometimes it tells a length, and sometimes a wrong one.
  const length = random.below(25) === 0 ? { 'content-length': encoded.length + random.pick([0, 0, 1, 5_000]) } : {}
  response.writeHead(status, { 'content-type': told, ...headers, ...('transfer-encoding' in headers ? {} : length) })
  await writePieces(reply, encoded)
  if (random.below(600) === 0)
    await writeWithoutEnd(reply, /^(?:audio|video)/.test(type) ? ENDLESS_FILE_BYTES : ENDLESS_BYTES)
  if (random.below(15) === 0) response.destroy()
  else response.end()
}

function sendEvents(reply: Reply, events: readonly unknown[]): Promise<void> {
  return send(reply, { type: 'text/event-stream', bytes: hostileStream(events, reply.random), status: 200 })
}

function sendJson(reply: Reply, whole: unknown): Promise<void> {
  const { random } = reply
  const status = random.below(4) > 0 ? 200 : random.pick(moreStatuses)
  const failure = { error: { message: 'sk-or-v1-upstream-secret failed', code: status, type: 'x', param: 'model' } }
  const value = status >= 400 && random.below(2) === 0 ? failure : whole
  const text = random.below(10) === 0 ? random.pick(['', '<html>', '{', 'null', '[]', '"x"']) : mutated(value, random)
  return send(reply, { type: 'application/json', bytes: Buffer.from(text), status })
}

/** A file: whole, cut, with bytes changed, or another one altogether. */
function sendFile(reply: Reply, { type, bytes }: { readonly type: string; readonly bytes: Buffer }): Promise<void> {
  const { random } = reply
  const status = random.below(5) > 0 ? 200 : random.pick([200, 206, 204, 302, 404, 416, 500, 503])
  const changed = Buffer.from(bytes)
  for (let changes = random.pick([0, 0, 0, 1, 20]); changes > 0; changes--) {
    changed[random.below(changed.length)] = random.below(256)
  }
  const cut = random.pick([changed.length, changed.length, 0, 1, 44, random.below(changed.length)])
  return send(reply, { type, bytes: changed.subarray(0, cut), status })
}

/** Answers of the right kind, mostly; silence now and then, but where the gateway is to wait for minutes. */
async function answer(reply: Reply, right: RightAnswer, { path, wantsStream }: UpstreamCall): Promise<void> {
  const { response, random, note } = reply
  const die = random.below(240)
  if (die === 0 && !path.includes('/images')) return note('silence')
  if (die === 1) {
    note('hangs up')
    return void response.destroy()
  }
  const isRightKind = die > 12
  if (right.file !== null && isRightKind) return sendFile(reply, right.file)
  if (right.events !== null && wantsStream === isRightKind) return sendEvents(reply, right.events)
  return sendJson(reply, right.whole)
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body.toString('utf8')))
  } catch {
    return {}
  }
}

function readCall(request: IncomingMessage, body: Buffer): UpstreamCall {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const parsed = parse(body)
  const isForm = (request.headers['content-type'] ?? '').startsWith('multipart/')
  const wantsStream =
    parsed['stream'] === true ||
    query.includes('alt=sse') ||
    (isForm && /name="stream"\s+true/.test(body.toString('latin1')))
  return { method: request.method ?? '', path, body: parsed, wantsStream }
}

/** The same question has the same answer, whatever was asked before: bodies tell questions apart, but for forms. */
function randomFor(seed: number, { path, body }: UpstreamCall, bytes: Buffer, turn: number): Random {
  const isJson = Object.keys(body).length > 0
  const hash = createHash('sha256')
    .update(path)
    .update(isJson ? bytes : `${bytes.length} ${turn}`)
  return createRandom((seed ^ hash.digest().readUInt32LE(0)) >>> 0)
}

/** Starts it. */
export async function startHostileUpstream(seed: number): Promise<HostileUpstream> {
  let count = 0
  const recent: { readonly at: number; readonly text: string }[] = []
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    const parts: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const bytes = Buffer.concat(parts)
      const call = readCall(request, bytes)
      const random = randomFor(seed, call, bytes, count)
      const right = rightAnswer(call, random)
      if (right === null) return void response.writeHead(404).end('{}')
      const at = ++count
      const note = (text: string): void => {
        recent.push({ at, text: `answer ${at} to ${call.method} ${call.path}: ${text}` })
        if (recent.length > REMEMBERED) recent.shift()
      }
      answer({ response, random, note }, right, call).catch(() => void response.destroy())
    })
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    ...{ origin, close },
    count: () => count,
    since: (before) => recent.filter(({ at }) => at > before).map(({ text }) => text),
  }
}
