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
  for (const event of events) {
    const at = event['index'] as number
    if (event['type'] === 'content_block_start') blocks[at] = { ...(event['content_block'] as Json) }
    const { partial_json: piece } = (event['delta'] ?? {}) as Json
    if (typeof piece === 'string') blocks[at] = { ...blocks[at], input: JSON.parse(piece) as unknown }
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
