/** Histories of other models, and what else native APIs have no place for, become what they can read. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='

const stub = useStubUpstream()
let calls: StubCall[] = []
const gateway = useGateway(() => {
  const price = { input: '1', output: '2' }
  const upstreams = (['anthropic', 'gemini'] as const).map((kind) => ({
    ...{ name: kind, kind, url: stub.url, api_key_env: 'NATIVE_KEY' },
  }))
  const routes = { claude: { upstream: 'anthropic', price }, gemini: { upstream: 'gemini', price } }
  return { file: { upstreams, routes }, env: { NATIVE_KEY: 'sk-native-secret' } }
})

const ANSWERS = {
  claude: {
    ...{ type: 'message', content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' },
    usage: { input_tokens: 10, output_tokens: 5 },
  },
  gemini: {
    candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
  },
}
type Model = keyof typeof ANSWERS

beforeEach(() => {
  calls = []
  stub.onOther = (call, response) => {
    if (call.method === 'GET') return void response.writeHead(404).end()
    calls.push(call)
    const answer = JSON.stringify(ANSWERS[call.path.includes('gemini') ? 'gemini' : 'claude'])
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  }
})

/** Asks in one of the forms, and gives the body that the upstream got. */
async function sentFor(model: Model, body: object, path = '/v1/chat/completions'): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const response = await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify({ model, ...body }) })
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  return calls.at(-1)?.json ?? {}
}

const foreign = { type: 'reasoning.encrypted', data: 'SEALED', format: 'openai-responses-v1', index: 0 }

describe('a turn of nothing but the reasoning of another model is left out', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '', reasoning_content: 'Hm.', reasoning_details: [foreign] },
    { role: 'user', content: 'Still there?' },
  ]

  test('for Anthropic', async () => {
    const texts = ['Hi', 'Still there?'].map((text) => ({ type: 'text', text }))
    expect((await sentFor('claude', { messages }))['messages']).toEqual([{ role: 'user', content: texts }])
  })

  test('for Gemini', async () => {
    const parts = [{ text: 'Hi' }, { text: 'Still there?' }]
    expect((await sentFor('gemini', { messages }))['contents']).toEqual([{ role: 'user', parts }])
  })
})

test.each([
  ['nothing more', [], 1],
  ['a text before', [{ type: 'text', text: 'Well' }], 2],
])('thinking at the very end is left out for Anthropic, with %s', async (_name, texts, count) => {
  const asked = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
  const thought = { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'SIG' }] }
  const said = texts.length === 0 ? [] : [{ role: 'assistant', content: texts }]
  const ask = async (messages: readonly object[]) =>
    (await sentFor('claude', { max_tokens: 9, messages }, '/v1/messages'))['messages']
  expect(await ask([asked, ...said, thought])).toEqual([asked, ...said].slice(0, count))
  expect(await ask([asked, thought, asked])).toEqual([asked, thought, asked])
})

test('images in results of tools go behind the results for Gemini', async () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }
  const { contents } = await sentFor('gemini', {
    messages: [
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'a', content: [image] },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'A dot.' }, image] },
      { role: 'user', content: 'And?' },
    ],
  })
  const inlineData = { mimeType: 'image/png', data: PIXEL }
  const result = (id: string, output: string) => ({ functionResponse: { id, name: 'look', response: { output } } })
  expect((contents as readonly { parts: unknown }[])[1]?.parts).toEqual([
    ...[result('a', 'The result is behind the results.'), result('b', 'A dot.')],
    ...[{ inlineData }, { inlineData }, { text: 'And?' }],
  ])
})

