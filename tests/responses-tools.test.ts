/**
 * Tools of the Responses form that a chat does not know, as coding agents send them: groups, tools whose argument is a
 * text, searches for tools, and tools of providers. Each call goes back in the form of its tool, whole and streamed.
 */
import OpenAI from 'openai'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { failureOf } from './charge-of.ts'

type Json = Readonly<Record<string, unknown>>
type Call = { readonly name: string; readonly input: string }

const model = 'svc-gpt'
const usage = { prompt_tokens: 10, completion_tokens: 5 }
const PNG = 'data:image/png;base64,iVBORw0KGgo='
const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+"ä"\n*** End Patch\n'
const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000' }))
const client = () => new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })

const city = { type: 'object', properties: { city: { type: 'string' } } }
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' }
const patch = { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: grammar }
const weather = { type: 'function', name: 'get', description: 'Weather.', parameters: city, strict: false }
const group = { type: 'namespace', name: 'mcp__sky', description: 'The sky.', tools: [weather, patch] }
const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: city }
const hosted = { type: 'web_search', external_web_access: true }

/** What the model calls next, in the words of a chat. */
let calls: readonly Call[] = []
beforeEach(() => {
  calls = []
  stub.chats.length = 0
  stub.onChat = ({ wantsStream }, response) => {
    const made = calls.map(({ name, input }, index) => ({
      ...{ index, id: `call_${index}`, type: 'function' },
      function: { name, arguments: input },
    }))
    const finishReason = made.length === 0 ? 'stop' : 'tool_calls'
    const text = made.length === 0 ? 'Done.' : null
    if (!wantsStream) return sendCompletion(response, { text, usage, finishReason, message: { tool_calls: made } })
    beginStream(response)
    for (const { function: called, ...call } of made) {
      sendEvent(response, chunkText({ tool_calls: [{ ...call, function: { ...called, arguments: '' } }] }))
      for (const piece of called.arguments.match(/[^]{1,7}/gu) ?? []) {
        sendEvent(response, chunkText({ tool_calls: [{ index: call.index, function: { arguments: piece } }] }))
      }
    }
    for (const data of [chunkText({}, finishReason), usageText(usage), '[DONE]']) sendEvent(response, data)
    response.end()
  }
})

const sent = (): Json => stub.chats.at(-1)?.json ?? {}
const offered = (): unknown =>
  (sent()['tools'] as { function: Json }[] | undefined)?.map(({ function: { name } }) => name)

async function ask(more: Json): Promise<Response> {
  return client().responses.create({
    model,
    input: 'Go.',
    ...more,
  } as OpenAI.Responses.ResponseCreateParamsNonStreaming)
}

async function stream(more: Json): Promise<ResponseStreamEvent[]> {
  const request = { model, input: 'Go.', stream: true, ...more } as OpenAI.Responses.ResponseCreateParamsStreaming
  const events: ResponseStreamEvent[] = []
  for await (const event of await client().responses.create(request)) events.push(event)
  return events
}

