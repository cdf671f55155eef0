/**
 * Upstreams refuse parts of a request that its answer does not need: what the gateway adds, or what a history brings
 * from elsewhere. The request is sent once more without, and from then on so at once.
 */
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  sendCompletion,
  sendStream,
  type StubCall,
  type StubHandler,
} from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { askSurface, type Surface, surfaces } from './surfaces.ts'

const stub = useStubUpstream()
const gateway = useGatewayPerTest(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { prices: { local: { input: '1', output: '2' }, embedder: { input: '1', output: '1' } } },
}))

const answer = (call: StubCall, response: ServerResponse): void =>
  call.wantsStream ? sendStream(response) : sendCompletion(response)

/** Refuses every request whose body says one of the words. */
function refusing(words: readonly string[], error: string, status = 400): StubHandler {
  return (call, response) => {
    if (!words.some((word) => call.text.includes(`"${word}"`))) return answer(call, response)
    response.writeHead(status, { 'content-type': 'application/json' }).end(error)
  }
}

beforeEach(() => void (stub.chats.length = 0))

const streamed = surfaces.filter(({ isStream }) => isStream)

describe.each(streamed)('$name: an upstream that refuses stream_options', (surface) => {
  test.each([
    // Source: vLLM before 0.4.3, and servers made with pydantic that forbid what they do not know.
    ['in a sentence', '{"error":{"message":"Unrecognized request argument supplied: stream_options"}}', 400],
    [
      'by its place alone',
      '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}',
      422,
    ],
    ['without a word about it', '{"error":{"message":"Bad Request"}}', 400],
  ])('%s streams without, and at once from then on', async (_way, error, status) => {
    stub.onChat = refusing(['stream_options'], error, status)
    for (const asked of [2, 3]) {
      const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
      expect([result.status, result.text, result.error]).toEqual([200, 'Hello world', null])
      expect(charge).toBeGreaterThan(0n)
      expect(stub.chats).toHaveLength(asked)
    }
    expect((await lastRecord(gateway)).status).toBe('ok')
  })
})

test('what the client itself got wrong is asked twice at most, and its own error comes back', async () => {
  const error = '{"error":{"message":"temperature is too high","param":"temperature"}}'
  stub.onChat = refusing(['temperature'], error)
  const chat = streamed[0] as Surface
  expect(await askSurface(gateway, chat, { temperature: 9 })).toMatchObject({
    status: 400,
    error: 'upstream_rejected_request',
  })
  expect(stub.chats).toHaveLength(2)
  // An answer has shown that the upstream takes what the gateway adds: from now on nothing is asked twice.
  stub.onChat = refusing(['temperature'], error)
  expect((await askSurface(gateway, chat)).status).toBe(200)
  expect((await askSurface(gateway, chat, { temperature: 9 })).status).toBe(400)
  expect(stub.chats).toHaveLength(4)
})

test('a refusal that quotes a prompt teaches nothing', async () => {
  const chat = streamed[0] as Surface
  stub.onChat = refusing(['bad'], '{"error":{"message":"cannot read: stream_options"}}')
  expect((await askSurface(gateway, chat, { messages: [{ role: 'user', content: 'bad' }] })).status).toBe(400)
  stub.onChat = answer
  await askSurface(gateway, chat)
  expect(stub.chats.at(-1)?.json).toMatchObject({ stream_options: { include_usage: true } })
})

test.each([500, 502, 504, 408])('status %d may have been worked on, and is not asked again', async (status) => {
  stub.onChat = refusing(['stream_options'], '{"error":{"message":"no stream_options"}}', status)
  await askSurface(gateway, streamed[0] as Surface)
  expect(stub.chats).toHaveLength(1)
})

