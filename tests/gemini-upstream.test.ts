/** Google's Gemini API behind the gateway: what it is sent, and what the official OpenAI client gets. */
import OpenAI from 'openai'
import type { ServerResponse } from 'node:http'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord, nanocreditsIn } from './charge-of.ts'
import { refusalOf } from './error-of.ts'
import { readStream } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const MODEL = 'gemini-2.5-flash'
const NEWER = 'gemini-3-pro'
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const question = { model: MODEL, messages: [{ role: 'user' as const, content: 'Say hello.' }] }

const stub = useStubUpstream()
let client: OpenAI
let calls: StubCall[] = []
let answer: (response: ServerResponse) => void

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body))
}

function sendEvents(response: ServerResponse, events: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\r\n\r\n`)
  response.end()
}

const usageOf = (promptTokenCount: number, candidatesTokenCount: number, more: object = {}): object => ({
  promptTokenCount,
  candidatesTokenCount,
  totalTokenCount: promptTokenCount + candidatesTokenCount,
  ...more,
})

const response = (parts: readonly object[], finishReason: string | null, usageMetadata: object): object => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason === null ? {} : { finishReason }) }],
  usageMetadata,
  modelVersion: MODEL,
  responseId: 'r1',
})

/** What tokens cost, with the margin, in nanocredits. */
function priced({ input = 0, cached = 0, output }: { input?: number; cached?: number; output: number }): bigint {
  return ((BigInt(input) * 300_000n + BigInt(cached) * 30_000n + BigInt(output) * 2_500_000n) * 12n) / 10n
}

stub.onOther = (call, reply) => {
  if (call.method === 'GET') {
    const row = {
      name: `models/${MODEL}`,
      displayName: 'Flash',
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
    }
    const chats = { ...row, supportedGenerationMethods: ['generateContent', 'countTokens'] }
    const embeds = { ...row, name: 'models/embedding-1', supportedGenerationMethods: ['embedContent'] }
    return send(reply, { models: [chats, { ...chats, name: `models/${NEWER}` }, embeds] })
  }
  calls.push(call)
  answer(reply)
}
const gateway = useGateway(() => {
  const price = { input: '0.30', output: '2.50', cached_input: '0.03' }
  const spoken = { ...price, audio_input: '1', image_output: '30' }
  const file = { prices: { [MODEL]: spoken, [NEWER]: price, 'embedding-1': { input: '0.15', output: '0' } } }
  return { upstreamUrl: stub.url, kind: 'gemini', file, credits: '1000000' }
})
beforeAll(() => {
  client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
})
beforeEach(() => {
  calls = []
  answer = (reply) => send(reply, response([{ text: 'Hello' }], 'STOP', usageOf(10, 5)))
})

const sent = (): Record<string, unknown> => calls.at(-1)?.json ?? {}

describe('requests', () => {
  test('go to the method of the model with the key', async () => {
    await client.chat.completions.create(question)
    answer = (reply) => sendEvents(reply, [response([{ text: 'Hi' }], 'STOP', usageOf(1, 1))])
    await readStream(await gateway.chat({ ...question, stream: true }))
    expect(calls.map(({ path }) => path)).toEqual([
      `/v1/models/${MODEL}:generateContent`,
      `/v1/models/${MODEL}:streamGenerateContent?alt=sse`,
    ])
    expect(calls[0]?.headers['x-goog-api-key']).toBe('sk-or-v1-upstream-secret')
    expect(calls[0]?.headers.authorization).toBeUndefined()
    expect(sent()).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }],
      generationConfig: {},
    })
  })

  test('carry functions in the old form, and are answered in it', async () => {
    answer = (reply) =>
      send(reply, response([{ functionCall: { name: 'add', args: { a: 1 } } }], 'STOP', usageOf(1, 1)))
    const result = await client.chat.completions.create({
      ...{ model: MODEL, functions: [{ name: 'add', parameters: { type: 'object' } }], function_call: 'auto' },
      messages: [
        { role: 'user', content: 'Add.' },
        { role: 'assistant', content: null, function_call: { name: 'add', arguments: '{"a":0}' } },
        { role: 'function', name: 'add', content: '{"sum":0}' },
      ],
    })
    expect(result.choices[0]).toMatchObject({
      finish_reason: 'function_call',
      message: { function_call: { name: 'add', arguments: '{"a":1}' } },
    })
    expect(sent()).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'add', parametersJsonSchema: { type: 'object' } }] }],
      contents: [
        { role: 'user' },
        { role: 'model', parts: [{ functionCall: { name: 'add', args: { a: 0 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'add' } }] },
      ],
    })
  })

  test('carry instructions, images, audio, calls and their results', async () => {
    await client.chat.completions.create({
      model: MODEL,
      max_completion_tokens: 50,
      temperature: 0,
      top_p: 0.9,
      seed: 7,
      presence_penalty: 0.5,
      stop: ['A', 'B'],
      tools: [{ type: 'function', function: { name: 'add', description: 'Adds', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'add' } },
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'add', arguments: '{"id":12345678901234567890}' } },
            { id: 'b', type: 'function', function: { name: 'add', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
      ],
    })
    expect(calls[0]?.text).toContain('"args":{"id":12345678901234567890}')
    expect(sent()).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [
        { functionDeclarations: [{ name: 'add', description: 'Adds', parametersJsonSchema: { type: 'object' } }] },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['add'] } },
      generationConfig: {
        ...{ maxOutputTokens: 50, temperature: 0, topP: 0.9, seed: 7, presencePenalty: 0.5 },
        stopSequences: ['A', 'B'],
      },
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'image/png', data: PIXEL } },
            { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
          ],
        },
        { role: 'model', parts: [{ functionCall: { id: 'a', name: 'add' } }, { functionCall: { id: 'b', args: {} } }] },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'a', name: 'add', response: { output: '1' } } },
            { functionResponse: { id: 'b', name: 'add', response: { output: '2' } } },
          ],
        },
      ],
    })
  })

  test('turn efforts, budgets and formats into what the API has', async () => {
    const config = async (more: object): Promise<unknown> => {
      await gateway.chat({ ...question, ...more })
      return sent()['generationConfig']
    }
    const thinks = (thinkingConfig: object) => ({ thinkingConfig })
    expect(await config({ reasoning_effort: 'medium' })).toEqual(
      thinks({ thinkingBudget: 8_192, includeThoughts: true }),
    )
    expect(await config({ reasoning_effort: 'none' })).toEqual(thinks({ thinkingBudget: 0 }))
    expect(await config({ reasoning: { max_tokens: 77, exclude: true } })).toEqual(
      thinks({ thinkingBudget: 77, includeThoughts: false }),
    )
    expect(await config({ model: NEWER, reasoning_effort: 'xhigh' })).toEqual(
      thinks({ thinkingLevel: 'high', includeThoughts: true }),
    )
    expect(await config({ response_format: { type: 'json_object' } })).toEqual({ responseMimeType: 'application/json' })
    const schema = { type: 'object' }
    expect(await config({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    })
  })

  const image = (url: string) => [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
  test.each([
    [{ n: 2 }, 'n'],
    [{ logit_bias: { 1: 1 } }, 'logit_bias'],
    [{ messages: image('https://pictures.example/1.png') }, 'messages.0.content.0.image_url.url'],
    [{ messages: image('gs://bucket/1.png') }, 'messages.0.content.0.image_url.url'],
    [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools.0.type'],
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
  test('are charged for thoughts, which are counted apart, and for what was cached, which is not', async () => {
    const more = { cachedContentTokenCount: 900, thoughtsTokenCount: 30, toolUsePromptTokenCount: 4 }
    answer = (reply) =>
      send(reply, response([{ text: 'Hm.', thought: true }, { text: 'Hi' }], 'STOP', usageOf(1_000, 5, more)))
    const { result, charge } = await chargeOf(gateway, () => client.chat.completions.create(question))
    expect(charge).toBe(priced({ input: 104, cached: 900, output: 35 }))
    expect(nanocreditsIn(result)).toBe(charge)
    expect(result.choices[0]?.message).toMatchObject({ content: 'Hi', reasoning_content: 'Hm.' })
    expect(result.usage).toMatchObject({
      prompt_tokens: 1_004,
      completion_tokens: 35,
      prompt_tokens_details: { cached_tokens: 900 },
      completion_tokens_details: { reasoning_tokens: 30 },
    })
    expect(await lastRecord(gateway)).toMatchObject({ reasoning_tokens: 30, cached_tokens: 900 })
  })

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
  ])('that end with %s end with %s', async (reason, finishReason) => {
    answer = (reply) => send(reply, response([{ text: 'x' }], reason, usageOf(1, 1)))
    expect((await client.chat.completions.create(question)).choices[0]?.finish_reason).toBe(finishReason)
  })

  test.each([
    ['a blocked prompt', { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9 } }],
    ['a blocked answer', response([], 'SAFETY', { promptTokenCount: 9 })],
  ])('%s is an error and free, whole or as a stream', async (_what, body) => {
    for (const stream of [false, true]) {
      answer = (reply) => (stream ? sendEvents(reply, [body]) : send(reply, body))
      const { result, charge } = await chargeOf(gateway, async () =>
        refusalOf(await gateway.chat({ ...question, stream })),
      )
      expect([result, charge]).toEqual(['400 content_policy_violation', 0n])
    }
  })

  test('a model that fails by its own word is an upstream that failed', async () => {
    answer = (reply) => send(reply, response([], 'MALFORMED_FUNCTION_CALL', usageOf(1, 1)))
    expect(await refusalOf(await gateway.chat(question))).toBe('502 upstream_error')
  })

  test('calls keep the signatures that a following turn needs', async () => {
    const parts = [
      { functionCall: { name: 'add', args: { a: 1 } }, thoughtSignature: 'SIG' },
      { functionCall: { name: 'add', args: {} } },
    ]
    answer = (reply) => send(reply, response(parts, 'STOP', usageOf(1, 1)))
    const first = await client.chat.completions.create({ ...question, model: NEWER })
    const [choice] = first.choices
    expect(choice?.finish_reason).toBe('tool_calls')
    const made = choice?.message.tool_calls ?? []
    expect(new Set(made.map(({ id }) => id)).size).toBe(2)
    const results = made.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '2' }))
    const said = choice === undefined ? [] : [choice.message]
    await client.chat.completions.create({ model: NEWER, messages: [...question.messages, ...said, ...results] })
    expect(sent()['contents']).toMatchObject([{}, { role: 'model', parts }, { role: 'user' }])
    const forgotten = said.map(({ tool_calls }) => ({ role: 'assistant', tool_calls }))
    await gateway.chat({ model: NEWER, messages: [...question.messages, ...forgotten, ...results] })
    expect(sent()['contents']).toMatchObject([
      {},
      { parts: [{ thoughtSignature: 'skip_thought_signature_validator' }, {}] },
      {},
    ])
  })
})

describe('streams', () => {
  const events = [
    response([{ text: 'Hm.', thought: true }], null, usageOf(100, 0, { thoughtsTokenCount: 3 })),
    response([{ text: 'Grüße ' }], null, usageOf(100, 2, { thoughtsTokenCount: 7 })),
    response([{ text: '🙂' }, { functionCall: { name: 'add', args: { a: 12 } }, thoughtSignature: 'S' }], null, {}),
    response([{ text: '' }], 'STOP', usageOf(100, 20, { thoughtsTokenCount: 7, cachedContentTokenCount: 60 })),
  ]

  test('bring thoughts, text and calls, and are charged by the last counts', async () => {
    answer = (reply) => sendEvents(reply, events)
    const { result, charge } = await chargeOf(gateway, async () => {
      const stream = client.chat.completions.stream({ ...question, stream_options: { include_usage: true } })
      return stream.finalChatCompletion()
    })
    expect(charge).toBe(priced({ input: 40, cached: 60, output: 27 }))
    expect(result.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 27 })
    expect(result.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Grüße 🙂', tool_calls: [{ function: { name: 'add', arguments: '{"a":12}' } }] },
    })
  })

  test('that fail in the middle end with an error, and free', async () => {
    const failed = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
    answer = (reply) => sendEvents(reply, [...events.slice(0, 2), failed])
    const { result, charge } = await chargeOf(gateway, async () =>
      readStream(await gateway.chat({ ...question, stream: true })),
    )
    expect(result.frames.at(-1)?.error).toMatchObject({ code: 'server_is_overloaded' })
    expect(charge).toBe(0n)
  })

  test('that are cut are charged for what was counted', async () => {
    answer = (reply) => sendEvents(reply, events.slice(0, 2))
    const { result, charge } = await chargeOf(gateway, async () =>
      readStream(await gateway.chat({ ...question, stream: true })),
    )
    expect(result.frames.at(-1)?.error).toMatchObject({ code: 'upstream_error' })
    expect(charge).toBe(priced({ input: 100, output: 9 }))
  })
})

const keyDetails = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
const tooLong = 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).'

test.each([
  [400, 'INVALID_ARGUMENT', { message: 'Invalid value' }, '400 upstream_rejected_request'],
  [400, 'INVALID_ARGUMENT', { message: tooLong }, '400 context_length_exceeded'],
  [400, 'INVALID_ARGUMENT', { message: 'API key not valid.', details: keyDetails }, '503 upstream_unavailable'],
  [400, 'FAILED_PRECONDITION', { message: 'User location is not supported' }, '503 upstream_unavailable'],
  [403, 'PERMISSION_DENIED', { message: 'no' }, '503 upstream_unavailable'],
  [404, 'NOT_FOUND', { message: 'models/x is not found' }, '404 model_not_found'],
  [429, 'RESOURCE_EXHAUSTED', { message: 'quota' }, '503 server_is_overloaded'],
  [500, 'INTERNAL', { message: 'oh' }, '502 upstream_error'],
  [503, 'UNAVAILABLE', { message: 'overloaded' }, '503 server_is_overloaded'],
  [504, 'DEADLINE_EXCEEDED', { message: 'late' }, '504 upstream_timeout'],
])('%i %s %o is %s', async (code, status, more, expected) => {
  const error = { code, status, ...more }
  for (const stream of [false, true]) {
    answer = (reply) => send(reply, { error }, code)
    const { result, charge } = await chargeOf(gateway, async () =>
      refusalOf(await gateway.chat({ ...question, stream })),
    )
    expect([result, charge]).toEqual([expected, 0n])
  }
})

test.each([
  ['34.2s', '35'],
  ['0.5s', '1'],
  ['3600s', '60'],
  ['soon', '2'],
])('a wait of %s in the body of an error is a retry-after of %s', async (retryDelay, seconds) => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure' }, { retryDelay }]
  answer = (reply) =>
    send(reply, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'quota', details } }, 429)
  const refused = await gateway.chat(question)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, seconds])
})

test('audio in the prompt is charged at its own price, what the cache gave of it is not', async () => {
  const audio = (tokenCount: number) => [
    { modality: 'TEXT', tokenCount: 1 },
    { modality: 'AUDIO', tokenCount },
  ]
  const details = { promptTokensDetails: audio(800), cacheTokensDetails: audio(300), cachedContentTokenCount: 300 }
  answer = (reply) => send(reply, response([{ text: 'Hello' }], 'STOP', usageOf(1_000, 5, details)))
  const { charge } = await chargeOf(gateway, () => client.chat.completions.create(question))
  expect(charge).toBe(priced({ input: 200, cached: 300, output: 5 }) + (500n * 1_000_000n * 12n) / 10n)
})

test('an image that is made is charged at its own price', async () => {
  const made = [
    { modality: 'TEXT', tokenCount: 10 },
    { modality: 'IMAGE', tokenCount: 1_290 },
  ]
  const parts = [{ text: 'Here it is.' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }]
  answer = (reply) => send(reply, response(parts, 'STOP', usageOf(10, 1_300, { candidatesTokensDetails: made })))
  const { charge } = await chargeOf(gateway, () => client.chat.completions.create(question))
  expect(charge).toBe(priced({ input: 10, output: 10 }) + (1_290n * 30_000_000n * 12n) / 10n)
})

test('images of a stream have a number each, whichever events bring them', async () => {
  const image = (data: string) => response([{ inlineData: { mimeType: 'image/png', data } }], null, usageOf(10, 1))
  const events = [image(PIXEL), image(PIXEL), response([{ text: 'Done.' }], 'STOP', usageOf(10, 5))]
  answer = (reply) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) reply.write(`data: ${JSON.stringify(event)}\n\n`)
    reply.end()
  }
  const numbers: unknown[] = []
  for await (const { choices } of await client.chat.completions.create({ ...question, stream: true })) {
    const { images = [] } = (choices[0]?.delta ?? {}) as { images?: readonly { index: unknown }[] }
    numbers.push(...images.map(({ index }) => index))
  }
  expect(numbers).toEqual([0, 1])
})

test('a prompt is counted by the provider', async () => {
  answer = (reply) => send(reply, { totalTokens: 42 })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(question)
  const counted = await gateway.fetch('/v1/messages/count_tokens', { method: 'POST', headers, body })
  expect(await counted.json()).toEqual({ input_tokens: 42, svc: { estimated: false } })
  expect(calls.map(({ path }) => path)).toEqual([`/v1/models/${MODEL}:countTokens`])
  const contents = [{ role: 'user', parts: [{ text: 'Say hello.' }] }]
  expect(sent()).toEqual({ generateContentRequest: { model: `models/${MODEL}`, contents, generationConfig: {} } })
})

describe('embeddings', () => {
  test('go to their method, and are charged by an estimate where nothing is counted', async () => {
    answer = (reply) => send(reply, { embeddings: [{ values: [0.5, 1] }, { values: [1, 0.5] }] })
    const { result, charge } = await chargeOf(gateway, () =>
      client.embeddings.create({ model: 'embedding-1', input: ['Good', 'morning!'], dimensions: 2 }),
    )
    expect(calls.map(({ path }) => path)).toEqual(['/v1/models/embedding-1:batchEmbedContents'])
    const model = 'models/embedding-1'
    expect(sent()).toEqual({
      requests: ['Good', 'morning!'].map((text) => ({
        model,
        content: { parts: [{ text }] },
        outputDimensionality: 2,
      })),
    })
    expect(result.data.map(({ embedding }) => [...embedding])).toEqual([
      [0.5, 1],
      [1, 0.5],
    ])
    expect(charge).toBe((3n * 150_000n * 12n) / 10n)
  })

  test.each([
    [{ input: [1, 2] }, '400 unsupported_parameter input'],
    [{ input: 'a', truncate: 'END' }, '400 unsupported_parameter truncate'],
  ])('%o is %s', async (more, expected) => {
    const body = JSON.stringify({ model: 'embedding-1', ...more })
    const headers = { 'content-type': 'application/json' }
    expect(await refusalOf(await gateway.fetch('/v1/embeddings', { method: 'POST', headers, body }))).toBe(expected)
    expect(calls).toEqual([])
  })

  test('that fail are reported as a chat that fails', async () => {
    answer = (reply) =>
      send(reply, { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }, 400)
    const body = JSON.stringify({ model: 'embedding-1', input: 'a' })
    const headers = { 'content-type': 'application/json' }
    const refused = await gateway.fetch('/v1/embeddings', { method: 'POST', headers, body })
    expect(await refusalOf(refused)).toBe('503 upstream_unavailable')
  })
})

test('models that chat or embed are listed with their limits and types', async () => {
  await eventually(async () => {
    const { data } = await client.models.list()
    expect(data.find(({ id }) => id === MODEL)).toMatchObject({ context_length: 1_048_576 })
    expect(data.find(({ id }) => id === 'embedding-1')).toMatchObject({ svc: { type: 'embedding' } })
  })
})
