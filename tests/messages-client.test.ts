/** The Messages form through Anthropic's own client, unmodified, against a whole gateway. */
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf, failureOf, lastRecord, nanocreditsIn } from './charge-of.ts'

type Request = Anthropic.MessageCreateParamsNonStreaming

const hello: Request = { model: 'svc-gpt', max_tokens: 500, messages: [{ role: 'user', content: 'Say hello.' }] }
const weather: Anthropic.Tool = {
  name: 'get_weather',
  description: 'Weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const usage = {
  prompt_tokens: 100,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 30 },
}

const clientOf = (gateway: TestGateway, apiKey = gateway.key): Anthropic =>
  new Anthropic({ baseURL: gateway.baseUrl, apiKey, authToken: null, maxRetries: 0 })

describe('with the sandbox', () => {
  const gateway = useGateway()
  let client: Anthropic
  beforeAll(() => {
    client = clientOf(gateway)
  })

  test('a whole answer has its text, its usage and its charge', async () => {
    const { result, charge } = await chargeOf(gateway, () => client.messages.create({ ...hello, system: 'Be brief.' }))
    expect(result).toMatchObject({ type: 'message', role: 'assistant', model: 'svc-gpt', stop_reason: 'end_turn' })
    expect(result.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/sandbox/i) }])
    const counted = cardOf(result.usage.input_tokens, result.usage.output_tokens)
    expect([nanocreditsIn(result), counted]).toEqual([charge, charge])
  })

  test('a stream has its events in their order, and its charge on the last', async () => {
    const events: Anthropic.RawMessageStreamEvent[] = []
    const { charge } = await chargeOf(gateway, async () => {
      for await (const event of await client.messages.create({ ...hello, stream: true })) events.push(event)
    })
    const kinds = events.map((event) => event.type).filter((kind, index, all) => kind !== all[index - 1])
    expect(kinds).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect([nanocreditsIn(events.at(-1)), nanocreditsIn(events.at(-2))]).toEqual([charge, charge])
  })

  test('a key in the header Authorization works, too', async () => {
    const bearer = new Anthropic({ baseURL: gateway.baseUrl, apiKey: null, authToken: gateway.key })
    expect((await bearer.messages.create(hello)).stop_reason).toBe('end_turn')
  })

  test.each([{ way: 'whole' }, { way: 'streamed' }])(
    'a tool is called, and its result answered, $way',
    async ({ way }) => {
      const ask = (request: Request): Promise<Anthropic.Message> =>
        way === 'whole' ? client.messages.create(request) : client.messages.stream(request).finalMessage()
      const question = { role: 'user' as const, content: 'Call get_weather.' }
      const asked = await ask({ ...hello, messages: [question], tools: [weather], tool_choice: { type: 'any' } })
      expect(asked.stop_reason).toBe('tool_use')
      const call = asked.content.find((block) => block.type === 'tool_use')
      if (call === undefined) throw new Error('no call')
      expect(call.input).toHaveProperty('city')
      const result = { type: 'tool_result' as const, tool_use_id: call.id, content: 'Hail, 4 degrees.' }
      const told = await ask({
        ...hello,
        messages: [question, { role: 'assistant', content: asked.content }, { role: 'user', content: [result] }],
        tools: [weather],
      })
      expect(told.content).toMatchObject([{ type: 'text', text: expect.stringContaining('Hail, 4 degrees.') }])
    },
  )

  test('its tokens are counted before it is sent, free, with tools and images', async () => {
    const { max_tokens: _limit, ...question } = hello
    const { result, charge } = await chargeOf(gateway, async () => {
      const plain = await client.messages.countTokens(question)
      const more = await client.messages.countTokens({ ...question, system: 'Be brief.', tools: [weather] })
      const source = { type: 'url' as const, url: 'https://pictures.example/1.png' }
      const seen = { role: 'user' as const, content: [{ type: 'image' as const, source }] }
      const withImage = await client.messages.countTokens({ ...question, messages: [...question.messages, seen] })
      return [plain, more, withImage]
    })
    const [plain, more, withImage] = result.map(({ input_tokens }) => input_tokens)
    expect(charge).toBe(0n)
    expect(plain).toBeGreaterThan(3)
    expect(more).toBeGreaterThan(plain! + 20)
    expect(withImage).toBeGreaterThan(plain! + 1_000)
    expect(result[0]).toMatchObject({ svc: { estimated: true } })
    const { usage: used } = await client.messages.create(hello)
    expect(Math.abs(used.input_tokens - plain!)).toBeLessThan(10)
  })

  test.each([
    [{ model: 'none' }, 404, 'model_not_found'],
    [{ messages: [] }, 400, 'empty_content'],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 400, 'unsupported_parameter'],
  ])('what cannot be counted is refused as it would be when it is sent: %o', async (more, status, code) => {
    const { max_tokens: _limit, ...question } = hello
    const asked = { ...question, ...more } as Anthropic.MessageCountTokensParams
    const error = await failureOf(client.messages.countTokens(asked))
    expect(error).toMatchObject({ status, error: { type: 'error', error: { code } } })
  })

  test('what agents send that asks for nothing is taken', async () => {
    const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }]
    const { stop_reason } = await client.messages.create({
      ...hello,
      ...({ context_management: { edits }, thinking: { type: 'adaptive', display: 'omitted' } } as object),
      tools: [{ ...weather, defer_loading: false } as Anthropic.Tool],
    })
    expect(stop_reason).toMatch(/end_turn|tool_use/)
  })

  test.each([
    ['context_management.edits.0', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
    ['context_management.edits.0', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 1 }] } }],
  ])('what would change the conversation is refused: %s', async (param, more) => {
    const error = await failureOf(client.messages.create({ ...hello, ...(more as object) }))
    expect(error).toMatchObject({ status: 400, error: { error: { code: 'unsupported_parameter', param } } })
  })

  test('thinking is in a block of its own, whole and streamed', async () => {
    const request: Request = { ...hello, max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 } }
    const whole = await client.messages.create(request)
    const streamed = await client.messages.stream(request).finalMessage()
    for (const { content } of [whole, streamed]) {
      expect(content.map((block) => block.type)).toEqual(['thinking', 'text'])
    }
  })
})

