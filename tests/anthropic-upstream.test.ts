/** Anthropic's own API behind the gateway: what it is sent, and what the official OpenAI client gets. */
import OpenAI from 'openai'
import type { ServerResponse } from 'node:http'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, failureOf, lastRecord, nanocreditsIn } from './charge-of.ts'
import { refusalOf } from './error-of.ts'
import { readStream } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const MODEL = 'claude-sonnet-4-5'
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const question = { model: MODEL, messages: [{ role: 'user' as const, content: 'Say hello.' }] }

const stub = useStubUpstream()
let client: OpenAI
let calls: StubCall[] = []
let answer: (response: ServerResponse) => void

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const message = (content: readonly object[], usage: object, stopReason = 'end_turn'): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content,
  stop_reason: stopReason,
  stop_sequence: null,
  usage,
})

function sendEvents(response: ServerResponse, events: readonly { readonly type: string }[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.end()
}

const start = (usage: object) => ({ type: 'message_start', message: { ...message([], usage), stop_reason: null } })
const open = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, change: object) => ({ type: 'content_block_delta', index, delta: change })
const close = (index: number) => ({ type: 'content_block_stop', index })
const finish = (stopReason: string, usage: object) => ({
  type: 'message_delta',
  delta: { stop_reason: stopReason, stop_sequence: null },
  usage,
})
const STOP = { type: 'message_stop' }

const hello = message([{ type: 'text', text: 'Hello' }], { input_tokens: 10, output_tokens: 5 })
const price = { input: '3', output: '15', cached_input: '0.30', cache_write: '3.75' }

/** What tokens cost, with the margin, in nanocredits: 300 dollar cents a million are 3,000,000 nanocredits a token. */
function priced(tokens: { input?: number; cached?: number; written?: number; output: number }): bigint {
  const { input = 0, cached = 0, written = 0, output } = tokens
  const cost = BigInt(input) * 3_000_000n + BigInt(cached) * 300_000n + BigInt(written) * 3_750_000n
  return ((cost + BigInt(output) * 15_000_000n) * 12n) / 10n
}

stub.onOther = (call, response) => {
  if (call.method === 'GET') {
    const row = { type: 'model', id: MODEL, display_name: 'Claude', created_at: '2025-09-29T00:00:00Z' }
    const free = { ...row, id: 'claude-unpriced' }
    return send(response, { data: [{ ...row, max_tokens: 64_000, max_input_tokens: 200_000 }, free], has_more: false })
  }
  calls.push(call)
  answer(response)
}
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'anthropic', credits: '1000000' },
  file: { prices: { [MODEL]: price } },
}))
beforeAll(() => {
  client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
})
beforeEach(() => {
  calls = []
  answer = (response) => send(response, hello)
})

const sent = (): Record<string, unknown> => calls.at(-1)?.json ?? {}

