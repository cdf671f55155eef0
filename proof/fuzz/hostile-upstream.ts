/**
 * An upstream that answers anything: right answers with places changed, frames in every encoding and size, lies
 * in headers.
 */
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createRandom, type Random } from '../../packages/server/testing/random.ts'
import { mutate } from './strange-values.ts'

export interface HostileUpstream {
  readonly url: string
  /** Answers given so far. */
  readonly count: () => number
  close(): Promise<void>
}

const completion = {
  id: 'gen-1',
  object: 'chat.completion',
  created: 1_795_813_200,
  model: 'stub-model',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: {
        role: 'assistant',
        content: 'Hello',
        refusal: null,
        reasoning: 'Because',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    },
  ],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    cost: 0.0001,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 1 },
  },
}

const chunks = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
  {
    choices: [
      { index: 0, delta: { reasoning: 'Because', reasoning_details: [{ type: 'reasoning.text', text: 'x' }] } },
    ],
  },
  {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{' } }] },
      },
    ],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: completion.usage },
  { error: { code: 502, message: 'Provider failed' } },
] as const

const contentTypes = ['application/json', 'text/event-stream', 'text/event-stream; charset=utf-8', 'text/html', '', 'x']
const encodings = ['identity', 'gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'gzip, gzip', '']

function mutated(value: unknown, random: Random): string {
  let changed = value
  for (let changes = random.pick([0, 1, 1, 1, 2, 4]); changes > 0; changes--) changed = mutate(changed, random)
  return JSON.stringify(changed) ?? 'null'
}

function frame(random: Random): Buffer {
  const data = mutated(random.pick<unknown>(chunks), random)
  const end = random.pick(['\n\n', '\n\n', '\r\n\r\n', '\r\r', '\n'])
  switch (random.below(16)) {
    case 0:
      return Buffer.from(`: ${'comment '.repeat(random.below(50))}${end}`)
    case 1:
      return Buffer.from(`event: ${random.pick(['error', 'message', 'x'])}\nid: 1\nretry: 0\ndata: ${data}${end}`)
    case 2:
      return Buffer.from(`data:${data}${end}`)
    case 3:
      return Buffer.from(`data: ${data.replaceAll(',', ',\ndata: ')}${end}`)
    case 4:
      return Buffer.concat([Buffer.from('data: "'), Buffer.from([0xff, 0xfe, 0x00, 0xc0]), Buffer.from(`"${end}`)])
    case 5:
      return Buffer.from(`data: ${random.pick(['', 'null', '[]', '{}', '0', '{', '[DONE', '"x"'])}${end}`)
    case 6:
      return Buffer.from(random.pick(['\ufeff', '\n\n\n', '\r', 'data', 'data\n\n', 'foo: bar\n\n', '\u0000\n\n']))
    case 7:
      return Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(200_000) } }] })}${end}`)
    case 8:
      return Buffer.from(`data: [DONE]${end}`)
    default:
      return Buffer.from(`data: ${data}${end}`)
  }
}

/** Writes bytes in pieces that end anywhere. */
async function writePieces(response: ServerResponse, bytes: Buffer, random: Random): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed;) {
    const size = random.below(4) === 0 ? 1 + random.below(9) : 1 + random.below(bytes.length)
    response.write(bytes.subarray(at, at + size))
    at += size
    if (random.below(3) === 0) await wait(1)
  }
}

async function answerEvents(response: ServerResponse, random: Random): Promise<void> {
  const frames = Array.from({ length: random.pick([0, 1, 4, 12, 60]) }, () => frame(random))
  const isProper = random.below(2) === 0
  const end = isProper ? 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' : ''
  const type = random.below(8) === 0 ? random.pick(contentTypes) : 'text/event-stream'
  response.writeHead(200, { 'content-type': type, 'x-generation-id': random.pick(['gen-1', '', 'x'.repeat(300)]) })
  await writePieces(response, Buffer.concat([...frames, Buffer.from(end)]), random)
  if (random.below(10) === 0) response.destroy()
  else response.end()
}

async function answerJson(response: ServerResponse, random: Random): Promise<void> {
  const status =
    random.below(4) > 0 ? 200 : random.pick([201, 204, 206, 302, 400, 401, 402, 404, 413, 418, 429, 500, 503, 599])
  const body = Buffer.from(
    random.below(10) === 0 ? random.pick(['', '<html>', '{', 'null', '[]']) : mutated(completion, random),
  )
  const encoding = random.below(10) === 0 ? random.pick(encodings) : ''
  const bytes = encoding === 'gzip' && random.below(2) === 0 ? gzipSync(body) : body
  response.writeHead(status, {
    'content-type': random.below(8) === 0 ? random.pick(contentTypes) : 'application/json',
    ...(encoding === '' ? {} : { 'content-encoding': encoding }),
    ...(status === 429
      ? { 'retry-after': random.pick(['1', '-5', 'x', '99999999999', 'Fri, 31 Dec 9999 23:59:59 GMT']) }
      : {}),
    ...(status === 302 ? { location: 'http://127.0.0.1:1/' } : {}),
  })
  await writePieces(response, bytes, random)
  if (random.below(15) === 0) response.destroy()
  else response.end()
}

/** Answers of the right kind, mostly; silence now and then. */
async function answer(response: ServerResponse, random: Random, isStream: boolean): Promise<void> {
  const die = random.below(120)
  if (die === 0) return
  if (die === 1) return void response.destroy()
  await (isStream === die > 6 ? answerEvents(response, random) : answerJson(response, random))
}

/** Starts it. */
export async function startHostileUpstream(seed: number): Promise<HostileUpstream> {
  const random = createRandom(seed)
  let count = 0
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(404).end('{}')
      count++
      const isStream = /"stream"\s*:\s*true/.test(Buffer.concat(parts).toString('utf8'))
      answer(response, random, isStream).catch(() => void response.destroy())
    })
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  return {
    url: `http://127.0.0.1:${port}/v1`,
    count: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
