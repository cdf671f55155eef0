/** The official OpenAI client, unmodified, against a whole gateway: answers. */
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
} from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf, failureOf, nanocreditsIn, recordOf, svcOf } from './charge-of.ts'

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Say hello.' }]
const question = { model: 'svc-gpt', messages }

const weatherTool: OpenAI.ChatCompletionFunctionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1, maximum: 7 } },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
}
const weatherArguments = z.strictObject({ city: z.string().min(1), days: z.int().min(1).max(7) })

const Recipe = z.object({ name: z.string(), minutes: z.int().min(1), steps: z.array(z.string()).min(1) })

/** A red pixel. */
const PIXEL = `data:image/png;base64,${[
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4',
  'z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
].join('')}`

async function collect<Chunk>(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

const numbered = (index: unknown, content: string, finish_reason: string | null = null): string =>
  JSON.stringify({ choices: [{ index, delta: { content }, finish_reason }] })

const piece = (call: object, name: string | undefined, text: string): string =>
  chunkText({ tool_calls: [{ ...call, type: 'function', function: { name, arguments: text } }] })

const textOf = (chunks: readonly OpenAI.ChatCompletionChunk[]): string =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')

describe('with the sandbox', () => {
  const gateway = useGateway()
  let client: OpenAI

  beforeAll(() => {
    client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
  })

  test('a whole answer says what it cost, and the balance falls by exactly that', async () => {
    const { result, charge } = await chargeOf(gateway, () => client.chat.completions.create(question))
    expect(result.object).toBe('chat.completion')
    expect(result.model).toBe('svc-gpt')
    expect(result.choices[0]?.message.content).toContain('sandbox')
    expect(result.choices[0]?.finish_reason).toBe('stop')
    expect(svcOf(result).margin_bps).toBe(2000)
    expect(nanocreditsIn(result)).toBe(charge)
    expect(charge).toBe(cardOf(result.usage?.prompt_tokens, result.usage?.completion_tokens))
  })

  test('a base URL may end in a slash', async () => {
    const slashed = new OpenAI({ baseURL: `${gateway.v1}/`, apiKey: gateway.key })
    expect((await slashed.chat.completions.create(question)).choices).toHaveLength(1)
    expect((await slashed.models.list()).data.length).toBeGreaterThan(17)
  })

  test('a stream has its charge on its last chunk alone, and no usage that was not asked for', async () => {
    const { result: chunks, charge } = await chargeOf(gateway, async () =>
      collect(await client.chat.completions.create({ ...question, stream: true })),
    )
    expect(textOf(chunks)).toContain('sandbox')
    expect(chunks.every((chunk) => chunk.choices.length === 1 && !('usage' in chunk))).toBe(true)
    expect(chunks.filter((chunk) => 'svc' in chunk)).toEqual([chunks.at(-1)])
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(nanocreditsIn(chunks.at(-1))).toBe(charge)
    expect(charge).toBeGreaterThan(0n)
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1)
  })

  test('a stream that is asked for usage ends with usage and charge on one chunk of its own', async () => {
    const { result: chunks, charge } = await chargeOf(gateway, async () =>
      collect(
        await client.chat.completions.create({ ...question, stream: true, stream_options: { include_usage: true } }),
      ),
    )
    const last = chunks.at(-1)
    expect(last?.choices).toEqual([])
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null && chunk.choices.length === 1)).toBe(true)
    expect(chunks.filter((chunk) => 'svc' in chunk)).toEqual([last])
    expect(charge).toBe(cardOf(last?.usage?.prompt_tokens, last?.usage?.completion_tokens))
    expect(nanocreditsIn(last)).toBe(charge)
  })

  test('the stream helper puts an answer together and keeps its charge', async () => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const stream = client.chat.completions.stream({ ...question, stream_options: { include_usage: true } })
      const deltas: string[] = []
      stream.on('content', (delta) => deltas.push(delta))
      return { final: await stream.finalChatCompletion(), text: deltas.join('') }
    })
    expect(result.final.choices[0]?.message.content).toBe(result.text)
    expect(result.final.choices[0]?.finish_reason).toBe('stop')
    expect(nanocreditsIn(result.final)).toBe(charge)
    expect(charge).toBe(cardOf(result.final.usage?.prompt_tokens, result.final.usage?.completion_tokens))
  })

  test('the stream helper has the charge also where no usage was asked for', async () => {
    const { result, charge } = await chargeOf(gateway, () =>
      client.chat.completions.stream(question).finalChatCompletion(),
    )
    expect(nanocreditsIn(result)).toBe(charge)
    expect(charge).toBeGreaterThan(0n)
  })

  test('a tool is called, its result sent back, and an answer comes; each turn is charged', async () => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const first = await client.chat.completions.create({ ...question, tools: [weatherTool], tool_choice: 'required' })
      const asked = first.choices[0]!.message
      const call = asked.tool_calls?.[0]
      if (call?.type !== 'function') throw new Error('no function was called')
      const second = await client.chat.completions.create({
        model: 'svc-gpt',
        tools: [weatherTool],
        messages: [...messages, asked, { role: 'tool', tool_call_id: call.id, content: 'Rain, 12 degrees.' }],
      })
      return { first, call, second }
    })
    expect(result.first.choices[0]?.finish_reason).toBe('tool_calls')
    expect(result.call.function.name).toBe('get_weather')
    weatherArguments.parse(JSON.parse(result.call.function.arguments))
    expect(result.second.choices[0]?.message.content).toContain('Rain, 12 degrees.')
    expect(nanocreditsIn(result.first) + nanocreditsIn(result.second)).toBe(charge)
  })

  test('the tool helper runs the whole conversation, streamed', async () => {
    const called: unknown[] = []
    const runner = client.chat.completions.runTools({
      model: 'svc-gpt',
      messages,
      stream: true,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'Weather of a city.',
            parameters: weatherTool.function.parameters!,
            parse: (text: string) => weatherArguments.parse(JSON.parse(text)),
            function: (given: z.output<typeof weatherArguments>) => {
              called.push(given)
              return 'Snow, minus 3 degrees.'
            },
          },
        },
      ],
    })
    expect(await runner.finalContent()).toContain('Snow, minus 3 degrees.')
    expect(called).toHaveLength(1)
    expect(runner.allChatCompletions().every((answer) => svcOf(answer).credits_charged > 0)).toBe(true)
  })

  test('a JSON schema is kept, and the parse helper reads the answer', async () => {
    const response_format = zodResponseFormat(Recipe, 'recipe')
    const { result, charge } = await chargeOf(gateway, () =>
      client.chat.completions.parse({ ...question, response_format }),
    )
    expect(Recipe.safeParse(result.choices[0]?.message.parsed).success).toBe(true)
    expect(nanocreditsIn(result)).toBe(charge)

    const streamed = await client.chat.completions.stream({ ...question, response_format }).finalChatCompletion()
    expect(Recipe.safeParse(streamed.choices[0]?.message.parsed).success).toBe(true)
    expect(svcOf(streamed).credits_charged).toBeGreaterThan(0)
  })

  test('several choices come, whole and streamed, and every one is charged', async () => {
    const { result, charge } = await chargeOf(gateway, () => client.chat.completions.create({ ...question, n: 3 }))
    expect(result.choices.map(({ index }) => index).toSorted()).toEqual([0, 1, 2])
    expect(charge).toBe(cardOf(result.usage?.prompt_tokens, result.usage?.completion_tokens))

    const streamed = await client.chat.completions.stream({ ...question, n: 2 }).finalChatCompletion()
    expect(streamed.choices.map(({ finish_reason }) => finish_reason)).toEqual(['stop', 'stop'])
    expect(svcOf(streamed).credits_charged).toBeGreaterThan(0)
  })

  test('a message may hold an image', async () => {
    const { result, charge } = await chargeOf(gateway, () =>
      client.chat.completions.create({
        model: 'svc-gpt',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
            ],
          },
        ],
      }),
    )
    expect(result.choices[0]?.message.content).toContain('image/png')
    expect(nanocreditsIn(result)).toBe(charge)
  })

  test('the list of models is read, and one model by an id with slashes', async () => {
    const ids: string[] = []
    for await (const model of client.models.list()) ids.push(model.id)
    expect(ids.slice(0, 17).every((id) => id.startsWith('svc-'))).toBe(true)
    expect(ids.length).toBeGreaterThan(300)
    const id = 'openrouter/openai/gpt-6-astra'
    expect(ids).toContain(id)
    expect(await client.models.retrieve(id)).toMatchObject({ id, object: 'model' })
  })

  test('headers name the request, the charge and the limits', async () => {
    const { data, response, request_id } = await client.chat.completions.create(question).withResponse()
    expect(request_id).toBe(response.headers.get('x-request-id'))
    expect(data).toHaveProperty('_request_id', request_id)
    expect(Number(response.headers.get('x-svc-credits-charged'))).toBe(svcOf(data).credits_charged)
    expect(response.headers.get('x-svc-margin-bps')).toBe('2000')
    expect(response.headers.get('x-ratelimit-limit-requests')).toMatch(/^\d+$/)
    expect(response.headers.get('x-ratelimit-reset-requests')).toMatch(/s$/)

    const raw = await client.chat.completions.create({ ...question, stream: true }).asResponse()
    expect(raw.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(raw.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await raw.text()).toMatch(/data: \[DONE\]\n\n$/)
  })
})