describe('a tool', () => {
  test.each([
    {
      says: 'of a group',
      call: { name: 'mcp__sky__get', input: '{"city":"Oslo"}' },
      item: { type: 'function_call', namespace: 'mcp__sky', name: 'get', arguments: '{"city":"Oslo"}' },
      events: 'response.function_call_arguments',
    },
    {
      says: 'with a text',
      call: { name: 'apply_patch', input: JSON.stringify({ input: PATCH }) },
      item: { type: 'custom_tool_call', name: 'apply_patch', input: PATCH },
      events: 'response.custom_tool_call_input',
    },
    {
      says: 'with a text in a group',
      call: { name: 'mcp__sky__apply_patch', input: JSON.stringify({ input: PATCH }) },
      item: { type: 'custom_tool_call', namespace: 'mcp__sky', name: 'apply_patch', input: PATCH },
      events: 'response.custom_tool_call_input',
    },
    {
      says: 'that the model calls without its group',
      call: { name: 'get', input: '{}' },
      item: { type: 'function_call', namespace: 'mcp__sky', name: 'get', arguments: '{}' },
      events: 'response.function_call_arguments',
    },
    {
      says: 'that finds tools',
      call: { name: 'tool_search', input: '{"city":"Oslo"}' },
      item: { type: 'tool_search_call', execution: 'client', arguments: { city: 'Oslo' } },
      events: null,
    },
  ])('$says is called in its own form, whole and streamed, and remembered', async ({ call, item, events: name }) => {
    calls = [call]
    const tools = [group, patch, search, hosted]
    const { output } = await ask({ tools })
    const events = await stream({ tools })
    const last = events.at(-1)
    const streamed = last?.type === 'response.completed' ? last.response.output : []
    for (const [made] of [output, streamed]) {
      expect(made).toMatchObject({ ...item, call_id: 'call_0', status: 'completed', id: expect.any(String) })
    }
    const ended = events.filter((event) => event.type === 'response.output_item.done')
    expect(ended).toMatchObject([{ item: { ...item, call_id: 'call_0', status: 'completed' } }])
    const deltas = events.filter((event) => (event.type as string) === `${name}.delta`) as unknown as {
      delta: string
    }[]
    const done = events.find((event) => (event.type as string) === `${name}.done`)
    if (name !== null) {
      const said = 'input' in item ? { input: item.input } : { arguments: item.arguments }
      expect(done).toMatchObject(said)
      expect(deltas.map(({ delta }) => delta).join('')).toBe(Object.values(said)[0])
    }
    calls = []
    const outputType = item.type.replace(/_call$/, item.type === 'tool_search_call' ? '_output' : '_call_output')
    const told = item.type === 'tool_search_call' ? { execution: 'client', tools: [weather] } : { output: 'Done.' }
    await ask({
      tools,
      input: [{ role: 'user', content: 'Go.' }, ...output, { type: outputType, call_id: 'call_0', ...told }],
    })
    const [, asked, answered] = sent()['messages'] as Json[]
    const { function: again } = (asked?.['tool_calls'] as { id: string; function: Call }[] | undefined)?.[0] ?? {}
    expect(again?.name).toBe(call.name === 'get' ? 'mcp__sky__get' : call.name)
    expect(answered).toMatchObject({ role: 'tool', tool_call_id: 'call_0' })
  })

  test('is offered as a function, in the order of the request and of its items', async () => {
    const more = { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'exec' }, group] }
    const found = {
      type: 'tool_search_output',
      call_id: 'call_1',
      execution: 'client',
      tools: [{ ...weather, name: 'found' }],
    }
    const asked = { type: 'tool_search_call', call_id: 'call_1', execution: 'client', arguments: {} }
    await ask({ tools: [patch, search], input: [more, { role: 'user', content: 'Go.' }, asked, found] })
    expect(offered()).toEqual(['apply_patch', 'tool_search', 'exec', 'mcp__sky__get', 'mcp__sky__apply_patch', 'found'])
    const [first] = sent()['tools'] as { function: Json }[]
    expect(first?.function).toEqual({
      name: 'apply_patch',
      description: `Edits files.\n\nThe text follows this grammar (lark):\n${grammar.definition}`,
      parameters: {
        type: 'object',
        properties: { input: { type: 'string', description: 'The whole text, as it is.' } },
        required: ['input'],
        additionalProperties: false,
      },
    })
  })

  test('has a name that upstreams take, the same in every turn, however its group is called', async () => {
    const long = { ...group, name: 'a.b'.repeat(30), tools: [weather, { ...weather, name: 'other' }] }
    await ask({ tools: [long] })
    const names = offered() as string[]
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/)
    await ask({ tools: [patch, long] })
    expect(offered()).toEqual(['apply_patch', ...names])
  })

  test('that would be called as another is has a name of its own', async () => {
    await ask({
      tools: [
        { ...weather, name: 'a__get' },
        { ...group, name: 'a', tools: [weather] },
      ],
    })
    const [flat, grouped] = offered() as string[]
    expect(flat).toBe('a__get')
    expect(grouped).toMatch(/^a__get_[0-9a-f]{8}$/)
    calls = [{ name: grouped ?? '', input: '{}' }]
    const { output } = await ask({
      tools: [
        { ...weather, name: 'a__get' },
        { ...group, name: 'a', tools: [weather] },
      ],
    })
    expect(output).toMatchObject([{ namespace: 'a', name: 'get' }])
  })
})

