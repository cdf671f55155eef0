/** The Responses form through the clients that speak it by default, unmodified, against a whole gateway. */
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, Output, streamText, tool } from 'ai'
import OpenAI, { APIError } from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
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

const model = 'svc-gpt'
const recipe = z.object({ name: z.string(), minutes: z.int().min(1), steps: z.array(z.string()).min(1) })
const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
}
const usage = {
  prompt_tokens: 100,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 30 },
}

const clientOf = (gateway: TestGateway, apiKey = gateway.key): OpenAI =>
  new OpenAI({ baseURL: gateway.v1, apiKey, maxRetries: 0 })

const cost = ({ usage: counted }: Response): bigint => cardOf(counted?.input_tokens, counted?.output_tokens)

describe('with the sandbox', () => {
  const gateway = useGateway()
  let client: OpenAI
  beforeAll(() => {
    client = clientOf(gateway)
  })

  test('a whole answer has its text, its usage and its charge', async () => {
    const { result, charge } = await chargeOf(gateway, () =>
      client.responses.create({ model, input: 'Say hello.', instructions: 'Be brief.' }),
    )
    expect(result.output_text).toMatch(/sandbox/i)
    expect(result).toMatchObject({ object: 'response', status: 'completed', model, instructions: 'Be brief.' })
    expect([nanocreditsIn(result), cost(result)]).toEqual([charge, charge])
  })

  test('a stream has its events in their order, and its charge on the last', async () => {
    const events: ResponseStreamEvent[] = []
    const { charge } = await chargeOf(gateway, async () => {
      for await (const event of await client.responses.create({ model, input: 'Say hello.', stream: true })) {
        events.push(event)
      }
    })
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index))
    const kinds = events.map((event) => event.type).filter((kind, index, all) => kind !== all[index - 1])
    expect(kinds).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(nanocreditsIn(events.at(-1))).toBe(charge)
  })

  test('the streaming helper puts the same answer together that the last event has', async () => {
    const stream = client.responses.stream({ model, input: 'Say hello.' })
    let text = ''
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta
    })
    const final = await stream.finalResponse()
    expect(final.output_text).toBe(text)
    expect(text).toContain('sandbox')
  })

  test('an object follows its schema', async () => {
    const { output_parsed: parsed } = await client.responses.parse({
      model,
      input: 'A recipe.',
      text: { format: zodTextFormat(recipe, 'recipe') },
    })
    expect(recipe.safeParse(parsed).success).toBe(true)
  })

  test('a function is called, and its output answered', async () => {
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Call get_weather.' }]
    const asked = await client.responses.create({ model, input, tools: [weather], tool_choice: 'required' })
    const [call] = asked.output.filter((item) => item.type === 'function_call')
    if (call === undefined) throw new Error('no call')
    expect(JSON.parse(call.arguments)).toHaveProperty('city')
    const output = { type: 'function_call_output' as const, call_id: call.call_id, output: 'Hail, 4 degrees.' }
    const told = await client.responses.create({
      model,
      input: [...input, ...(asked.output as OpenAI.Responses.ResponseInputItem[]), output],
      tools: [weather],
    })
    expect(told.output_text).toContain('Hail, 4 degrees.')
  })

  test('reasoning is in an item of its own, whole and streamed', async () => {
    const request = { model, input: 'Say hello.', reasoning: { effort: 'high' as const, summary: 'auto' as const } }
    const whole = await client.responses.create(request)
    const streamed = await client.responses.stream(request).finalResponse()
    for (const { output, usage: counted } of [whole, streamed]) {
      expect(output.map((item) => item.type)).toEqual(['reasoning', 'message'])
      expect(counted?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0)
    }
  })

  test.each([{ way: 'whole' }, { way: 'streamed' }])('the default of @ai-sdk/openai runs tools, $way', async (each) => {
    const given: unknown[] = []
    const settings = {
      model: createOpenAI({ baseURL: gateway.v1, apiKey: gateway.key })(model),
      prompt: 'Call get_weather.',
      stopWhen: isStepCount(4),
      tools: {
        get_weather: tool({
          description: 'Weather of a city.',
          inputSchema: z.object({ city: z.string().min(1) }),
          execute: (input) => {
            given.push(input)
            return 'Hail, 4 degrees.'
          },
        }),
      },
    }
    const { result, charge } = await chargeOf(gateway, async () => {
      const run = each.way === 'whole' ? await generateText(settings) : streamText(settings)
      return { text: await run.text, steps: await run.steps, usage: await run.totalUsage }
    })
    expect(given).toHaveLength(1)
    expect(result.text).toContain('Hail, 4 degrees.')
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    expect(charge).toBe(cardOf(result.usage.inputTokens, result.usage.outputTokens))
  })

  test('the default of @ai-sdk/openai makes objects, whole and streamed', async () => {
    const provider = createOpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
    const settings = { model: provider(model), prompt: 'A recipe.', output: Output.object({ schema: recipe }) }
    expect(recipe.safeParse((await generateText(settings)).output).success).toBe(true)
    expect(recipe.safeParse(await streamText(settings).output).success).toBe(true)
  })
})

