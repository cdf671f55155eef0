/**
 * A node that is between the gateway and a chain and answers with anything that is not a believable lie: garbage,
 * pages, other types, huge numbers, what was asked before, lists in another order, blocks again, half of it, nothing.
 *
 * A believable lie is another matter: a node that hides one transaction or reports another plausible amount is believed
 * below what asks for a second opinion.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { createRandom, type Random } from '../../../packages/server/testing/random.ts'
import { listenOnLoopback } from '../../../packages/server/testing/loopback-server.ts'
import { createDraw, type Draw } from '../draw.ts'
import { changes, strangeValue } from '../strange-values.ts'

export interface HostileNode {
  readonly url: string
  /** Answers that were spoilt so far. */
  readonly count: () => number
  /** How many of a thousand answers are spoilt from now on; 0 is an honest node. */
  beHostile(perMille: number): void
  close(): Promise<void>
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: unknown
}

/** Whole answers by other questions of the same kind: none of these is believed without a look at what it names. */
const STALE = ['eth_getBlockByNumber', 'eth_getTransactionByHash', 'eth_getTransactionReceipt']
const SLOW_MS = 700
const GIANT = Buffer.alloc(24 * 1024 * 1024, '[')

const hugeHex = ['0x', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(65)}`, `0x${'0'.repeat(100_000)}`, '0xzz', '0X1', '-0x1']
const codes: readonly unknown[] = [-32_000, -32_601, -32_005, 429, 3, 0, 'x', 1e300, null]

function nestedCalls(depth: number): string {
  const frame = '{"type":"CALL","from":"0x0000000000000000000000000000000000000001","calls":['
  return `${frame.repeat(depth)}${']}'.repeat(depth)}`
}

/** One answer with something wrong in it. */
function spoilReply(
  call: Call,
  reply: Reply,
  { random, draw, before }: { random: Random; draw: Draw; before: Reply | undefined },
): Reply {
  const head = { jsonrpc: '2.0', id: reply.id }
  switch (random.below(11)) {
    case 0:
      return { ...head, result: null }
    case 1:
      return { ...head, result: draw(strangeValue) }
    case 2:
      return { ...head, result: random.pick(hugeHex) }
    case 3:
      return {
        ...head,
        error: { code: random.pick(codes, null), message: random.pick(['no', '<html>', '\u0000', '']) },
      }
    case 4:
      return { ...head, error: draw(strangeValue) }
    case 5:
      return {
        ...head,
        id: random.pick<unknown>([0, -1, 'x', null, reply.id + 1], null) as number,
        result: reply.result,
      }
    case 6:
      return before !== undefined && STALE.includes(call.method) ? { ...head, result: before.result } : head
    case 7:
      return { ...head, result: doubled(reply.result) }
    case 8:
      return { ...head, result: strangeMember(reply.result, random, draw) }
    case 9:
      return call.method === 'debug_traceTransaction' ? { ...head, result: JSON.parse(nestedCalls(1_500)) } : head
    default:
      return { ...head, result: draw(changes(1))(reply.result) }
  }
}

/** A list twice and backwards; anything else as it is. */
function doubled(value: unknown): unknown {
  return Array.isArray(value) ? [...value, ...value].toReversed() : value
}

/** An object with one member that has another type. */
function strangeMember(value: unknown, random: Random, draw: Draw): unknown {
  if (typeof value !== 'object' || value === null) return draw(strangeValue)
  const name = random.pick(Object.keys(value), 'x')
  return { ...value, [name]: random.pick<unknown>([draw(strangeValue), random.pick(hugeHex), null], null) }
}

/** The bytes of an answer: broken now and then. */
function spoilText(text: string, random: Random): string {
  switch (random.below(5)) {
    case 0:
      return text.slice(0, random.below(text.length))
    case 1:
      return random.pick(['', '<html><body>502</body></html>', 'null', '[]', '{}', '"x"', '[[]]', '\u0000'])
    case 2:
      return `${text}${text}`
    case 3:
      return text.replaceAll('"id"', '"ID"')
    default:
      return text
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Starts one before a node. */
export async function startHostileNode(target: string, seed: number): Promise<HostileNode> {
  const random = createRandom(seed)
  const draw = createDraw(seed)
  const last = new Map<string, Reply>()
  let [perMille, count] = [0, 0]
  const isSpoilt = (): boolean => {
    const spoilt = random.below(1_000) < perMille
    if (spoilt) count++
    return spoilt
  }
  const answerOne = async (call: Call): Promise<Reply> => {
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' } } as const
    const { body } = await request(target, { ...asked, body: JSON.stringify({ ...call, jsonrpc: '2.0' }) })
    const reply = (await body.json()) as Reply
    const before = last.get(call.method)
    last.set(call.method, reply)
    return isSpoilt() ? spoilReply(call, reply, { random, draw, before }) : reply
  }
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = JSON.parse(await readBody(incoming)) as Call | readonly Call[]
    const calls = Array.isArray(asked) ? (asked as readonly Call[]) : [asked as Call]
    const replies = await Promise.all(calls.map(answerOne))
    const isWholeSpoilt = isSpoilt()
    if (isWholeSpoilt && random.below(4) === 0) return void response.destroy()
    if (isWholeSpoilt && random.below(4) === 0) await wait(SLOW_MS)
    const order = isWholeSpoilt && random.below(2) === 0 ? replies.toReversed() : replies
    const text = JSON.stringify(Array.isArray(asked) ? order : order[0])
    const status = isWholeSpoilt ? random.pick([200, 200, 200, 429, 500, 503, 302, 404]) : 200
    response.writeHead(status, { 'content-type': isWholeSpoilt ? 'text/html' : 'application/json' })
    if (isWholeSpoilt && random.below(60) === 0) response.write(GIANT)
    response.end(isWholeSpoilt ? spoilText(text, random) : text)
  }
  const server = createServer((incoming, response) => {
    response.on('error', () => undefined)
    answer(incoming, response).catch(() => void response.destroy())
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    ...{ url: origin, close },
    count: () => count,
    beHostile: (next) => {
      perMille = next
    },
  }
}
