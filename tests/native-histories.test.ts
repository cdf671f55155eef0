/** Histories of other models, and what else native APIs have no place for, become what they can read. */
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
    if (call.method === 'GET') return response.writeHead(404).end()
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
