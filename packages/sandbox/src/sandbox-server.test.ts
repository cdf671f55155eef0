import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answerOf,
  ask,
  chat,
  type HeardCall,
  type HeardChoice,
  framesOf,
  joined,
  startTestSandbox,
} from '../testing/sandbox-client.ts'
import { countTokens } from '@svc/tokens/count-tokens'
import type { Sandbox } from './sandbox-server.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startTestSandbox()
})

afterAll(() => sandbox.close())

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } },
      required: ['city', 'unit'],
    },
  },
}
const clock = {
  type: 'function',
  function: {
    name: 'get_time',
    parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
  },
}

describe('an answer', () => {
  test('says that it is the sandbox, names the model and repeats what was asked', async () => {
    const heard = await chat(sandbox, 'test/model')
    const body = answerOf(heard)
    expect(heard.status).toBe(200)
    expect(heard.headers['x-generation-id']).toBe(body.id)
    expect(body).toMatchObject({ object: 'chat.completion', model: 'test/model', provider: 'Sandbox' })
    expect(body.first).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } })
    for (const part of ['andbox', 'test/model', 'Hello there']) expect(body.first.message.content).toContain(part)
  })

  test('counts tokens as the gateway does and reports the cost digit for digit', async () => {
    const heard = await chat(sandbox, 'test/model')
    const { usage, first } = answerOf(heard)
    const completion = countTokens(first.message.content)
    const prompt = countTokens('user\nHello there') + 3 + 3
    expect(usage).toMatchObject({
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    })
    expect(heard.text).toContain(`"cost":0.0000${prompt}000000000${completion},`)
  })

  test('is the same for the same request, and another for another seed', async () => {
    const say = async (extra: object): Promise<string> =>
      answerOf(await chat(sandbox, 'test/model', extra)).first.message.content
    expect(await say({})).toBe(await say({}))
    expect(await say({ seed: 5 })).toBe(await say({ seed: 5 }))
    const said = new Set(await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => say({ seed }))))
    expect(said.size).toBeGreaterThan(1)
  })

  test('ends at max_tokens with `length`, and max_completion_tokens wins', async () => {
    for (const extra of [{ max_tokens: 4 }, { max_completion_tokens: 4, max_tokens: 9 }]) {
      const { first, usage } = answerOf(await chat(sandbox, 'test/model', extra))
      expect(first.finish_reason).toBe('length')
      expect(usage.completion_tokens).toBe(4)
      expect(countTokens(first.message.content)).toBe(4)
    }
  })

  test('ends at the limit of its model', async () => {
    const { first, usage } = answerOf(await chat(sandbox, 'test/small'))
    expect([first.finish_reason, usage.completion_tokens]).toEqual(['length', 8])
    expect(usage).not.toHaveProperty('cost', expect.anything())
  })

  test('ends before a stop, given as text or as a list', async () => {
    for (const stop of ['there', ['nowhere', 'there']]) {
      const { first, usage } = answerOf(await chat(sandbox, 'test/model', { stop }))
      expect(first.message.content).toMatch(/Hello $/)
      expect(first.finish_reason).toBe('stop')
      expect(usage.completion_tokens).toBe(countTokens(first.message.content))
    }
  })

  test('has n choices that are counted together', async () => {
    const { choices, usage } = answerOf(await chat(sandbox, 'test/model', { n: 3 }))
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
    const tokens = choices.reduce((sum, choice) => sum + countTokens(choice.message.content), 0)
    expect(usage.completion_tokens).toBe(tokens)
  })

  test('names log probabilities for each token, the token itself first', async () => {
    const { first, usage } = answerOf(await chat(sandbox, 'test/model', { logprobs: true, top_logprobs: 3 }))
    const { content } = first.logprobs
    expect(content).toHaveLength(usage.completion_tokens)
    expect(content.map(({ token }) => token).join('')).toBe(first.message.content)
    for (const entry of content) {
      expect(entry.top_logprobs).toHaveLength(3)
      expect(entry.top_logprobs[0]).toMatchObject({ token: entry.token, logprob: entry.logprob })
      expect(Buffer.from(entry.bytes).toString()).toBe(entry.token)
    }
  })

  test('names attached images, and counts them', async () => {
    const image = `data:image/png;base64,${Buffer.alloc(300).toString('base64')}`
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: image } },
      { type: 'image_url', image_url: { url: 'https://example.com/pictures/cat.jpg?size=2', detail: 'low' } },
    ]
    const { first, usage } = answerOf(await chat(sandbox, 'test/model', { messages: [{ role: 'user', content }] }))
    expect(first.message.content).toContain('image/png, 300 bytes; cat.jpg')
    expect(usage.prompt_tokens).toBe(countTokens('user\nWhat is this?') + 3 + 3 + 765 + 85)
  })

  test('thinks aloud when reasoning is asked for', async () => {
    const { first, usage } = answerOf(await chat(sandbox, 'test/model', { reasoning: { effort: 'low' } }))
    const { reasoning, content } = first.message
    expect(usage.completion_tokens_details.reasoning_tokens).toBe(countTokens(reasoning))
    expect(usage.completion_tokens).toBe(countTokens(reasoning) + countTokens(content))
  })

  test('is JSON when a format asks for it', async () => {
    const object = answerOf(await chat(sandbox, 'test/model', { response_format: { type: 'json_object' } }))
    expect(JSON.parse(object.first.message.content)).toMatchObject({ from: 'sandbox', you_wrote: 'Hello there' })
    const schema = {
      type: 'object',
      properties: { steps: { type: 'array', items: { type: 'string' }, minItems: 2 } },
      required: ['steps'],
    }
    const format = { type: 'json_schema', json_schema: { name: 'plan', schema, strict: true } }
    const fitted = answerOf(await chat(sandbox, 'test/model', { response_format: format }))
    expect(JSON.parse(fitted.first.message.content).steps.length).toBeGreaterThanOrEqual(2)
  })
})

