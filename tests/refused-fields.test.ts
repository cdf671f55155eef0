/**
 * Which fields each form of a chat refuses, and why. A client must not fail on a field that changes neither price nor
 * route nor safety, and whose absence the model would not feel: every other field is served, be it forwarded or ignored.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { dialectFields } from '../packages/server/src/upstreams/work-fields/field-table.ts'
import type { WorkKind } from '../packages/server/src/upstreams/work-fields/work-field.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

type Json = Readonly<Record<string, unknown>>
type Form = 'chat' | 'completions' | 'responses' | 'messages'

/** Why a field cannot be served. */
type Reason =
  /** It makes, or sells, more than is held for. */
  | 'price'
  /** Another model, server or program would answer. */
  | 'route'
  /** The answer would not be checked as it was asked. */
  | 'safety'
  /** The model would answer without something that it was given. */
  | 'content'
  /** The answer would be another thing than the client waits for. */
  | 'answer'
  /** Two readers would read two different requests. */
  | 'ambiguous'

const messages = [{ role: 'user', content: 'Hello.' }]
const forms: Readonly<Record<Form, { readonly path: string; readonly body: Json }>> = {
  chat: { path: '/v1/chat/completions', body: { model: 'svc-gpt', messages } },
  completions: { path: '/v1/completions', body: { model: 'svc-gpt', prompt: 'Hello.' } },
  responses: { path: '/v1/responses', body: { model: 'svc-gpt', input: 'Hello.' } },
  messages: { path: '/v1/messages', body: { model: 'svc-gpt', max_tokens: 50, messages } },
}
const formNames = Object.keys(forms) as Form[]

const stub = useStubUpstream()
const gateway = useGateway(() => ({
  upstreamUrl: stub.url,
  credits: '1000000',
  file: { limits: { requests_per_minute: 60_000 } },
}))
beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (_call, response) => sendCompletion(response)
})

async function ask(form: Form, more: Json): Promise<{ readonly status: number; readonly param: string | null }> {
  const { path, body } = forms[form]
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, ...more }),
  }
  const response = await gateway.fetch(path, init)
  const { error } = (await response.json()) as { error?: { param: string | null } | null }
  return { status: response.status, param: error?.param ?? null }
}

const tool = (more: Json): Json => ({ tools: [more] })
const block = (more: Json): Json => ({ messages: [{ role: 'user', content: [more] }] })
const item = (more: Json): Json => ({ input: [more] })
const part = (more: Json): Json => item({ role: 'user', content: [more] })

