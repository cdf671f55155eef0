/** What an upstream needs again in the next turn survives the turn, in every form of a chat. */
import { beforeEach, expect, test } from 'vitest'
import { chunkText, sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { askSurface, type SurfaceAnswer, surfaces } from './surfaces.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { prices: { local: { input: '1', output: '2' } } },
}))

beforeEach(() => void (stub.chats.length = 0))

// Source: Gemini's API reference, OpenAI compatibility, thought signatures.
const SIGNED = { extra_content: { google: { thought_signature: 'c2lnbmVk+/8=' } } }
const CALL = { id: 'call_a', type: 'function', function: { name: 'add', arguments: '{"p":1}' }, ...SIGNED }
// Source: OpenRouter's API reference, `reasoning_details` of models that are not Anthropic's.
const DETAIL = { type: 'reasoning.encrypted', data: 'c2VhbGVk', id: 'call_a', format: 'google-gemini-v1', index: 0 }

type Json = Readonly<Record<string, unknown>>
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : [])

/** The second turn, as an agent makes it of the first answer: with the items or blocks as they came. */
const nextTurn: Readonly<Record<string, (answer: SurfaceAnswer) => Json>> = {
  '/v1/messages': ({ events }) => {
    const blocks = list(events[0]?.['content']).length > 0 ? list(events[0]?.['content']) : blocksIn(events)
    const id = blocks.find(({ type }) => type === 'tool_use')?.['id']
    return {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: blocks },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: '2' }] },
      ],
    }
  },
  '/v1/responses': ({ events }) => {
    const whole = (events.at(-1)?.['response'] ?? events.at(-1)) as Json
    const output = list(whole['output'])
    const id = output.find(({ type }) => type === 'function_call')?.['call_id']
    return {
      input: [{ role: 'user', content: 'Hi' }, ...output, { type: 'function_call_output', call_id: id, output: '2' }],
    }
  },
  '/v1/chat/completions': ({ events }) => {
    const choices = events.flatMap(({ choices: each }) => list(each))
    const speech = choices.map((choice) => (choice['delta'] ?? choice['message']) as Json)
    const message = Object.assign({}, ...speech) as Json
    const calls = speech.flatMap((each) => list(each['tool_calls']))
    return {
      messages: [
        { role: 'user', content: 'Hi' },
        { ...message, role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: calls[0]?.['id'], content: '2' },
      ],
    }
  },
}

function blocksIn(events: readonly Json[]): readonly Json[] {
  const blocks: Record<string, unknown>[] = []
  const inputs: (string | undefined)[] = []
  for (const event of events) {
    const at = event['index'] as number
    if (event['type'] === 'content_block_start') blocks[at] = { ...(event['content_block'] as Json) }
    const { partial_json: piece, text } = (event['delta'] ?? {}) as Json
    if (typeof piece === 'string') inputs[at] = (inputs[at] ?? '') + piece
    if (typeof text === 'string') blocks[at] = { ...blocks[at], text: String(blocks[at]?.['text']) + text }
  }
  for (const [at, input] of inputs.entries()) {
    if (input !== undefined) blocks[at] = { ...blocks[at], input: JSON.parse(input) as unknown }
  }
  return blocks
}

