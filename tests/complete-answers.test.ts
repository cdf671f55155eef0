/**
 * An answer is complete when each of its choices has ended and its usage has come, when its upstream says so, or when
 * nothing more comes for five seconds. What happens after that takes nothing from it.
 */
import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { chunkText, usageText } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { type Booked, bookedOf } from './books-of.ts'
import { finishesIn, readStream, type ReadStream } from './events-of.ts'

const stub = useStubUpstream()
stub.onChat = async (call, response) => {
  // The other forms of a chat have no such field.
  const { events, end, headers } = ANSWERS.get(String(call.json?.['user'])) ?? SILENT
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  for (const event of events) await new Promise<void>((resolve) => void response.write(event, () => resolve()))
  ENDS[end](response)
}
stub.onOther = (call, response) => {
  const isAsked = call.path.endsWith('/generation?id=gen-late')
  response.writeHead(isAsked ? 200 : 404, { 'content-type': 'application/json' })
  response.end(isAsked ? '{"data":{"total_cost":0.002}}' : '{}')
}
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { prices: { local: { input: '1', output: '2' } } },
}))
/** Its upstream is asked for costs. */
const asking = useGateway(() => ({ upstreamUrl: stub.url }))

const event = (data: string): string => `data: ${data}\n\n`
const says = (delta: Record<string, unknown>, finish: string | null = null): string => event(chunkText(delta, finish))
const counts = (prompt_tokens: number, completion_tokens: number): string =>
  event(usageText({ prompt_tokens, completion_tokens }))
const HELLO = says({ content: 'Hello' })
const STOP = says({}, 'stop')
const USAGE = counts(10, 5)
const FAILS = event('{"error":{"message":"boom","code":500}}')
const DONE = event('[DONE]')
/** Of 10 and 5 tokens. */
const LISTED = 24_000_000n

/** How the connection goes on after the events. */
const ENDS = {
  silence: () => undefined,
  reset: (response: ServerResponse) => void response.destroy(),
  close: (response: ServerResponse) => void response.end(),
  comments: (response: ServerResponse) => repeat(response, ': still here\n\n'),
  blanks: (response: ServerResponse) => repeat(response, '\n'),
  pings: (response: ServerResponse) => repeat(response, 'event: ping\ndata: {"type":"ping"}\n\n'),
  'empty chunks': (response: ServerResponse) => repeat(response, says({}) + event('{"choices":[]}')),
} as const

function repeat(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 200)
  response.once('close', () => clearInterval(timer))
}

interface Ending {
  readonly name: string
  readonly events: readonly string[]
  readonly end: keyof typeof ENDS
  readonly headers?: Record<string, string>
  readonly body?: object
  /** Nanocredits, or what was delivered. */
  readonly charge?: bigint | 'estimate'
  readonly finishes?: readonly string[]
  readonly content?: string
}

const complete: readonly Ending[] = [
  ...(['silence', 'reset', 'close', 'comments', 'blanks', 'pings', 'empty chunks'] as const).flatMap(
    (end): Ending[] => [
      { name: `usage, then ${end}`, events: [HELLO, STOP, USAGE], end },
      {
        name: `usage with the finish reason, then ${end}`,
        events: [HELLO, event(chunkText({}, 'stop', { usage: { prompt_tokens: 10, completion_tokens: 5 } }))],
        end,
      },
      {
        name: `a finish reason with the content, usage, then ${end}`,
        events: [says({ content: 'Hello' }, 'stop'), USAGE],
        end,
      },
      { name: `usage before the finish reason, then ${end}`, events: [HELLO, USAGE, STOP], end },
      { name: `no usage, then ${end}`, events: [HELLO, STOP], end, charge: 'estimate' },
      { name: `[DONE], then ${end}`, events: [HELLO, STOP, USAGE, DONE], end },
      { name: `usage twice, then ${end}`, events: [HELLO, STOP, counts(10, 1), USAGE], end },
      {
        name: `calls of tools, usage, then ${end}`,
        events: [
          says({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] }),
          says({}, 'tool_calls'),
          USAGE,
        ],
        ...{ end, finishes: ['tool_calls'], content: '' },
      },
    ],
  ),
  { name: 'usage, then an error', events: [HELLO, STOP, USAGE, FAILS], end: 'close' },
  { name: 'usage, then an error and silence', events: [HELLO, STOP, USAGE, FAILS], end: 'silence' },
  { name: 'usage, then nonsense', events: [HELLO, STOP, USAGE, event('{"choi')], end: 'silence' },
  { name: 'no usage, then nonsense', events: [HELLO, STOP, event('{"choi')], end: 'silence', charge: 'estimate' },
  {
    name: 'more content after its end, then silence',
    events: [HELLO, STOP, says({ content: ' you' }), USAGE],
    ...{ end: 'silence', content: 'Hello you' },
  },
  {
    name: 'two choices, then silence',
    events: [choice(0, 'Hello', null), choice(1, 'Hi', 'stop'), choice(0, '', 'stop'), USAGE],
    ...{ end: 'silence', body: { n: 2 }, finishes: ['stop', 'stop'] },
  },
  {
    name: 'one of two choices and usage, from a server that knows of one, then silence',
    events: [HELLO, STOP, USAGE],
    ...{ end: 'silence', body: { n: 2 } },
  },
]