describe('requests', () => {
  test('go to /messages with the key and the version, and with a limit', async () => {
    await client.chat.completions.create(question)
    const [call] = calls
    expect([call?.method, call?.path]).toEqual(['POST', '/v1/messages'])
    expect(call?.headers).toMatchObject({ 'x-api-key': 'sk-or-v1-upstream-secret', 'anthropic-version': '2023-06-01' })
    expect(call?.headers.authorization).toBeUndefined()
    expect(sent()).toEqual({
      model: MODEL,
      max_tokens: expect.any(Number),
      stream: false,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
    })
  })

  test('carry instructions, images, parallel calls, their results and cache marks', async () => {
    await client.chat.completions.create({
      model: MODEL,
      max_tokens: 99,
      temperature: 0.5,
      stop: 'END',
      parallel_tool_calls: false,
      tool_choice: 'required',
      tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
      messages: [
        {
          role: 'system',
          content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } } as never],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
            { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a:1', type: 'function', function: { name: 'add', arguments: '{"id":12345678901234567890}' } },
            { id: 'b', type: 'function', function: { name: 'add', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a:1', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'user', content: 'And?' },
      ],
    })
    expect(calls[0]?.text).toContain('"input":{"id":12345678901234567890}')
    expect(sent()).toMatchObject({
      max_tokens: 99,
      temperature: 0.5,
      stop_sequences: ['END'],
      tools: [{ name: 'add', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    })
    expect(sent()['messages']).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          { type: 'image', source: { type: 'url', url: 'https://pictures.example/1.png' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a_1' },
          { type: 'tool_use', id: 'b', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a_1', content: [{ type: 'text', text: '1' }] },
          { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: '2' }] },
          { type: 'text', text: 'And?' },
        ],
      },
    ])
  })

  test('carry the cache marks of calls and of the request, in either form', async () => {
    const [mark, long] = [{ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }]
    const called = { id: 'a', type: 'function', function: { name: 'add', arguments: '{}' } }
    const marked = {
      cache_control: long,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'add', input: {}, cache_control: mark }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1', cache_control: mark }] },
      ],
    }
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const asked = JSON.stringify({ model: MODEL, max_tokens: 9, ...body })
      expect((await gateway.fetch(path, { method: 'POST', headers, body: asked })).status).toBe(200)
    }
    await post('/v1/chat/completions', {
      cache_control: long,
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ ...called, cache_control: mark }] },
        { role: 'tool', tool_call_id: 'a', content: '1', cache_control: mark },
      ],
    })
    expect(sent()).toMatchObject({ cache_control: long })
    expect(sent()['messages']).toMatchObject([
      { content: [{ type: 'tool_use', cache_control: mark }] },
      { content: [{ type: 'tool_result', cache_control: mark }] },
    ])
    await post('/v1/messages', marked)
    expect(sent()).toMatchObject({ cache_control: long })
    expect(sent()['messages']).toMatchObject([
      { content: [{ type: 'tool_use', cache_control: mark }] },
      { content: [{ type: 'tool_result', content: [{ type: 'text', text: '1', cache_control: mark }] }] },
    ])
  })

  test('turn an effort, a budget and a schema into what the API has', async () => {
    const json_schema = { name: 'x', schema: { type: 'object' } }
    await client.chat.completions.create({
      ...question,
      max_tokens: 10_000,
      reasoning_effort: 'medium',
      response_format: { type: 'json_schema', json_schema },
    })
    expect(sent()).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 5_000 },
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    })
    await gateway.chat({ ...question, max_tokens: 10_000, reasoning: { max_tokens: 2_000 } })
    expect(sent()['thinking']).toEqual({ type: 'enabled', budget_tokens: 2_000 })
    await gateway.chat({ ...question, max_tokens: 10_000, reasoning: { enabled: false } })
    expect(sent()['thinking']).toEqual({ type: 'disabled' })
  })

  test.each([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ frequency_penalty: 0.5 }, 'frequency_penalty'],
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ max_tokens: 2_000, reasoning: { max_tokens: 2_000 } }, 'reasoning.max_tokens'],
    [{ reasoning_effort: 'huge' }, 'reasoning_effort'],
    [{ messages: [{ role: 'function', name: 'f', content: 'x' }] }, 'messages.0.name'],
    [{ functions: [{ description: 'x' }] }, 'functions.0.name'],
    [{ functions: [{ name: 'f' }], function_call: 'sometimes' }, 'function_call'],
    [{ messages: [{ role: 'tool', tool_call_id: 'x', content: 'x' }] }, 'messages.0.tool_call_id'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,x' } }] }] },
      'image_url.url',
    ],
    [{ something_new: 1 }, 'something_new'],
  ])('that ask for what the API cannot do are a 400 that is free: %o', async (more, param) => {
    const { result, charge } = await chargeOf(gateway, async () =>
      refusalOf(await gateway.chat({ ...question, ...more })),
    )
    expect(result).toMatch(/^400 (unsupported_parameter|invalid_value) /)
    expect(result).toContain(param)
    expect([charge, calls.length]).toEqual([0n, 0])
  })
})

