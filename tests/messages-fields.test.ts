/**
 * What of a Messages request is refused, with its reason, and what passes without effect. A field that changes neither
 * price nor route nor safety never is a 400. Source: decision 0127.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { refusedMessageFields } from '../packages/server/src/forms/messages/refused-message-fields.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000' }))
beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (_call, response) => sendCompletion(response)
})

const hello = { model: 'svc-gpt', max_tokens: 500, messages: [{ role: 'user', content: 'Say hello.' }] }
const weather = { name: 'get_weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }

const ask = (more: object): Promise<Response> =>
  gateway.fetch('/v1/messages', { method: 'POST', body: JSON.stringify({ ...hello, ...more }), headers: json })
const json = { 'content-type': 'application/json' }
const blocks = (...content: readonly object[]): object => ({ messages: [{ role: 'user', content }] })
const serverTool = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
const fileImage = blocks({ type: 'image', source: { type: 'file', file_id: 'f' } })

/** Each field that is refused: its path, a value, and why. */
const refused: readonly (readonly [param: string, more: object, why: string])[] = [
  ['thread', { thread: { type: 'create' } }, 'the answer would promise a memory'],
  ['mcp_servers', { mcp_servers: [{ type: 'url', name: 'a', url: 'https://a.example' }] }, 'tools would be missing'],
  ['container', { container: { skills: [{ type: 'custom', skill_id: 'a' }] } }, 'skills would be missing'],
  ['fallbacks', { fallbacks: [{ model: 'claude-opus-5' }] }, 'route and price'],
  ['fallback_credit_token', { fallback_credit_token: 'token' }, 'price'],
  ['billing_policy', { billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }, 'who pays'],
  ['compaction', { compaction: { type: 'summarize' } }, 'the answer would be another thing'],
  ['context_management.edits.0', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }, 'price'],
  ['speed', { speed: 'fast' }, 'price'],
  ['inference_geo', { inference_geo: 'us' }, 'price and route'],
  ['plugins', { plugins: [{ id: 'web' }] }, 'price'],
  ['models', { models: ['dear'] }, 'route'],
  ['provider', { provider: { order: ['a'] } }, 'route'],
  ['extra_body', { extra_body: { n: 4 } }, 'price'],
  ['output_config.format.type', { output_config: { format: { type: 'xml' } } }, 'the answer would be another thing'],
  ['tools.0.type', serverTool, 'the model would miss a tool that only a server runs'],
  ['messages.0.content.0.type', blocks({ type: 'container_upload', file_id: 'f' }), 'content would be lost'],
  ['messages.0.content.0.type', blocks({ type: 'constructor' }), 'content would be lost'],
  ['system.0.type', { system: [{ type: '__proto__' }] }, 'content would be lost'],
  ['messages.0.content.0.source.type', fileImage, 'content would be lost'],
]

test.each(refused)('%s is refused: %o, because: %s', async (param, more) => {
  const answer = await ask(more)
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { type: 'error', error: { type: 'invalid_request_error', code: 'unsupported_parameter', param } },
  ])
  expect(stub.chats).toEqual([])
})

test('each field that the form refuses by itself is in the table', () => {
  const shown = new Set(refused.map(([param]) => param))
  expect(Object.keys(refusedMessageFields).filter((name) => !shown.has(name))).toEqual([])
})

test.each([
  ['nothing is asked of other servers', { mcp_servers: [], plugins: [], fallbacks: [], container: null }],
  ['a container of an earlier answer', { container: 'container_1' }],
  ['fallbacks of the server', { fallbacks: 'default' }],
  ['the usual speed, place and payer', { speed: 'standard', inference_geo: 'global', billing_policy: {} }],
  ['questions about caches', { diagnostics: { previous_message_id: 'msg_1' } }],
  ['profiles, workspaces and betas', { user_profile_id: 'u', workspace_id: 'w', betas: ['a'], anthropic_beta: ['a'] }],
  ['fields that are newer than the gateway', { something_new: 1, thinking: { type: 'adaptive', something: 1 } }],
  ['a budget of several turns', { output_config: { task_budget: { type: 'tokens', total: 9 }, something: 1 } }],
  ['notes about the request', { metadata: { user_id: 'a', something: 1 } }],
  [
    'marks of messages and blocks',
    { messages: [{ role: 'user', id: 'a', content: [{ type: 'text', text: 'Hi', x: 1 }] }] },
  ],
  ['marks of tools', { tools: [{ ...weather, input_examples: [{}], allowed_callers: ['direct'], x: { y: 1 } }] }],
  ['a choice among no tools', { tools: [], tool_choice: { type: 'auto' } }],
])('what changes nothing passes, and goes no further: %s', async (_what, more) => {
  expect((await ask(more)).status).toBe(200)
  const sent = Object.keys(stub.chats[0]?.json ?? {})
  const usual = ['model', 'max_tokens', 'messages', 'usage', 'plugins', 'user', 'tools']
  expect(sent.filter((name) => !usual.includes(name))).toEqual([])
  expect(JSON.stringify(stub.chats[0]?.json)).not.toContain('something')
})