describe('of tools of which some are allowed, these alone are offered', () => {
  const chat = (names: readonly string[]) => names.map((name) => ({ type: 'function', function: { name } }))
  const messages = [{ role: 'user', content: 'Hi' }]
  const asked = (mode: string, allowed: readonly string[]) => ({
    ...{ messages, tools: chat(['add', 'now', 'look']) },
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: chat(allowed) } },
  })

  test.each([
    ['required', 'any', 'ANY'],
    ['auto', 'auto', 'AUTO'],
  ])('as %s', async (mode, anthropic, gemini) => {
    expect(await sentFor('claude', asked(mode, ['look', 'add']))).toMatchObject({
      tools: [{ name: 'add' }, { name: 'look' }],
      tool_choice: { type: anthropic },
    })
    expect(await sentFor('gemini', asked(mode, ['look', 'add']))).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'add' }, { name: 'look' }] }],
      toolConfig: { functionCallingConfig: { mode: gemini } },
    })
  })

  test('in the form of Responses', async () => {
    const tools = ['add', 'now'].map((name) => ({ type: 'function', name, parameters: { type: 'object' } }))
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'now' }] }
    const sent = await sentFor('claude', { input: 'Hi', tools, tool_choice }, '/v1/responses')
    expect(sent).toMatchObject({ tools: [{ name: 'now' }], tool_choice: { type: 'any' } })
  })

  test('and where none of them is offered, none is called; a call that is demanded is refused', async () => {
    expect(await sentFor('claude', asked('auto', ['gone']))).toMatchObject({
      tools: [{}, {}, {}],
      tool_choice: { type: 'none' },
    })
    const refused = await gateway.chat({ model: 'claude', ...asked('required', ['gone']) })
    expect([refused.status, calls.length]).toEqual([400, 1])
  })
})

describe('thoughts between texts and calls keep their place', () => {
  const thinking = (thought: string) => ({ type: 'thinking', thinking: thought, signature: `SIG ${thought}` })
  const call = (id: string) => ({ type: 'tool_use', id, name: 'add', input: {} })
  const blocks = [
    ...[thinking('one'), { type: 'text', text: 'Let me see.' }, thinking('two'), { type: 'text', text: 'Adding.' }],
    ...[{ type: 'redacted_thinking', data: 'SEALED' }, call('a'), thinking('three'), call('b')],
  ]
  const asked = { role: 'user', content: [{ type: 'text', text: 'Add.' }] }
  const usage = { input_tokens: 10, output_tokens: 5 }
  const begin = { type: 'message_start', message: { usage } }
  const events = blocks.flatMap((block, index) => {
    const delta = Object.entries(block).flatMap(([name, value]) => {
      const type = { thinking: 'thinking_delta', signature: 'signature_delta', text: 'text_delta' }[name]
      return type === undefined ? [] : [{ type: 'content_block_delta', index, delta: { type, [name]: value } }]
    })
    const empty = { text: { text: '' }, thinking: { thinking: '', signature: '' } }[block.type] ?? {}
    const start = { type: 'content_block_start', index, content_block: { ...block, ...empty } }
    return [start, ...delta, { type: 'content_block_stop', index }]
  })
  const end = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage }, { type: 'message_stop' }]

  beforeEach(() => {
    stub.onOther = (call, response) => {
      calls.push(call)
      if (call.json?.['stream'] !== true) {
        response.writeHead(200, { 'content-type': 'application/json' })
        return void response.end(JSON.stringify({ type: 'message', content: blocks, stop_reason: 'tool_use', usage }))
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of [begin, ...events, ...end]) response.write(`data: ${JSON.stringify(event)}\n\n`)
      response.end()
    }
  })
  const historySent = () =>
    (calls.at(-1)?.json?.['messages'] as readonly { content?: unknown }[] | undefined)?.[1]?.content

  test.each([false, true])("with Anthropic's client, stream: %s", async (isStream) => {
    const client = new Anthropic({ baseURL: gateway.baseUrl, apiKey: gateway.key, authToken: null, maxRetries: 0 })
    const question = { model: 'claude', max_tokens: 99, messages: [asked] as Anthropic.MessageParam[] }
    const answer = isStream
      ? await client.messages.stream(question).finalMessage()
      : await client.messages.create(question)
    expect(answer.content).toMatchObject(blocks)
    const results = ['a', 'b'].map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: '2' }))
    const history = [...question.messages, { role: 'assistant' as const, content: answer.content }]
    await client.messages.create({ ...question, messages: [...history, { role: 'user', content: results }] })
    expect(historySent()).toEqual(blocks)
  })

  test('in a chat that gives back the message as it came', async () => {
    const client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
    const question = { model: 'claude', messages: [{ role: 'user' as const, content: 'Add.' }] }
    const { choices } = await client.chat.completions.create(question)
    const results = ['a', 'b'].map((id) => ({ role: 'tool' as const, tool_call_id: id, content: '2' }))
    const history = [...question.messages, ...choices.map(({ message }) => message), ...results]
    await client.chat.completions.create({ model: 'claude', messages: history })
    expect(historySent()).toEqual(blocks)
  })
})