describe('answers', () => {
  test('are charged for what was read, cached and written', async () => {
    const usage = {
      input_tokens: 7,
      cache_read_input_tokens: 2_000,
      cache_creation_input_tokens: 300,
      output_tokens: 11,
    }
    answer = (response) => send(response, message([{ type: 'text', text: 'Hi' }], usage))
    const { result, charge } = await chargeOf(gateway, () => client.chat.completions.create(question))
    expect(charge).toBe(priced({ input: 7, cached: 2_000, written: 300, output: 11 }))
    expect(nanocreditsIn(result)).toBe(charge)
    expect(result.choices[0]).toMatchObject({ message: { content: 'Hi' }, finish_reason: 'stop' })
    expect(result.usage).toMatchObject({
      prompt_tokens: 2_307,
      completion_tokens: 11,
      total_tokens: 2_318,
      prompt_tokens_details: { cached_tokens: 2_000, cache_write_tokens: 300 },
    })
    expect(await lastRecord(gateway)).toMatchObject({ prompt_tokens: 2_307, cached_tokens: 2_000 })
  })

  test('report how long what was written lives: an hour costs more', async () => {
    const usage = {
      ...{ input_tokens: 7, cache_creation_input_tokens: 300, output_tokens: 11 },
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
    }
    answer = (response) => send(response, message([{ type: 'text', text: 'Hi' }], usage))
    const { charge } = await chargeOf(gateway, () => client.chat.completions.create(question))
    // Its price is not listed: it is twice that of input.
    const long = (200n * 6_000_000n * 12n) / 10n
    expect(charge).toBe(priced({ input: 7, cached: 0, written: 100, output: 11 }) + long)
    const { pricing } = await lastRecord(gateway)
    expect(pricing).toMatchObject({
      tokens: { input: 7, cache_write: 100, cache_write_long: 200, output: 11 },
      usd_per_token: { cache_write: '0.00000375', cache_write_long: '0.000006' },
    })
  })

  test('show thoughts and calls, and take them back with their signatures', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 'SIG' },
      { type: 'redacted_thinking', data: 'SEALED' },
      { type: 'text', text: 'Wait.' },
      { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
    ]
    answer = (response) => send(response, message(blocks, { input_tokens: 1, output_tokens: 1 }, 'tool_use'))
    const first = await client.chat.completions.create(question)
    const [choice] = first.choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Wait.', reasoning_content: 'Hm.', tool_calls: [{ function: { arguments: '{"a":1}' } }] },
    })
    const messages = [
      ...question.messages,
      ...(choice === undefined ? [] : [choice.message]),
      { role: 'tool' as const, tool_call_id: 'toolu_1', content: '2' },
    ]
    await client.chat.completions.create({ model: MODEL, messages })
    expect(sent()['messages']).toMatchObject([{}, { role: 'assistant', content: blocks }, { role: 'user' }])
  })

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
  ])('that end with %s end with %s', async (stopReason, finishReason) => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    answer = (response) => send(response, message([{ type: 'text', text: 'x' }], usage, stopReason))
    expect((await client.chat.completions.create(question)).choices[0]?.finish_reason).toBe(finishReason)
  })

  const stoppedBy = (stop: string | null) => {
    const value = message([{ type: 'text', text: 'x' }], { input_tokens: 1, output_tokens: 1 }, 'stop_sequence')
    return { ...value, stop_sequence: stop }
  }
  const messagesOf = async (stream: boolean): Promise<string> => {
    const body = { model: MODEL, max_tokens: 9, messages: question.messages, stop_sequences: ['END', 'FIN'], stream }
    const headers = { 'content-type': 'application/json' }
    return (await gateway.fetch('/v1/messages', { method: 'POST', headers, body: JSON.stringify(body) })).text()
  }

  test.each([
    ['FIN', '"stop_reason":"stop_sequence","stop_sequence":"FIN"'],
    ['</model>', '"stop_reason":"end_turn","stop_sequence":null'],
    [null, '"stop_reason":"end_turn","stop_sequence":null'],
  ])('that the sequence %j ended say so in the Messages form, where the client named it', async (stop, end) => {
    answer = (response) => send(response, stoppedBy(stop))
    expect(await messagesOf(false)).toContain(end)
    const events = [
      ...[start({ input_tokens: 1, output_tokens: 1 }), open(0, { type: 'text', text: '' })],
      ...[delta(0, { type: 'text_delta', text: 'x' }), close(0)],
      {
        type: 'message_delta',
        delta: { stop_reason: 'stop_sequence', stop_sequence: stop },
        usage: { output_tokens: 2 },
      },
      STOP,
    ]
    answer = (response) => sendEvents(response, events)
    expect(await messagesOf(true)).toContain(end)
  })

  test('to a request with functions in the old form call them in the old form, whole and streamed', async () => {
    const functions = [{ name: 'add', description: 'Adds', parameters: { type: 'object' } }]
    const asked = { ...question, functions, function_call: { name: 'add' } }
    const block = { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } }
    answer = (response) => send(response, message([block], { input_tokens: 1, output_tokens: 1 }, 'tool_use'))
    const first = (await client.chat.completions.create(asked)).choices[0]
    expect(first).toMatchObject({
      finish_reason: 'function_call',
      message: { content: null, function_call: { name: 'add', arguments: '{"a":1}' } },
    })
    expect(first?.message.tool_calls).toBeUndefined()
    expect(sent()).toMatchObject({
      tools: [{ name: 'add', description: 'Adds', input_schema: { type: 'object' } }],
      tool_choice: { type: 'tool', name: 'add', disable_parallel_tool_use: true },
    })
    answer = (response) =>
      sendEvents(response, [
        ...[start({ input_tokens: 1, output_tokens: 1 }), open(0, { ...block, input: {} })],
        ...[delta(0, { type: 'input_json_delta', partial_json: '{"a":1}' }), close(0)],
        ...[finish('tool_use', { output_tokens: 4 }), STOP],
      ])
    const streamed = await client.chat.completions.stream(asked).finalChatCompletion()
    expect(streamed.choices[0]).toMatchObject({
      finish_reason: 'function_call',
      message: { function_call: { name: 'add', arguments: '{"a":1}' } },
    })
    const result = { role: 'function' as const, name: 'add', content: '2' }
    const messages = [...question.messages, ...(first === undefined ? [] : [first.message]), result]
    answer = (response) => send(response, hello)
    await client.chat.completions.create({ model: MODEL, functions, messages })
    expect(sent()['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'function_1', name: 'add', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'function_1', content: [{ text: '2' }] }] },
    ])
  })

  test('that refuse without a word are an error, and free', async () => {
    answer = (response) => send(response, message([], { input_tokens: 9, output_tokens: 0 }, 'refusal'))
    const { result, charge } = await chargeOf(gateway, async () => refusalOf(await gateway.chat(question)))
    expect([result, charge]).toEqual(['400 content_policy_violation', 0n])
  })
})