test('content of other kinds reaches the model as text', async () => {
  const answer = await ask(
    blocks(
      { type: 'search_result', title: 'Hail', source: 'https://a.example', content: [{ type: 'text', text: 'Big.' }] },
      {
        type: 'document',
        title: 'Note',
        context: 'Old.',
        source: { type: 'text', data: 'Rain.' },
        citations: { enabled: true },
      },
      { type: 'document', title: 'Parts', source: { type: 'content', content: [{ type: 'text', text: 'Snow.' }] } },
    ),
  )
  expect(answer.status).toBe(200)
  expect(stub.chats[0]?.json).toMatchObject({
    messages: [
      {
        content: [
          { type: 'text', text: 'Hail\n\nhttps://a.example\n\nBig.' },
          { type: 'text', text: 'Note\n\nOld.\n\nRain.' },
          { type: 'text', text: 'Parts' },
          { type: 'text', text: 'Snow.' },
        ],
      },
    ],
  })
})

test.each([
  ['bash_20250124', 'bash', { command: expect.anything() }],
  ['text_editor_20241022', 'str_replace_editor', { new_str: { description: expect.stringContaining('insert') } }],
  ['text_editor_20250728', 'str_replace_based_edit_tool', { insert_text: expect.anything() }],
  ['memory_20250818', 'memory', { old_path: expect.anything() }],
  ['computer_20251124', 'computer', { region: expect.anything() }],
])(
  'a tool that the client runs and names by a type alone is offered with what it takes: %s',
  async (type, name, has) => {
    const tool = { type, name, cache_control: { type: 'ephemeral' }, display_width_px: 800, display_height_px: 600 }
    expect((await ask({ tools: [tool], tool_choice: { type: 'tool', name } })).status).toBe(200)
    const parameters = { type: 'object', properties: has }
    expect(stub.chats[0]?.json).toMatchObject({
      tools: [{ type: 'function', function: { name, description: expect.any(String), parameters } }],
      tool_choice: { type: 'function', function: { name } },
    })
  },
)

describe('tools that wait', () => {
  const later = { ...weather, name: 'later', defer_loading: true }
  const search = { name: 'find_tools', input_schema: { type: 'object' } }
  const serverSearch = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }
  const found = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'find_tools', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference', tool_name: 'later' }] }],
    },
  ]
  const says = (...content: readonly object[]): object => ({
    messages: [...hello.messages, { role: 'system', content }],
  })
  const inline = { ...weather, name: 'inline' }
  const adds = (tool: object): object => ({ type: 'tool_addition', tool })
  const takes = (name: string): object => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } })

  test.each([
    ['one that waits is not offered', { tools: [search, later] }, ['find_tools']],
    ['one that was found is', { tools: [search, later], messages: found }, ['find_tools', 'later']],
    [
      'one that is chosen is',
      { tools: [search, later], tool_choice: { type: 'tool', name: 'later' } },
      ['find_tools', 'later'],
    ],
    ['all are where the server would search', { tools: [serverSearch, weather, later] }, ['get_weather', 'later']],
    [
      'one that was added is',
      { tools: [search, later], ...says(adds({ type: 'tool_reference', name: 'later' })) },
      ['find_tools', 'later'],
    ],
    [
      'one that was defined is',
      { tools: [search], ...says(adds({ type: 'tool_definition', definition: inline })) },
      ['find_tools', 'inline'],
    ],
    ['one that was taken away is not', { tools: [search, weather], ...says(takes('find_tools')) }, ['get_weather']],
  ])('%s', async (_what, more, names) => {
    expect((await ask(more)).status).toBe(200)
    const { tools, messages } = (stub.chats[0]?.json ?? {}) as unknown as {
      tools: { function: { name: string } }[]
      messages: { role: string }[]
    }
    expect(tools.map((tool) => tool.function.name)).toEqual(names)
    expect(messages.map(({ role }) => role)).not.toContain('system')
  })

  test('more than are offered may wait', async () => {
    const many = Array.from({ length: 300 }, (_none, index) => ({ ...later, name: `later_${index}` }))
    expect((await ask({ tools: [search, ...many] })).status).toBe(200)
    const offered = many.map((tool) => ({ ...tool, defer_loading: false }))
    const answer = await ask({ tools: offered })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_value', param: 'tools' } },
    ])
  })
})