describe('with an upstream that does what the test says', () => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: stub.url }))
  let client: OpenAI

  beforeAll(() => {
    client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
  })

  test('a cost that the upstream reports is charged with its margin, whole and streamed', async () => {
    const cost = '0.00123456789'
    stub.onChat = (call, response) =>
      call.json?.['stream'] === true ? sendStream(response, { cost }) : sendCompletion(response, { cost })
    const whole = await chargeOf(gateway, () => client.chat.completions.create(question))
    expect(whole.charge).toBe(1_481_481_468n)
    expect(nanocreditsIn(whole.result)).toBe(whole.charge)
    const streamed = await chargeOf(gateway, () => client.chat.completions.stream(question).finalChatCompletion())
    expect(streamed.charge).toBe(1_481_481_468n)
    expect(nanocreditsIn(streamed.result)).toBe(streamed.charge)
    expect(streamed.result.choices[0]?.message.content).toBe('Hello world')
  })

  // Its helper throws at a choice whose speaker is never named, and at a number that is none.
  test.each<[string, readonly string[], string, readonly string[]]>([
    ['without a role', [chunkText({ content: 'Hello ' }), chunkText({ content: 'world' })], 'Hello world', []],
    [
      'with an empty role',
      [chunkText({ role: '', content: 'Hello ' }), chunkText({ content: 'world' })],
      'Hello world',
      [],
    ],
    ['with a choice of number −1', [numbered(-1, 'Hello '), numbered(-1, 'world')], 'Hello world', []],
    ['with a choice of number 0.5', [numbered(0.5, 'Hello world')], 'Hello world', []],
    ['with a choice of a number as text', [numbered('0', 'Hello world')], 'Hello world', []],
    ['with a choice of number 200', [numbered(200, 'Hello world')], 'Hello world', []],
    [
      'with calls that have no number',
      [piece({ id: 'a' }, 'f', '{"a"'), piece({ id: 'a' }, undefined, ':1}'), piece({ id: 'b' }, 'g', '{}')],
      ...(['', ['{"a":1}', '{}']] as const),
    ],
    [
      'with calls of number −1',
      [piece({ id: 'a', index: -1 }, 'f', '{}'), piece({ id: 'b', index: -1 }, 'g', '{}')],
      '',
      ['{}', '{}'],
    ],
  ])('the helper reads a stream %s', async (_name, events, content, calls) => {
    const reason = calls.length > 0 ? 'tool_calls' : 'stop'
    stub.onChat = (_call, response) => {
      beginStream(response)
      for (const event of events) sendEvent(response, event)
      sendEvent(response, chunkText({}, reason, { usage: { prompt_tokens: 10, completion_tokens: 5 } }))
      sendEvent(response, '[DONE]')
      response.end()
    }
    const stream = client.chat.completions.stream({ ...question, n: 1 })
    const { choices } = await stream.finalChatCompletion()
    expect(choices.map(({ message, finish_reason }) => [message.role, message.content ?? '', finish_reason])).toEqual([
      ['assistant', content, reason],
    ])
    const args = choices[0]?.message.tool_calls?.map((call) =>
      call.type === 'function' ? call.function.arguments : '',
    )
    expect(args ?? []).toEqual(calls)
  })

  test('the first chunk of each of several choices has the role, once', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      for (let word = 0; word < 20; word++) {
        for (const index of [0, 1]) sendEvent(response, numbered(index, 'word '))
      }
      for (const index of [0, 1]) sendEvent(response, numbered(index, '', 'stop'))
      sendEvent(response, '[DONE]')
      response.end()
    }
    const chunks = await collect(await client.chat.completions.create({ ...question, stream: true }))
    const roles = chunks.flatMap(({ choices }) => choices.map(({ index, delta }) => ({ index, role: delta.role })))
    expect(roles.filter(({ role }) => role !== undefined)).toEqual(
      [0, 1].map((index) => ({ index, role: 'assistant' })),
    )
  })

  test('a stream that the caller aborts stops the upstream, and what was delivered is charged', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: '' }))
      for (let word = 0; word < 10; word += 1) sendEvent(response, chunkText({ content: 'word ' }))
    }
    const { result: requestId, charge } = await chargeOf(gateway, async () => {
      const { data: stream, request_id } = await client.chat.completions
        .create({ ...question, stream: true })
        .withResponse()
      let received = ''
      for await (const chunk of stream) {
        received += chunk.choices[0]?.delta.content ?? ''
        if (received.length === 50) stream.controller.abort()
      }
      await stub.chats.at(-1)?.closed
      return request_id
    })
    const record = await recordOf(gateway, requestId)
    expect(record).toMatchObject({ state: 'final', status: 'cancelled', estimated: true, basis: 'estimate' })
    // 50 bytes are 13 tokens, at four bytes each.
    expect(record.completion_tokens).toBe(13)
    expect(charge).toBe(cardOf(record.prompt_tokens, 13))
  })

  test('a whole answer that the caller no longer waits for is charged all the same', async () => {
    const seen = stub.chats.length
    let finish = (): void => undefined
    stub.onChat = (_call, response) => {
      finish = () => sendCompletion(response)
    }
    const abort = new AbortController()
    const { charge } = await chargeOf(gateway, async () => {
      const failure = failureOf(client.chat.completions.create(question, { signal: abort.signal }))
      await expect.poll(() => stub.chats.length).toBe(seen + 1)
      abort.abort()
      expect(await failure).toBeInstanceOf(OpenAI.APIUserAbortError)
      finish()
    })
    expect(charge).toBe(cardOf(10, 5))
  })

  test('an abort before the answer begins is free for a stream', async () => {
    const seen = stub.chats.length
    stub.onChat = () => undefined
    const abort = new AbortController()
    const { charge } = await chargeOf(gateway, async () => {
      const failure = failureOf(client.chat.completions.create({ ...question, stream: true }, { signal: abort.signal }))
      await expect.poll(() => stub.chats.length).toBe(seen + 1)
      abort.abort()
      expect(await failure).toBeInstanceOf(OpenAI.APIUserAbortError)
      await stub.chats.at(-1)?.closed
    })
    expect(charge).toBe(0n)
  })
})