describe('streams', () => {
  const usage = { input_tokens: 20, cache_read_input_tokens: 100, cache_creation_input_tokens: 0, output_tokens: 2 }
  const events = [
    start(usage),
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    { type: 'ping' },
    delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    delta(0, { type: 'thinking_delta', thinking: 'm.' }),
    delta(0, { type: 'signature_delta', signature: 'SIG' }),
    close(0),
    open(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'Grüße' }),
    close(1),
    open(2, { type: 'tool_use', id: 't1', name: 'add', input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '' }),
    delta(2, { type: 'input_json_delta', partial_json: '{"a":' }),
    delta(2, { type: 'input_json_delta', partial_json: '1}' }),
    close(2),
    open(3, { type: 'tool_use', id: 't2', name: 'now', input: {} }),
    close(3),
    finish('tool_use', { output_tokens: 40 }),
    STOP,
  ]

  test('bring thoughts, text and parallel calls, are charged by the last counts, and continue', async () => {
    answer = (response) => sendEvents(response, events)
    const { result, charge } = await chargeOf(gateway, async () => {
      const stream = client.chat.completions.stream({ ...question, stream_options: { include_usage: true } })
      return stream.finalChatCompletion()
    })
    expect(charge).toBe(priced({ input: 20, cached: 100, output: 40 }))
    expect(result.usage).toMatchObject({ prompt_tokens: 120, completion_tokens: 40 })
    expect(result.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Grüße',
        tool_calls: [
          { id: 't1', function: { name: 'add', arguments: '{"a":1}' } },
          { id: 't2', function: { name: 'now', arguments: '{}' } },
        ],
      },
    })
    const raw = await readStream(await gateway.chat({ ...question, stream: true }))
    const details = raw.frames.flatMap(({ choices }) => choices?.[0]?.delta['reasoning_details'] ?? [])
    await gateway.chat({
      model: MODEL,
      messages: [...question.messages, { role: 'assistant', content: 'Grüße', reasoning_details: details }],
    })
    expect(sent()['messages']).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: 'Hmm.', signature: 'SIG' },
          { type: 'text', text: 'Grüße' },
        ],
      },
    ])
  })

  test.each(['overloaded_error', 'api_error'])('that fail with %s end with an error, and free', async (type) => {
    const failed = { type: 'error', error: { type, message: 'Overloaded' } }
    answer = (response) => sendEvents(response, [...events.slice(0, 9), failed])
    const { result, charge } = await chargeOf(gateway, async () =>
      readStream(await gateway.chat({ ...question, stream: true })),
    )
    const code = type === 'overloaded_error' ? 'server_is_overloaded' : 'upstream_error'
    expect(result.frames.at(-1)?.error).toMatchObject({ code })
    expect(charge).toBe(0n)
  })

  test('that are cut are charged for the prompt as reported and for what was delivered', async () => {
    answer = (response) => sendEvents(response, events.slice(0, 9))
    const { result, charge } = await chargeOf(gateway, async () =>
      readStream(await gateway.chat({ ...question, stream: true })),
    )
    expect(result.frames.at(-1)?.error).toMatchObject({ code: 'upstream_error' })
    // Two tokens that were reported at the start, and 11 bytes since.
    expect(charge).toBe(priced({ input: 20, cached: 100, output: 2 + 3 }))
  })
})