/** A history with reasoning and a call, in the words of each form. */
const HISTORY: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I add.',
        tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'add', arguments: '{"n": 1.0}' } }],
      },
      { role: 'tool', tool_call_id: 'call_a', content: '2' },
    ],
  },
  '/v1/messages': {
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I add.', signature: '' },
          { type: 'tool_use', id: 'call_a', name: 'add', input: { n: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: '2' }] },
    ],
  },
  '/v1/responses': {
    input: [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I add.' }] },
      { type: 'function_call', call_id: 'call_a', name: 'add', arguments: '{"n": 1}' },
      { type: 'function_call_output', call_id: 'call_a', output: '2' },
    ],
  },
}

const historyOf = ({ path }: Surface) => HISTORY[path] as Record<string, unknown>

// Most servers name the first part that they refuse, and the next one once that is gone.
test.each(surfaces)('$name: parts that are refused one after the other', async (surface) => {
  const isMarked = surface.path.endsWith('completions')
  const parts = ['stream_options', ...(isMarked ? ['cache_control'] : []), 'reasoning_content']
  stub.onChat = (call, response) => {
    const part = parts.find((each) => call.text.includes(`"${each}"`))
    if (part === undefined) return answer(call, response)
    const error = { message: `Extra inputs are not permitted: ${part}` }
    response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  }
  const body = { ...historyOf(surface), ...(isMarked ? { cache_control: { type: 'ephemeral' } } : {}) }
  const refusals = parts.length - (surface.isStream ? 0 : 1)
  for (const asked of [refusals + 1, refusals + 2]) {
    expect((await askSurface(gateway, surface, body)).status).toBe(200)
    expect(stub.chats).toHaveLength(asked)
  }
})

describe.each(surfaces)('$name: a history with reasoning', (surface) => {
  test('goes without it to an upstream that refuses the field', async () => {
    // Source: janhq/jan#8136, Groq.
    const error =
      "{\"error\":{\"message\":\"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : " +
      'property \'reasoning_content\' is unsupported)]","type":"invalid_request_error"}}'
    stub.onChat = refusing(['reasoning_content'], error)
    for (const asked of [2, 3]) {
      expect((await askSurface(gateway, surface, historyOf(surface))).status).toBe(200)
      expect(stub.chats).toHaveLength(asked)
    }
    const sent = stub.chats.at(-1)?.text ?? ''
    expect(sent).not.toContain('I add.')
    expect(sent).toContain('call_a')
    // Everything else stays, to the digit.
    if (surface.path.endsWith('completions')) expect(sent).toContain('{\\"n\\": 1.0}')
  })

  test('goes back in the upstream’s own spelling', async () => {
    stub.onChat = (call, response) => {
      const speech = { content: 'Hello', reasoning: 'hm' }
      if (!call.wantsStream) return sendCompletion(response, { message: speech })
      response.end(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: speech, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
      )
    }
    await askSurface(gateway, surface)
    await askSurface(gateway, surface, historyOf(surface))
    const messages = stub.chats.at(-1)?.json?.['messages'] as readonly Record<string, unknown>[]
    expect(messages[1]).toMatchObject({ reasoning: 'I add.' })
    expect(messages[1]).not.toHaveProperty('reasoning_content')
  })
})

const MARK = { type: 'ephemeral', ttl: '1h', scope: 'global' }
const TOOL = { name: 'add', description: 'Adds.' }

describe.each(surfaces.filter(({ path }) => !path.endsWith('responses')))('$name: marks for a cache', (surface) => {
  const isMessages = surface.path.endsWith('messages')
  const marked = {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: MARK }] }],
    tools: [
      isMessages
        ? { ...TOOL, input_schema: { type: 'object' }, cache_control: MARK }
        : { type: 'function', function: { ...TOOL, parameters: { type: 'object' } }, cache_control: MARK },
    ],
  }

  test('are taken off for an upstream that refuses them', async () => {
    stub.onChat = refusing(['cache_control'], '{"error":{"message":"Extra inputs are not permitted: cache_control"}}')
    for (const asked of [2, 3]) {
      expect((await askSurface(gateway, surface, marked)).status).toBe(200)
      expect(stub.chats).toHaveLength(asked)
    }
    expect(stub.chats.at(-1)?.text).not.toContain('cache_control')
  })

  test('stay for all others', async () => {
    stub.onChat = answer
    await askSurface(gateway, surface, marked)
    expect(stub.chats.at(-1)?.text).toContain('"cache_control"')
    // A member of Anthropic's own that no chat knows.
    if (isMessages) expect(stub.chats.at(-1)?.text).not.toContain('global')
  })
})

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const URL_OF_PIXEL = `data:image/png;base64,${PIXEL}`