describe('a tool that its client runs and names by a type alone', () => {
  const exec = { command: ['ls', '-a'], timeout_ms: 100 }
  const create = { type: 'create_file', path: 'a.txt', diff: '+a' }

  test.each([
    {
      tool: { type: 'local_shell' },
      input: { action: exec },
      item: { type: 'local_shell_call', action: { type: 'exec', env: {}, ...exec } },
      ...{ output: { output: 'a.txt' }, told: 'a.txt' },
    },
    {
      tool: { type: 'shell', environment: { type: 'local' } },
      // The model leaves the action out, and writes one text for a list.
      input: { commands: 'ls' },
      item: {
        ...{ type: 'shell_call', environment: { type: 'local' } },
        action: { commands: ['ls'], timeout_ms: null, max_output_length: null },
      },
      output: { output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
      told: '[{"stdout":"a.txt","stderr":"","outcome":{"type":"exit","exit_code":0}}]',
    },
    {
      tool: { type: 'apply_patch' },
      input: { operation: create },
      item: { type: 'apply_patch_call', operation: create },
      ...{ output: { status: 'failed', output: 'No.' }, told: '{"status":"failed","output":"No."}' },
    },
    {
      tool: { type: 'computer' },
      input: { actions: [{ type: 'click', x: 1, y: 2 }, { type: 'wait' }] },
      item: {
        ...{ type: 'computer_call', pending_safety_checks: [] },
        actions: [{ type: 'click', button: 'left', x: 1, y: 2 }, { type: 'wait' }],
      },
      ...{ output: { output: { type: 'computer_screenshot', image_url: PNG } }, told: expect.any(String), image: PNG },
    },
    {
      tool: { type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'browser' },
      input: { type: 'scroll', x: 1, y: 2, scroll_y: 3 },
      item: {
        ...{ type: 'computer_call', pending_safety_checks: [] },
        action: { type: 'scroll', x: 1, y: 2, scroll_x: 0, scroll_y: 3 },
      },
      ...{ output: { output: { type: 'computer_screenshot', image_url: PNG } }, told: expect.any(String), image: PNG },
    },
  ])('$tool.type is called in its own form, whole and streamed, and remembered', async (row) => {
    const { tool, input, item, output: answer, told } = row
    const name = item.type.replace('_call', '')
    calls = [{ name, input: JSON.stringify(input) }]
    const { output, tools } = await ask({ tools: [tool], tool_choice: { type: tool.type } })
    expect([tools, sent()['tool_choice'], offered()]).toEqual([
      [tool],
      { type: 'function', function: { name } },
      [name],
    ])
    const events = await stream({ tools: [tool] })
    const whole = { ...item, call_id: 'call_0', status: 'completed', id: expect.stringMatching(/^(lsh|sh|apc|cu)_/) }
    expect(output).toEqual([whole])
    const of = (type: string) => events.filter((event) => event.type === type)
    // Its readers want all of its members at its beginning, too.
    expect(of('response.output_item.added')).toMatchObject([{ item: { ...whole, status: 'in_progress' } }])
    expect(of('response.output_item.done')).toMatchObject([{ item: whole }])
    const type = `${item.type}_output`
    await ask({
      tools: [tool],
      input: [{ role: 'user', content: 'Go.' }, ...output, { type, call_id: 'call_0', ...answer }],
    })
    expect(sent()['messages']).toMatchObject([
      { role: 'user' },
      { tool_calls: [{ id: 'call_0', function: { name } }] },
      { role: 'tool', tool_call_id: 'call_0', content: told },
      ...('image' in row ? [{ role: 'user', content: [{ image_url: { url: row.image } }] }] : []),
    ])
  })

  test('is left out where its provider runs it', async () => {
    await ask({ tools: [{ type: 'shell', environment: { type: 'container_auto' } }, weather] })
    expect(offered()).toEqual(['get'])
  })
})

describe('a tool that a provider would run', () => {
  const choices = [{ type: 'web_search' }, { type: 'mcp', server_label: 'x' }, { type: 'function', name: 'gone' }]

  test('is left out, and the answer says which are there', async () => {
    const { tools } = await ask({ tools: [hosted, weather, { type: 'image_generation' }], tool_choice: 'auto' })
    expect(offered()).toEqual(['get'])
    expect(tools).toMatchObject([{ name: 'get' }])
    await ask({ tools: [hosted], tool_choice: 'auto', parallel_tool_calls: true })
    for (const name of ['tools', 'tool_choice', 'parallel_tool_calls']) expect(sent()).not.toHaveProperty(name)
  })

  test.each([
    { param: 'tool_choice', tool_choice: 'required', tools: [hosted] },
    ...choices.map((choice) => ({
      ...{ param: choice.type === 'function' ? 'tool_choice.name' : 'tool_choice.type' },
      ...{ tool_choice: choice, tools: [hosted, weather] },
    })),
    {
      param: 'tool_choice.tools',
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
      tools: [hosted, weather],
    },
  ])('is refused where the model has to call it: $tool_choice', async ({ param, ...more }) => {
    const error = await failureOf(ask(more))
    expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter', param })
    expect(stub.chats).toEqual([])
  })

  test('is no reason to refuse a choice among others', async () => {
    const tools = [
      { type: 'web_search' },
      { type: 'custom', name: 'apply_patch' },
      { type: 'function', namespace: 'mcp__sky', name: 'get' },
    ]
    await ask({ tools: [patch, group, hosted], tool_choice: { type: 'allowed_tools', mode: 'auto', tools } })
    const named = (name: string) => ({ type: 'function', function: { name } })
    const allowed = { mode: 'auto', tools: [named('apply_patch'), named('mcp__sky__get')] }
    expect(sent()['tool_choice']).toEqual({ type: 'allowed_tools', allowed_tools: allowed })
    await ask({ tools: [patch], tool_choice: { type: 'custom', name: 'apply_patch' } })
    expect(sent()['tool_choice']).toEqual(named('apply_patch'))
    await ask({
      tools: [patch, hosted],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] },
    })
    expect(sent()['tool_choice']).toBe('none')
  })
})

describe('an item', () => {
  test('of a call that a client has run itself keeps what was called and what came of it', async () => {
    const action = { type: 'exec', command: ['ls'] }
    await ask({
      input: [
        { role: 'user', content: 'Go.' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
        { type: 'local_shell_call', id: 'l', call_id: 'call_1', status: 'completed', action },
        { type: 'local_shell_call_output', call_id: 'call_1', output: 'a.txt' },
        { type: 'configuration_update', reasoning: { effort: 'high' } },
      ],
      reasoning: { effort: 'low', context: 'all_turns' },
    })
    expect(sent()).toMatchObject({
      reasoning_effort: 'high',
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          tool_calls: [{ function: { name: 'local_shell', arguments: JSON.stringify({ action }) } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'a.txt' },
      ],
    })
    expect(sent()['messages']).toHaveLength(3)
  })
})