describe('failures', () => {
  test.each([
    [400, 'invalid_request_error', 'max_tokens: too many', '400 upstream_rejected_request'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', '400 context_length_exceeded'],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the API.', '503 upstream_unavailable'],
    [401, 'authentication_error', 'invalid x-api-key', '503 upstream_unavailable'],
    [402, 'billing_error', 'pay', '503 upstream_unavailable'],
    [403, 'permission_error', 'no', '503 upstream_unavailable'],
    [404, 'not_found_error', 'model: x', '404 model_not_found'],
    [413, 'request_too_large', 'too large', '413 request_too_large'],
    [429, 'rate_limit_error', 'slow down', '503 server_is_overloaded'],
    [500, 'api_error', 'oh', '502 upstream_error'],
    [529, 'overloaded_error', 'Overloaded', '503 server_is_overloaded'],
  ])('%i %s "%s" is %s', async (status, type, text, expected) => {
    answer = (response) =>
      send(response, { type: 'error', error: { type, message: text }, request_id: 'req_1' }, status)
    for (const stream of [false, true]) {
      const { result, charge } = await chargeOf(gateway, async () =>
        refusalOf(await gateway.chat({ ...question, stream })),
      )
      expect([result, charge]).toEqual([expected, 0n])
    }
  })

  test('a page that is no JSON, and a 200 that is no message, are no answers', async () => {
    answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    expect(await refusalOf(await gateway.chat(question))).toBe('502 upstream_error')
    answer = (response) => send(response, { completion: 'old' })
    expect(await refusalOf(await gateway.chat(question))).toBe('502 upstream_error')
  })
})

describe('counting', () => {
  const ask = async (): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ model: MODEL, messages: question.messages, system: 'Be brief.' })
    return (await gateway.fetch('/v1/messages/count_tokens', { method: 'POST', headers, body })).json()
  }

  test('is done by the provider', async () => {
    answer = (response) => send(response, { input_tokens: 4_711 })
    expect(await ask()).toEqual({ input_tokens: 4_711, svc: { estimated: false } })
    expect(calls.map(({ path }) => path)).toEqual(['/v1/messages/count_tokens'])
    const system = [{ type: 'text', text: 'Be brief.' }]
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }]
    expect(sent()).toEqual({ model: MODEL, system, messages })
  })

  test.each([
    ['fails', 500, {}],
    ['says nothing', 200, { tokens: 1 }],
  ])('is an estimate where the provider %s', async (_name, status, body) => {
    answer = (response) => send(response, body, status)
    expect(await ask()).toMatchObject({ svc: { estimated: true } })
  })
})

test('models are listed with the prices of the configuration, and without a price not at all', async () => {
  const listed = async (): Promise<readonly OpenAI.Model[]> => (await client.models.list()).data
  await eventually(async () => {
    expect((await listed()).find(({ id }) => id === MODEL)).toMatchObject({ context_length: 200_000 })
  })
  expect((await listed()).map(({ id }) => id)).not.toContain('claude-unpriced')
  const failure = await failureOf(client.chat.completions.create({ ...question, model: 'claude-unpriced' }))
  expect(failure).toMatchObject({ status: 404 })
  await client.chat.completions.create(question)
  expect(sent()['max_tokens']).toBe(64_000)
})