/** Two results beside each other: a text with an image, and an image alone. */
const IMAGES: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    messages: [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: ['call_a', 'call_b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'see', arguments: '{}' },
        })),
      },
      {
        role: 'tool',
        tool_call_id: 'call_a',
        content: [
          { type: 'text', text: 'seen' },
          { type: 'image_url', image_url: { url: URL_OF_PIXEL } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_b', content: [{ type: 'image_url', image_url: { url: URL_OF_PIXEL } }] },
    ],
  },
  '/v1/messages': {
    messages: [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: ['call_a', 'call_b'].map((id) => ({ type: 'tool_use', id, name: 'see', input: {} })),
      },
      {
        role: 'user',
        content: ['call_a', 'call_b'].map((id) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: [
            ...(id === 'call_a' ? [{ type: 'text', text: 'seen' }] : []),
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          ],
        })),
      },
    ],
  },
  '/v1/responses': {
    input: [
      { role: 'user', content: 'Look.' },
      { type: 'function_call', call_id: 'call_a', name: 'see', arguments: '{}' },
      { type: 'function_call', call_id: 'call_b', name: 'see', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'call_a',
        output: [
          { type: 'input_text', text: 'seen' },
          { type: 'input_image', image_url: URL_OF_PIXEL },
        ],
      },
      { type: 'function_call_output', call_id: 'call_b', output: [{ type: 'input_image', image_url: URL_OF_PIXEL }] },
    ],
  },
}

test.each(surfaces)('$name: images in results of tools go in a message of the user behind them', async (surface) => {
  stub.onChat = answer
  expect((await askSurface(gateway, surface, IMAGES[surface.path] as Record<string, unknown>)).status).toBe(200)
  const messages = stub.chats.at(-1)?.json?.['messages'] as readonly Record<string, unknown>[]
  const image = { type: 'image_url', image_url: { url: URL_OF_PIXEL } }
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
  expect(messages.slice(2)).toMatchObject([
    { tool_call_id: 'call_a', content: [{ type: 'text', text: 'seen' }] },
    { tool_call_id: 'call_b', content: expect.stringMatching(/\S/) },
    { content: [image, image] },
  ])
})

describe('vectors of an upstream that has numbers alone', () => {
  const NUMBERS = [0.5, -0.25, 1]
  const handler: StubHandler = (call, response) => {
    const isRefused = call.json?.['encoding_format'] === 'base64'
    const body = isRefused
      ? { error: { message: "encoding_format: Input should be 'float'" } }
      : { data: [{ index: 0, embedding: NUMBERS }], usage: { prompt_tokens: 3, total_tokens: 3 } }
    asked.push(call)
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const asked: StubCall[] = []

  test('are encoded here, and asked for as they are from then on', async () => {
    stub.onOther = handler
    for (const times of [2, 3]) {
      const response = await gateway.fetch('/v1/embeddings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'embedder', input: 'Hi', encoding_format: 'base64' }),
      })
      const { data } = (await response.json()) as { data: readonly { embedding: string }[] }
      const bytes = Buffer.from(data[0]?.embedding ?? '', 'base64')
      expect(Array.from(NUMBERS, (_number, index) => bytes.readFloatLE(index * 4))).toEqual(NUMBERS)
      expect(asked.filter(({ path }) => path.endsWith('/embeddings'))).toHaveLength(times)
    }
  })
})