/** What is refused beside the fields of `upstreams/work-fields`, which say themselves what each of them is. */
const refused: readonly (readonly [form: Form, reason: Reason, param: string, more: Json])[] = [
  ['chat', 'price', 'web_search_options', { web_search_options: {} }],
  ['chat', 'price', 'service_tier', { service_tier: 'priority' }],
  ['chat', 'price', 'tools.0.type', tool({ type: 'web_search' })],
  ['chat', 'price', 'tools.0.google_search', tool({ type: 'function', function: { name: 'f' }, google_search: {} })],
  ['chat', 'route', 'moderation.model', { moderation: { model: 'omni-moderation-latest' } }],
  ['chat', 'route', 'provider.x', { provider: { x: 1 } }],
  ['chat', 'ambiguous', 'MODEL', { MODEL: 'other' }],

  ['completions', 'price', 'service_tier', { service_tier: 'priority' }],
  ['completions', 'price', 'best_of', { best_of: 3, n: 2 }],
  ['completions', 'content', 'prompt', { prompt: [1, 2] }],
  ['completions', 'content', 'suffix', { suffix: 'The end.' }],
  ['completions', 'content', 'messages', { messages }],
  ['completions', 'content', 'tools', tool({ type: 'function', function: { name: 'f' } })],
  ['completions', 'content', 'functions', { functions: [{ name: 'f' }] }],
  ['completions', 'answer', 'modalities', { modalities: ['text', 'audio'] }],
  ['completions', 'answer', 'audio', { audio: { voice: 'alloy', format: 'mp3' } }],
  ['completions', 'answer', 'logprobs', { logprobs: 1, echo: true }],
  ['completions', 'ambiguous', 'Max_Tokens', { Max_Tokens: 1 }],

  ['responses', 'price', 'service_tier', { service_tier: 'priority' }],
  ['responses', 'price', 'reasoning.mode', { reasoning: { mode: 'pro' } }],
  ['responses', 'price', 'tool_choice.type', { ...tool({ type: 'web_search' }), tool_choice: { type: 'web_search' } }],
  ['responses', 'safety', 'moderation.model', { moderation: { model: 'omni-moderation-latest' } }],
  ['responses', 'content', 'previous_response_id', { previous_response_id: 'resp_1' }],
  ['responses', 'content', 'conversation', { conversation: 'conv_1' }],
  ['responses', 'content', 'prompt', { prompt: { id: 'pmpt_1' } }],
  ['responses', 'content', 'input.0', item({ type: 'item_reference', id: 'msg_1' })],
  ['responses', 'content', 'input.0.type', item({ type: 'compaction', encrypted_content: 'x' })],
  ['responses', 'content', 'input.0.type', item({ type: 'something_new', text: 'x' })],
  ['responses', 'content', 'input.0.content.0.type', part({ type: 'something_new' })],
  ['responses', 'content', 'input.0.content.0.file_id', part({ type: 'input_image', file_id: 'file_1' })],
  ['responses', 'content', 'input.0.content.0.file_url', part({ type: 'input_file', file_url: 'https://x.example' })],
  ['responses', 'answer', 'background', { background: true }],
  ['responses', 'ambiguous', 'Max_Output_Tokens', { Max_Output_Tokens: 1 }],

  ['messages', 'route', 'mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://x.example', name: 'x' }] }],
  ['messages', 'route', 'container', { container: { skills: [{ type: 'anthropic', skill_id: 'pdf' }] } }],
  ['messages', 'route', 'fallbacks', { fallbacks: ['other'] }],
  ['messages', 'price', 'fallback_credit_token', { fallback_credit_token: 'x' }],
  ['messages', 'price', 'billing_policy', { billing_policy: { bill_to: 'user_profile' } }],
  ['messages', 'price', 'speed', { speed: 'fast' }],
  ['messages', 'content', 'thread', { thread: { type: 'new' } }],
  ['messages', 'content', 'compaction', { compaction: { type: 'auto' } }],
  ['messages', 'content', 'context_management.edits.0', { context_management: { edits: [{ type: 'clear_x' }] } }],
  ['messages', 'answer', 'output_config.format.type', { output_config: { format: { type: 'xml' } } }],
  ['messages', 'content', 'messages.0.content.0.type', block({ type: 'something_new' })],
  ['messages', 'ambiguous', 'Max_Tokens', { Max_Tokens: 1 }],
]

const reasons: Readonly<Partial<Record<WorkKind, Reason>>> = {
  work: 'price',
  search: 'price',
  beams: 'price',
  route: 'route',
  input: 'content',
}

/** Fields of one vendor that have another meaning in a form which reads them itself. */
const READ: Readonly<Record<Form, readonly string[]>> = {
  chat: ['tools', 'metadata', 'provider'],
  completions: ['metadata'],
  responses: ['tools', 'background', 'service_tier'],
  messages: ['tools', 'service_tier', 'mcp_servers', 'container', 'fallbacks'],
}

const listed = dialectFields
  .filter(({ modalities }) => modalities?.includes('chat') ?? true)
  .flatMap(({ dialect, fields }) =>
    Object.entries(fields).flatMap(([name, kind]) => {
      const reason = reasons[kind]
      return reason === undefined ? [] : [{ dialect, name, reason, kind }]
    }),
  )

describe.each(formNames)('%s refuses', (form) => {
  test.each(refused.filter(([of]) => of === form))('%s for its %s: %s', async (_form, _reason, param, more) => {
    expect(await ask(form, more)).toEqual({ status: 400, param })
    expect(stub.chats).toEqual([])
  })

  test('every field of a server that makes more work, or leads elsewhere', async () => {
    expect(listed.length).toBeGreaterThan(60)
    const served: string[] = []
    for (const { dialect, name, reason, kind } of listed) {
      if (READ[form].includes(name)) continue
      const { status, param } = await ask(form, { [name]: kind === 'beams' ? 4 : { x: 1 } })
      if (status !== 400 || param !== name) served.push(`${dialect}: ${name} (${reason}) ${status} ${param}`)
    }
    expect(served).toEqual([])
    expect(stub.chats).toEqual([])
  })
})