describe('with an upstream that does what the test says', () => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000' }))
  let client: Anthropic
  beforeAll(() => {
    client = clientOf(gateway)
  })
  beforeEach(() => {
    stub.chats.length = 0
    stub.onChat = (call, response) =>
      call.json?.['stream'] === true ? sendStream(response, { usage }) : sendCompletion(response, { usage })
  })

  const streamOf = (...chunks: readonly string[]): void => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      for (const data of [...chunks, usageText(usage), '[DONE]']) sendEvent(response, data)
      response.end()
    }
  }

  test('nothing of a request is lost on its way to a chat', async () => {
    // The client's types have left these out; programs send them all the same.
    const sampling: object = { temperature: 0.5, top_p: 0.9, top_k: 5 }
    const cache_control = { type: 'ephemeral' as const }
    await client.messages.create({
      model: 'svc-gpt',
      max_tokens: 300,
      system: [{ type: 'text', text: 'Be brief.', cache_control }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
            { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } },
            {
              type: 'document',
              title: 'a.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Look first.', signature: 'signed' },
            { type: 'redacted_thinking', data: 'sealed' },
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'a', name: 'get_weather', input: { city: 'Rome' } },
            { type: 'tool_use', id: 'b', name: 'get_weather', input: { city: 'Oslo' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'Sun' },
            { type: 'tool_result', tool_use_id: 'b', content: 'No such city', is_error: true },
            { type: 'text', text: 'Well?' },
          ],
        },
      ],
      tools: [weather],
      tool_choice: { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      ...sampling,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      metadata: { user_id: 'somebody' },
    })
    const format = 'anthropic-claude-v1'
    const call = (id: string, city: string): object => {
      return { id, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } }
    }
    const { model: _model, usage: _usage, plugins: _plugins, ...sent } = stub.chats[0]?.json ?? {}
    expect(sent).toEqual({
      max_tokens: 300,
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
            { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          ],
        },
        {
          role: 'assistant',
          content: 'Let me look.',
          reasoning_content: 'Look first.',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Look first.', signature: 'signed', format },
            { type: 'reasoning.encrypted', data: 'sealed', format },
          ],
          tool_calls: [call('a', 'Rome'), call('b', 'Oslo')],
        },
        { role: 'tool', tool_call_id: 'a', content: 'Sun' },
        {
          role: 'tool',
          tool_call_id: 'b',
          content: [
            { type: 'text', text: 'Error:' },
            { type: 'text', text: 'No such city' },
          ],
        },
        { role: 'user', content: 'Well?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'get_weather', description: weather.description, parameters: weather.input_schema },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      parallel_tool_calls: false,
      stop: ['END'],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      reasoning_effort: 'low',
      user: 'somebody',
    })
  })

  test('counts come through with their parts, and the charge is the one of the chat', async () => {
    const whole = await chargeOf(gateway, () => client.messages.create(hello))
    const streamed = await chargeOf(gateway, () => client.messages.stream(hello).finalMessage())
    for (const { result, charge } of [whole, streamed]) {
      expect(result.usage).toMatchObject({ input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 50 })
      expect(charge).toBe(cardOf(100, 50))
    }
    expect(nanocreditsIn(whole.result)).toBe(cardOf(100, 50))
    expect(await lastRecord(gateway)).toMatchObject({ type: 'chat', status: 'ok', stream: true })
  })

  test('calls that come side by side become blocks that follow one another', async () => {
    const call = (index: number, part: object): string => chunkText({ tool_calls: [{ index, ...part }] })
    streamOf(
      chunkText({ reasoning_details: [{ type: 'reasoning.text', signature: 'signed' }], reasoning: 'Hm.' }),
      chunkText({ role: 'assistant', content: 'Both.' }),
      call(0, { id: 'a', type: 'function', function: { name: 'one', arguments: '{"x"' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'two', arguments: '{"y"' } }),
      call(0, { function: { arguments: ':1}' } }),
      call(1, { function: { arguments: ':2}' } }),
      chunkText({}, 'tool_calls'),
    )
    const { content, stop_reason: reason } = await client.messages.stream(hello).finalMessage()
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
      { type: 'text', text: 'Both.' },
      { type: 'tool_use', id: 'a', name: 'one', input: { x: 1 } },
      { type: 'tool_use', id: 'b', name: 'two', input: { y: 2 } },
    ])
    expect(reason).toBe('tool_use')
  })

  test.each([
    ['stop_reason', 'END', 'END'],
    ['matched_stop', 'END', 'END'],
    ['stop_reason', '<|im_end|>', null],
    ['stop_reason', 'stop', null],
    ['matched_stop', 151_645, null],
    ['stop_reason', null, null],
  ])('an answer whose upstream says %s %j was ended by the sequence %j', async (name, value, sequence) => {
    const end = { index: 0, finish_reason: 'stop', [name]: value }
    const stopped: Request = { ...hello, stop_sequences: ['FIN', 'END'] }
    const expected = { stop_reason: sequence === null ? 'end_turn' : 'stop_sequence', stop_sequence: sequence }
    stub.onChat = (_call, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ choices: [{ ...end, message: { role: 'assistant', content: 'Hel' } }], usage }))
    }
    expect(await client.messages.create(stopped)).toMatchObject(expected)
    streamOf(chunkText({ content: 'Hel' }), JSON.stringify({ choices: [{ ...end, delta: {} }] }))
    expect(await client.messages.stream(stopped).finalMessage()).toMatchObject(expected)
  })

  test('the id of a request is where the client reads it, of an answer, a repeated one and a failure', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { usage })
    const headers = { 'idempotency-key': 'a-name' }
    const first = await client.messages.create(hello, { headers })
    expect(first._request_id).toBe((await lastRecord(gateway)).id)
    expect((await client.messages.create(hello, { headers }))._request_id).toBe(first._request_id)
    const failed = await failureOf(client.messages.create({ ...hello, model: 'none' }))
    expect(failed).toMatchObject({ requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })

  test('an answer that was cut says so', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { usage, finishReason: 'length' })
    expect((await client.messages.create(hello)).stop_reason).toBe('max_tokens')
    streamOf(chunkText({ content: 'Hel' }), chunkText({}, 'length'))
    expect((await client.messages.stream(hello).finalMessage()).stop_reason).toBe('max_tokens')
  })

  test('failures have their true status in the form of the client, and cost nothing', async () => {
    const dear: Request = { ...hello, model: 'openai/gpt-6-astra', max_tokens: 100_000 }
    const failures: readonly [object, () => PromiseLike<unknown>][] = [
      [{ status: 402, type: 'billing_error' }, () => client.messages.create({ ...dear, stream: true })],
      [{ status: 401, type: 'authentication_error' }, () => clientOf(gateway, 'sk-svc-wrong').messages.create(hello)],
      [{ status: 404, type: 'not_found_error' }, () => client.messages.create({ ...hello, model: 'none' })],
      [{ status: 400 }, () => client.messages.create({ ...hello, messages: [{ role: 'user', content: ' ' }] })],
      [{ status: 400 }, () => client.messages.create({ ...hello, max_tokens: 0 })],
    ]
    const { charge } = await chargeOf(gateway, async () => {
      for (const [expected, ask] of failures) {
        const error = await failureOf(ask())
        expect(error).toBeInstanceOf(APIError)
        expect(error).toMatchObject(expected)
        expect(error).toMatchObject({ error: { type: 'error', request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
      }
      stub.onChat = (_call, response) => void response.writeHead(500).end('<html>')
      expect(await failureOf(client.messages.create(hello))).toMatchObject({ status: 502, type: 'api_error' })
    })
    expect(charge).toBe(0n)
  })

  test('a stream that breaks ends with an error, never with a clean end', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hel' }))
      response.socket?.end()
    }
    const kinds: string[] = []
    const read = async (): Promise<void> => {
      for await (const event of await client.messages.create({ ...hello, stream: true })) kinds.push(event.type)
    }
    expect(await failureOf(read())).toBeInstanceOf(APIError)
    expect(kinds).toContain('content_block_delta')
    expect(kinds).not.toContain('message_stop')
  })

  test('a caller who hangs up pays for what was delivered', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello there' }))
    }
    const { charge } = await chargeOf(gateway, async () => {
      for await (const event of await client.messages.create({ ...hello, stream: true })) {
        if (event.type === 'content_block_delta') break
      }
    })
    expect(await lastRecord(gateway)).toMatchObject({ status: 'cancelled', estimated: true })
    expect(charge).toBeGreaterThan(0n)
    expect(charge).toBeLessThan(cardOf(100, 50))
  })
})