describe('with an upstream that does what the test says', () => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000' }))
  let client: OpenAI
  beforeAll(() => {
    client = clientOf(gateway)
  })
  beforeEach(() => {
    stub.chats.length = 0
    stub.onChat = (call, response) =>
      call.json?.['stream'] === true ? sendStream(response, { usage }) : sendCompletion(response, { usage })
  })

  test('nothing of a request is lost on its way to a chat', async () => {
    await client.responses.create({
      model,
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'Rhyme.' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: 'https://pictures.example/a.png', detail: 'low' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Look first.' }] },
        { role: 'assistant', content: 'Let me look.' },
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Rome"}' },
        { type: 'function_call', call_id: 'call_2', name: 'get_weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'Sun' },
        { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'Snow' }] },
      ],
      tools: [weather],
      tool_choice: { type: 'function', name: 'get_weather' },
      parallel_tool_calls: false,
      max_output_tokens: 300,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 2,
      reasoning: { effort: 'low' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'r', schema: { type: 'object' }, strict: true } },
      metadata: { ticket: '7' },
      prompt_cache_key: 'cache',
      safety_identifier: 'somebody',
      include: ['reasoning.encrypted_content'],
      store: false,
    })
    const { type, ...declared } = weather
    const call = (id: string, city: string): object => {
      return { id, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } }
    }
    const { model: _model, usage: _usage, plugins: _plugins, ...sent } = stub.chats[0]?.json ?? {}
    expect(sent).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Rhyme.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'https://pictures.example/a.png', detail: 'low' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          ],
        },
        {
          role: 'assistant',
          content: 'Let me look.',
          reasoning_content: 'Look first.',
          tool_calls: [call('call_1', 'Rome'), call('call_2', 'Oslo')],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sun' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'Snow' }] },
      ],
      tools: [{ type, function: declared }],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      parallel_tool_calls: false,
      max_completion_tokens: 300,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 2,
      logprobs: true,
      reasoning_effort: 'low',
      verbosity: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'r', schema: { type: 'object' }, strict: true } },
      metadata: { ticket: '7' },
      prompt_cache_key: 'cache',
      safety_identifier: 'somebody',
    })
  })

  test('counts come through with their parts, and the charge is the one of the chat', async () => {
    const whole = await chargeOf(gateway, () => client.responses.create({ model, input: 'Hi' }))
    const streamed = await chargeOf(gateway, () => client.responses.stream({ model, input: 'Hi' }).finalResponse())
    for (const { result, charge } of [whole, streamed]) {
      expect(result.usage).toMatchObject({
        input_tokens: 100,
        output_tokens: 50,
        total_tokens: 150,
        input_tokens_details: { cached_tokens: 40 },
        output_tokens_details: { reasoning_tokens: 30 },
      })
      expect([charge, nanocreditsIn(result)]).toEqual([cardOf(100, 50), cardOf(100, 50)])
    }
    expect(await lastRecord(gateway)).toMatchObject({ type: 'chat', status: 'ok', stream: true })
  })

  test('an answer that was cut is incomplete, and says why', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { usage, finishReason: 'length' })
    const cut = await client.responses.create({ model, input: 'Hi', max_output_tokens: 50 })
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    stub.onChat = (_call, response) => {
      beginStream(response)
      for (const data of [chunkText({ content: 'Hel' }), chunkText({}, 'length'), usageText(usage), '[DONE]']) {
        sendEvent(response, data)
      }
      response.end()
    }
    const events: ResponseStreamEvent[] = []
    for await (const event of await client.responses.create({ model, input: 'Hi', stream: true })) events.push(event)
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'incomplete' } })
  })

  test('calls that come side by side are told apart', async () => {
    stub.onChat = (_call, response) => {
      const call = (index: number, part: object): string => chunkText({ tool_calls: [{ index, ...part }] })
      beginStream(response)
      for (const data of [
        chunkText({ role: 'assistant', content: 'Both.' }),
        call(0, { id: 'a', type: 'function', function: { name: 'one', arguments: '{"x"' } }),
        call(1, { id: 'b', type: 'function', function: { name: 'two', arguments: '{"y"' } }),
        call(0, { function: { arguments: ':1}' } }),
        call(1, { function: { arguments: ':2}' } }),
        chunkText({}, 'tool_calls'),
        usageText(usage),
        '[DONE]',
      ]) {
        sendEvent(response, data)
      }
      response.end()
    }
    const { output } = await client.responses.stream({ model, input: 'Hi' }).finalResponse()
    expect(output).toMatchObject([
      { type: 'message', content: [{ text: 'Both.' }] },
      { type: 'function_call', call_id: 'a', name: 'one', arguments: '{"x":1}', status: 'completed' },
      { type: 'function_call', call_id: 'b', name: 'two', arguments: '{"y":2}', status: 'completed' },
    ])
  })

  test.each([
    ['input.0', { input: [{ type: 'item_reference' as const, id: 'msg_1' }] }],
    ['input.0.type', { input: [{ type: 'constructor' }] }],
    ['input.0.type', { input: [{ type: 'compaction' as const, encrypted_content: 'x' }] }],
    ['input.0.content.0.type', { input: [{ role: 'user', content: [{ type: '__proto__' }] }] }],
    ['input.0.content.0.file_id', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }],
    ['input.0.content.0.file_url', { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'f' }] }] }],
  ])('what the model would have to answer without is refused: %s', async (param, more) => {
    const request = { model, ...more } as OpenAI.Responses.ResponseCreateParamsNonStreaming
    const error = await failureOf(client.responses.create(request))
    expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter', param })
    expect(stub.chats).toEqual([])
  })

  test('an answer says what it was asked, and that it is not stored', async () => {
    const asked = { model, input: 'Hi', store: true, truncation: 'auto' as const, max_tool_calls: 3 }
    expect(await client.responses.create(asked)).toMatchObject({
      ...{ store: false, truncation: 'auto', max_tool_calls: 3 },
    })
  })

  test('failures have their true status, and cost nothing', async () => {
    const dear = { model: 'openai/gpt-6-astra', input: 'Hi', max_output_tokens: 100_000 }
    const { charge } = await chargeOf(gateway, async () => {
      expect(await failureOf(client.responses.create(dear))).toMatchObject({
        status: 402,
        code: 'insufficient_credits',
      })
      expect(await failureOf(client.responses.create({ ...dear, stream: true }))).toMatchObject({ status: 402 })
      expect(await failureOf(clientOf(gateway, 'sk-svc-wrong').responses.create(dear))).toMatchObject({
        status: 401,
        code: 'invalid_api_key',
      })
      expect(await failureOf(client.responses.create({ model: 'none', input: 'Hi' }))).toMatchObject({
        status: 404,
        code: 'model_not_found',
      })
      expect(await failureOf(client.responses.create({ model, input: ' ' }))).toMatchObject({
        status: 400,
        code: 'empty_content',
        param: 'input',
      })
      stub.onChat = (_call, response) => void response.writeHead(500).end('<html>')
      expect(await failureOf(client.responses.create({ model, input: 'Hi' }))).toMatchObject({ status: 502 })
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
      for await (const event of await client.responses.create({ model, input: 'Hi', stream: true })) {
        kinds.push(event.type)
      }
    }
    const error = await failureOf(read())
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ code: expect.stringContaining('upstream') })
    expect(kinds).toContain('response.output_text.delta')
    expect(kinds).not.toContain('response.completed')
  })

  test('a caller who hangs up pays for what was delivered', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello there' }))
    }
    const { charge } = await chargeOf(gateway, async () => {
      for await (const event of await client.responses.create({ model, input: 'Hi', stream: true })) {
        if (event.type === 'response.output_text.delta') break
      }
    })
    const record = await lastRecord(gateway)
    expect(record).toMatchObject({ status: 'cancelled', estimated: true })
    expect(charge).toBeGreaterThan(0n)
    expect(charge).toBeLessThan(cardOf(100, 50))
  })
})
