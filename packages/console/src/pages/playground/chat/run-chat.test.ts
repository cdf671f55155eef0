import { createClient } from '@svc/contract'
import { expect, test } from 'vitest'
import { emptyAnswer } from './conversation.ts'
import { runChat } from './run-chat.ts'

const chunk = (delta: object, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
})
const SVC = { svc: { credits_charged: 0.5, margin_bps: 2_000 } }
const body = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }

/** A gateway that answers with these events and then ends, or breaks off. */
function gatewayThat(events: readonly unknown[], end: 'done' | 'cut' | 'hang' = 'done') {
  return createClient({
    baseUrl: 'http://localhost/api',
    key: 'k',
    fetch: (_url, init) => {
      const encoder = new TextEncoder()
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const event of events) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`))
          if (end === 'done') controller.enqueue(encoder.encode('data: [DONE]\n\n'))
          if (end !== 'hang') controller.close()
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
        },
      })
      const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'r' }
      return Promise.resolve(new Response(stream, { headers }))
    },
  })
}

interface Run {
  readonly signal?: AbortSignal
  /** What the usage says; null for no record, `unknown` until it was read. */
  readonly charged?: string | null
  readonly onText?: (text: string) => void
}

async function run(client: ReturnType<typeof createClient>, { signal, charged = '0', onText }: Run = {}) {
  let answer = emptyAnswer('a', 'm')
  const asked: (string | null)[] = []
  const recordOf = (requestId: string | null) => {
    if (charged === 'unknown') return undefined
    const record = { credits_charged: charged, estimated: true, request_id: requestId ?? 'found' }
    return charged === null ? null : (record as never)
  }
  await runChat(
    {
      name: 'a-name',
      client: () => Promise.resolve(client),
      tell: (change) => {
        answer = change(answer)
        onText?.(answer.text)
      },
      charge: (requestId) => {
        asked.push(requestId)
        return Promise.resolve(recordOf(requestId))
      },
    },
    body,
    signal ?? new AbortController().signal,
  )
  return { answer, asked }
}

test('an answer is put together, and its charge is the one of its last event', async () => {
  const events = [chunk({ role: 'assistant', content: 'He' }), chunk({ content: 'llo' }), chunk({}, SVC)]
  const { answer, asked } = await run(gatewayThat(events))
  expect(answer).toMatchObject({ text: 'Hello', state: 'done', charge: '0.5', requestId: 'r' })
  expect(asked).toEqual([])
})

// Case B187: whatever the stream ends with, the answer ends, with its error and its charge.
test.each([
  ['only usage', [chunk({}, { choices: [], usage: { prompt_tokens: 1 } })], 'done' as const, 'done'],
  ['an error frame', [{ error: { message: 'Nothing came.', code: 'upstream_empty' } }], 'cut' as const, 'failed'],
  ['a broken connection', [], 'cut' as const, 'failed'],
  ['a broken connection after some text', [chunk({ content: 'He' })], 'cut' as const, 'failed'],
])('a stream that ends with %s does not run for ever', async (_what, events, end, state) => {
  const { answer, asked } = await run(gatewayThat(events, end))
  expect(answer).toMatchObject({ state, charge: '0' })
  expect(asked).toEqual(['r'])
  if (state === 'failed') expect(answer.failure?.message).not.toBe('')
})

test('a page is updated by a fast stream far less often than its pieces come, and loses none', async () => {
  const PIECES = 20_000
  const pieces = Array.from({ length: PIECES }, (_, at) => chunk({ content: `${at},` }))
  let told = 0
  const { answer } = await run(gatewayThat([...pieces, chunk({}, SVC)]), { onText: () => (told += 1) })
  expect(answer.text.split(',').length).toBe(PIECES + 1)
  expect(answer.text.startsWith('0,1,2,')).toBe(true)
  expect(answer).toMatchObject({ state: 'done', charge: '0.5' })
  expect(told).toBeLessThan(PIECES / 20)
})

test('after a stop what had come stays, and the charge is asked for', async () => {
  const controller = new AbortController()
  const { answer } = await run(gatewayThat([chunk({ content: 'He' })], 'hang'), {
    charged: '0.25',
    signal: controller.signal,
    onText: (text) => text === 'He' && controller.abort(),
  })
  expect(answer).toMatchObject({ text: 'He', state: 'stopped', charge: '0.25', isEstimated: true, failure: null })
})

test('a stop before anything was sent asks for a request whose id never came', async () => {
  const { answer, asked } = await run(gatewayThat([]), { charged: 'unknown', signal: AbortSignal.abort() })
  expect(asked).toEqual([null])
  expect(answer).toMatchObject({ state: 'stopped', charge: null })
})

test('what a refusal says beside its words is kept: how many credits are missing', async () => {
  const error = { message: 'Not enough.', code: 'insufficient_credits', credits_short: 1.5 }
  const client = createClient({
    baseUrl: 'http://localhost/api',
    fetch: () => Promise.resolve(new Response(JSON.stringify({ error }), { status: 402 })),
  })
  const { answer } = await run(client, { charged: null })
  expect(answer.failure).toMatchObject({ code: 'insufficient_credits', details: { credits_short: '1.5' } })
  expect(answer.charge).toBe('0')
})