describe('tools', () => {
  const offer = async (content: string, extra: object): Promise<HeardChoice> => {
    const messages = [{ role: 'user', content }]
    return answerOf(await chat(sandbox, 'test/model', { tools: [weather, clock], messages, ...extra })).first
  }

  test('one that the message names is called with arguments that fit', async () => {
    const choice = await offer('use get_weather', {})
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
    expect(choice.message.tool_calls).toHaveLength(1)
    expect(choice.message.tool_calls[0]).toMatchObject({ type: 'function', function: { name: 'get_weather' } })
    expect(JSON.parse(choice.message.tool_calls[0]?.function.arguments ?? '')).toEqual({
      city: expect.any(String),
      unit: expect.stringMatching(/^[cf]$/),
    })
  })

  test('several are called in parallel, unless that is refused', async () => {
    const names = (choice: HeardChoice): string[] => choice.message.tool_calls.map((call) => call.function.name)
    expect(names(await offer('get_weather and get_time', {}))).toEqual(['get_weather', 'get_time'])
    expect(names(await offer('get_weather and get_time', { parallel_tool_calls: false }))).toEqual(['get_weather'])
  })

  test('tool_choice decides', async () => {
    expect((await offer('hi', { tool_choice: 'none' })).message.tool_calls).toBeUndefined()
    expect((await offer('hi', { tool_choice: 'required' })).message.tool_calls).toHaveLength(1)
    const named = await offer('get_weather', { tool_choice: { type: 'function', function: { name: 'get_time' } } })
    expect(named.message.tool_calls[0]?.function.name).toBe('get_time')
  })

  test('after a result it answers in words that name it', async () => {
    const calls = [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }]
    const messages = [
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_1', content: '21 degrees' },
    ]
    // What belongs to a result and cannot be in it, such as an image, stands behind it.
    for (const more of [[], [{ role: 'user', content: 'An image of it, from get_weather.' }]]) {
      const choice = await offer('', { messages: [...messages, ...more] })
      expect(choice.finish_reason).toBe('stop')
      expect(choice.message.content).toContain('The tool get_weather answered: “21 degrees”')
    }
  })
})