function choice(index: number, content: string, finish_reason: string | null): string {
  return event(JSON.stringify({ choices: [{ index, delta: { content }, finish_reason }] }))
}

const incomplete: readonly Ending[] = [
  { name: 'an error before the usage', events: [HELLO, STOP, FAILS], end: 'close', charge: 0n },
  {
    name: 'a choice without an end',
    events: [choice(0, 'Hello', 'stop'), choice(1, 'Hi', null)],
    end: 'reset',
    body: { n: 2 },
    charge: 'estimate',
  },
  { name: 'a choice that never began', events: [HELLO, STOP], end: 'reset', body: { n: 2 }, charge: 'estimate' },
  { name: 'usage without an end', events: [HELLO, USAGE], end: 'reset' },
]

const late: Ending = {
  name: 'a cost that is reported later',
  events: [HELLO, STOP],
  ...{ end: 'silence', headers: { 'x-generation-id': 'gen-late' }, charge: 2_400_000_000n, body: { model: 'svc-gpt' } },
}

const ANSWERS = new Map([...complete, ...incomplete, late].map((ending) => [ending.name, ending]))
const QUESTION = { model: 'local', messages: [{ role: 'user', content: 'Say hello.' }] }

interface Ended {
  readonly seconds: number
  readonly stream: ReadStream
  readonly books: Booked
}

async function ask({ name, body }: Ending, target = gateway): Promise<Ended> {
  const askedAt = performance.now()
  const response = await target.chat({ ...QUESTION, ...body, user: name, stream: true })
  const stream = await readStream(response)
  return {
    stream,
    seconds: (performance.now() - askedAt) / 1_000,
    books: await bookedOf(target, response.headers.get('x-request-id')),
  }
}

async function askAll(endings: readonly Ending[]): Promise<Map<string, Ended>> {
  return new Map(await Promise.all(endings.map(async (ending) => [ending.name, await ask(ending)] as const)))
}

function expectCharge({ books }: Ended, { charge = LISTED }: Ending): void {
  const isEstimate = charge === 'estimate'
  expect(books).toMatchObject({ writeOff: 0n, isEstimated: isEstimate, ...(isEstimate ? {} : { charge }) })
  if (isEstimate) expect(books.charge > 0n && books.charge < LISTED * 2n).toBe(true)
}

const SILENT = complete[0] as Ending

const FORMS = [
  { path: '/v1/chat/completions', body: { messages: QUESTION.messages }, end: '"finish_reason":"stop"' },
  {
    path: '/v1/responses',
    body: { input: 'Hi', store: false, stream: true },
    end: '"type":"response.completed"',
  },
  {
    path: '/v1/messages',
    body: { max_tokens: 50, messages: QUESTION.messages, stream: true },
    end: '"type":"message_stop"',
  },
] as const

interface AnsweredForm {
  readonly text: string
  readonly books: Booked
}

async function askForm({ path, body }: (typeof FORMS)[number]): Promise<AnsweredForm> {
  const response = await gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'local', ...body }),
  })
  const text = await response.text()
  return { text, books: await bookedOf(gateway, response.headers.get('x-request-id')) }
}

describe('a complete answer ends as one', () => {
  let ended: Map<string, Ended>
  let forms: readonly AnsweredForm[]
  let asked: Ended
  // All at once: those that fall silent are waited for.
  beforeAll(async () => {
    const waits = [askAll(complete), Promise.all(FORMS.map(askForm)), ask(late, asking)] as const
    ;[ended, forms, asked] = await Promise.all(waits)
  })

  test.each(complete)('$name', (ending) => {
    const { name, finishes = ['stop'], content = 'Hello' } = ending
    const answer = ended.get(name)!
    const { frames, events } = answer.stream
    expect([frames.filter(({ error }) => error !== undefined), events.at(-1)]).toEqual([[], '[DONE]'])
    expect([answer.stream.content, finishesIn(frames)]).toEqual([content, finishes])
    expect(frames.at(-1)?.svc?.['estimated']).toBe(answer.books.isEstimated ? true : undefined)
    expect(answer.books).toMatchObject({ status: 'ok', errorCode: null })
    // Five of them are waited for more; what says nothing of the answer makes them no longer.
    expect(answer.seconds).toBeLessThan(12)
    expectCharge(answer, ending)
  })

  test.each(FORMS)('in the form of $path', ({ path, end }) => {
    const { text, books } = forms[FORMS.findIndex((form) => form.path === path)]!
    expect([text.includes(end), text.includes('"error":{')]).toEqual([true, false])
    expect(books).toMatchObject({ charge: LISTED, status: 'ok', isEstimated: false })
  })

  test('and is charged by a cost that is reported later', () => {
    const { stream, books } = asked
    expect([stream.content, finishesIn(stream.frames), stream.events.at(-1)]).toEqual(['Hello', ['stop'], '[DONE]'])
    expect(books).toMatchObject({ status: 'ok', charge: late.charge, writeOff: 0n })
  })
})

test.each(incomplete)('an answer with $name ends in an error frame', async (ending) => {
  const { stream, books } = await ask(ending)
  expect(stream.frames.at(-1)?.error?.['code']).toBe('upstream_error')
  expect(books.errorCode).toBe('upstream_error')
  const { charge = LISTED } = ending
  if (charge === 'estimate') expect(books.charge > 0n).toBe(true)
  else expect(books.charge).toBe(charge)
})