test.each(surfaces)('$name: a signature of a call, and sealed reasoning', async (surface) => {
  stub.onChat = (call, response) => {
    const speech = { content: null, tool_calls: [CALL], reasoning_details: [DETAIL] }
    if (!call.wantsStream) return sendCompletion(response, { text: null, message: speech, finishReason: 'tool_calls' })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${chunkText({ reasoning_details: [DETAIL] })}\n\n`)
    response.write(`data: ${chunkText({ tool_calls: [CALL] })}\n\n`)
    response.end(`data: ${chunkText({}, 'stop')}\n\ndata: [DONE]\n\n`)
  }
  const first = await askSurface(gateway, surface)
  expect(first).toMatchObject({ status: 200, finish: 'tool_calls' })
  const turn = (nextTurn[surface.path] as (answer: SurfaceAnswer) => Json)(first)
  expect((await askSurface(gateway, surface, turn)).status).toBe(200)
  const messages = list(stub.chats.at(-1)?.json?.['messages'])
  expect(messages.at(-2)).toMatchObject({
    role: 'assistant',
    tool_calls: [{ id: 'call_a', ...SIGNED }],
    reasoning_details: [DETAIL],
  })
  expect(messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_a' })
})

const chunk = (delta: Record<string, unknown>, finish: string | null = null): string =>
  `data: ${chunkText(delta, finish)}\n\n`
const INPUT = { id: 'call_a', type: 'function', function: { name: 'add', arguments: '{"p":1}' } }

// Source: open-webui/computer#224, a signature alone behind its call, and one behind the text.
const streamed = surfaces.filter(({ isStream }) => isStream)
test.each(streamed)('$name: a signature that comes behind the call that it signs', async (surface) => {
  stub.onChat = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ tool_calls: [{ ...INPUT, index: 0, function: { name: 'add', arguments: '{"p":' } }] }))
    response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }))
    response.write(chunk({ tool_calls: [{ ...INPUT, id: 'call_b', index: 1 }] }))
    response.write(chunk({ tool_calls: [{ index: 0, ...SIGNED }] }))
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
  }
  const first = await askSurface(gateway, surface)
  expect(first).toMatchObject({ status: 200, finish: 'tool_calls' })
  const turn = (nextTurn[surface.path] as (answer: SurfaceAnswer) => Json)(first)
  expect((await askSurface(gateway, surface, turn)).status).toBe(200)
  const sent = list(stub.chats.at(-1)?.json?.['messages']).find(({ role }) => role === 'assistant') ?? {}
  if (surface.path.endsWith('completions'))
    return expect(JSON.stringify(sent)).toContain(JSON.stringify(SIGNED).slice(1, -1))
  const [one, other] = list(sent['tool_calls'])
  expect(one).toMatchObject({ id: 'call_a', ...SIGNED })
  expect(other).toMatchObject({ id: 'call_b' })
  expect(other).not.toHaveProperty('extra_content')
  expect(sent).not.toHaveProperty('reasoning_details')
})

test.each(surfaces)('$name: a signature of the text', async (surface) => {
  stub.onChat = (call, response) => {
    if (!call.wantsStream) return sendCompletion(response, { message: SIGNED })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ content: 'Hello' }) + chunk({ content: '', ...SIGNED }, 'stop'))
    response.end('data: [DONE]\n\n')
  }
  const first = await askSurface(gateway, surface)
  expect(first).toMatchObject({ status: 200, text: 'Hello', finish: 'stop' })
  if (surface.path.endsWith('completions')) return expect(first.raw).toContain(JSON.stringify(SIGNED).slice(1, -1))
  const whole = (first.events.at(-1)?.['response'] ?? first.events.at(-1)) as Json
  const body = surface.path.endsWith('messages')
    ? {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: surface.isStream ? blocksIn(first.events) : whole['content'] },
          { role: 'user', content: 'And?' },
        ],
      }
    : { input: [{ role: 'user', content: 'Hi' }, ...list(whole['output']), { role: 'user', content: 'And?' }] }
  expect((await askSurface(gateway, surface, body)).status).toBe(200)
  expect(list(stub.chats.at(-1)?.json?.['messages'])[1]).toMatchObject({ role: 'assistant', ...SIGNED })
})

test('what a client made up in the place of a state is an id like any other', async () => {
  const id = 'call_a__svc_bm90IGpzb24'
  stub.onChat = (_call, response) => sendCompletion(response)
  const answer = await gateway.fetch('/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'local',
      input: [
        { type: 'function_call', call_id: id, name: 'add', arguments: '{}' },
        { type: 'function_call_output', call_id: id, output: '2' },
      ],
    }),
  })
  expect(answer.status).toBe(200)
  expect(list(stub.chats.at(-1)?.json?.['messages'])[1]).toMatchObject({ tool_call_id: id })
})