describe('a stream', () => {
  test('says what the whole answer says, in the order that clients expect', async () => {
    const { headers, text } = await chat(sandbox, 'test/model', { stream: true })
    const whole = answerOf(await chat(sandbox, 'test/model'))
    const frames = framesOf(text)
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(joined(text, 'content')).toBe(whole.first.message.content)
    expect(frames[0]?.choices?.[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(frames.at(-2)?.choices?.[0]?.finish_reason).toBe('stop')
    expect(frames.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(frames.slice(0, -1).every((frame) => !('usage' in frame))).toBe(true)
    expect(new Set(frames.map(({ id }) => id))).toEqual(new Set([headers['x-generation-id']]))
    expect(frames).toHaveLength(whole.usage.completion_tokens + 3)
  })

  test('carries tool calls in pieces with one id each', async () => {
    const messages = [{ role: 'user', content: 'get_weather and get_time' }]
    const { text } = await chat(sandbox, 'test/model', { stream: true, tools: [weather, clock], messages })
    const deltas = framesOf(text).flatMap(({ choices }): readonly HeardCall[] => choices?.[0]?.delta.tool_calls ?? [])
    expect(deltas.filter(({ id }) => id !== undefined).map((delta) => [delta.index, delta.function.name])).toEqual([
      [0, 'get_weather'],
      [1, 'get_time'],
    ])
    for (const index of [0, 1]) {
      const whole = deltas
        .filter((delta) => delta.index === index)
        .map((delta) => delta.function.arguments)
        .join('')
      expect(JSON.parse(whole)).toBeTypeOf('object')
    }
  })

  test('interleaves n choices and ends each', async () => {
    const { text } = await chat(sandbox, 'test/model', { stream: true, n: 2 })
    const whole = answerOf(await chat(sandbox, 'test/model', { n: 2 }))
    for (const index of [0, 1]) expect(joined(text, 'content', index)).toBe(whole.choices[index]?.message.content)
  })

  test('never cuts a character, whatever is repeated', async () => {
    const messages = [{ role: 'user', content: '🏳️‍🌈 漢字 🎉 Ünïcode' }]
    const { text } = await chat(sandbox, 'test/model', { stream: true, messages })
    expect(joined(text, 'content')).toContain('🏳️‍🌈 漢字 🎉 Ünïcode')
    expect(text).not.toMatch(/\ufffd|\\ud[89ab]/)
  })
})

describe('around the answers', () => {
  test('the look-up knows the cost of a finished answer', async () => {
    const { headers, text } = await chat(sandbox, 'test/model', { stream: true })
    const found = await ask(sandbox, `/generation?id=${String(headers['x-generation-id'])}`)
    const cost = /"cost":([\d.]+)/.exec(text)?.[1]
    expect(found.text).toContain(`"total_cost":${cost},`)
    expect((await ask(sandbox, '/generation?id=unknown')).status).toBe(404)
  })

  test('models are listed, scripted ones are not', async () => {
    const { data } = JSON.parse((await ask(sandbox, '/models')).text)
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['test/model', 'test/small'])
    expect(data[1]).toMatchObject({ context_length: 64, top_provider: { max_completion_tokens: 8 } })
  })

  const user = (content: string): object[] => [{ role: 'user', content }]

  test.each([
    ['no such path', 404, '/nothing', undefined],
    ['no JSON', 400, '/chat/completions', '{"model":'],
    ['no object', 400, '/chat/completions', '[]'],
    ['no messages', 400, '/chat/completions', { model: 'test/model', messages: [] }],
    ['no such model', 400, '/chat/completions', { model: 'test/none', messages: user('x') }],
    ['a prompt too long', 400, '/chat/completions', { model: 'test/small', messages: user('word '.repeat(99)) }],
    ['an odd field', 400, '/chat/completions', { model: 'test/model', messages: user('x'), verbosity: {} }],
    ['a limit of nothing', 400, '/chat/completions', { model: 'test/model', messages: user('x'), max_tokens: 0 }],
  ] as const)('%s is refused with %i in the shape of an upstream', async (_name, status, path, body) => {
    const heard = await ask(sandbox, path, body)
    expect(heard.status).toBe(status)
    expect(JSON.parse(heard.text).error).toMatchObject({
      code: status,
      message: expect.any(String),
      metadata: { error_type: expect.any(String) },
    })
  })

  test('a wrong key is refused', async () => {
    expect((await ask(sandbox, '/models', undefined, 'sandbox-kez')).status).toBe(401)
    expect((await ask(sandbox, '/models', undefined, 'wrong')).status).toBe(401)
  })
})