/**
 * Every other parameter of the official APIs, with a value that is in use. Sources: openai-node 7.59 and anthropic-sdk
 * 1.14 (parameters of `create`); what agents send was read from their requests.
 */
const served: Readonly<Record<Form, Json>> = {
  chat: {
    ...{ frequency_penalty: 0.1, presence_penalty: 0.1, logit_bias: { 1: 1 }, logprobs: true, top_logprobs: 2 },
    ...{ max_completion_tokens: 50, max_tokens: 50, metadata: { a: 'b' }, modalities: ['text'], n: 1, seed: 1 },
    ...{ parallel_tool_calls: true, prompt_cache_key: 'k', prompt_cache_retention: '24h', reasoning_effort: 'low' },
    ...{ prompt_cache_options: { mode: 'explicit' }, prediction: { type: 'content', content: 'Hello.' } },
    ...{ response_format: { type: 'text' }, safety_identifier: 's', service_tier: 'auto', stop: ['x'], store: true },
    ...{ stream_options: null, temperature: 1, tool_choice: 'auto', top_p: 1, user: 'u', verbosity: 'low' },
    ...{ functions: [{ name: 'f', parameters: {} }], function_call: 'auto', client_metadata: { a: 'b' } },
    ...{ tools: [{ type: 'function', function: { name: 'f', parameters: {} } }], something_new: { a: 1 } },
  },
  completions: {
    ...{ best_of: 1, echo: true, frequency_penalty: 0.1, logit_bias: { 1: 1 }, logprobs: null, max_tokens: 50, n: 1 },
    ...{ presence_penalty: 0.1, seed: 1, stop: ['x'], stream_options: null, suffix: '', temperature: 1, top_p: 1 },
    ...{ user: 'u', tools: [], tool_choice: 'none', modalities: ['text'], metadata: { a: 'b' }, top_k: 5 },
    ...{ reasoning_effort: 'low', max_completion_tokens: 50, client_metadata: { a: 'b' }, something_new: { a: 1 } },
  },
  responses: {
    ...{ access_programs: {}, background: false, background_options: {}, include: ['file_search_call.results'] },
    ...{ context_management: [{ type: 'compaction', compact_threshold: 9_000 }], instructions: 'Be brief.' },
    ...{ image: { context_compression: 'auto' }, max_output_tokens: 50, max_tool_calls: 4, metadata: { a: 'b' } },
    ...{ parallel_tool_calls: true, prompt_cache_key: 'k', prompt_cache_options: {}, prompt_cache_retention: '24h' },
    ...{
      reasoning: { effort: 'low', context: 'all_turns', mode: 'standard', something_new: 1 },
      safety_identifier: 's',
    },
    ...{ service_tier: 'auto', store: true, temperature: 1, text: { verbosity: 'low', something_new: 1 } },
    ...{ text_format: { type: 'text' }, tool_choice: 'auto', top_logprobs: 2, top_p: 1, truncation: 'auto', user: 'u' },
    ...{ tools: [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: {}, strict: false, async: true }] },
    ...{ client_metadata: { session_id: 'x', model: 'y' }, stop: ['x'], seed: 1, n: 3, something_new: { a: 1 } },
    ...{ input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello.', something_new: 1 }], phase: null }] },
  },
  messages: {
    ...{
      cache_control: { type: 'ephemeral' },
      inference_geo: 'global',
      metadata: { user_id: 'u' },
      service_tier: 'auto',
    },
    ...{ output_config: { effort: 'low' }, speed: 'standard', stop_sequences: ['x'], system: 'Be brief.', top_k: 5 },
    ...{ temperature: 1, top_p: 1, tool_choice: { type: 'auto' }, thinking: { type: 'disabled' } },
    ...{ tools: [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true }] },
    ...{ mcp_servers: [], container: null, diagnostics: {}, user_profile_id: 'u', workspace_id: 'w', something_new: 1 },
  },
}

describe.each(formNames)('%s serves', (form) => {
  test.each(Object.entries(served[form]))('%s', async (name, value) => {
    expect(await ask(form, { [name]: value })).toEqual({ status: 200, param: null })
    expect(stub.chats).toHaveLength(1)
  })

  test('all of them together', async () => {
    expect(await ask(form, served[form])).toEqual({ status: 200, param: null })
  })
})
