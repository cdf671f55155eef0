/**
 * One example of each request and answer, shown in the OpenAPI document. A test holds each against its own schema.
 */
import type { EndpointId } from './endpoints.ts'

export interface EndpointExamples {
  readonly body?: Readonly<Record<string, unknown>>
  readonly reply: Readonly<Record<string, unknown>>
  /** Events of a streamed answer, in order, without the closing `[DONE]`. */
  readonly events?: readonly Readonly<Record<string, unknown>>[]
}

const REQUEST_ID = '0199f0a4-7c1e-7a52-9d1b-3f5a2c7e8b90'
const CHAT_ID = `chatcmpl-${REQUEST_ID}`
const CREATED = 1_795_813_200

const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500, cost: 0.000021 }
const svc = { credits_charged: 0.021, margin_bps: 2_000 }
const chunk = { id: CHAT_ID, object: 'chat.completion.chunk', created: CREATED, model: 'svc-opus' }

const model = {
  id: 'svc-opus',
  object: 'model',
  created: 1_790_000_000,
  owned_by: 'anthropic',
  name: 'Claude Opus',
  description: null,
  context_length: 200_000,
  max_output_tokens: 64_000,
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
  supported_parameters: ['max_tokens', 'temperature', 'tools'],
  pricing: { prompt: '0.000000006', completion: '0.00000003' },
  svc: {
    type: 'text',
    featured: true,
    alias_for: 'openrouter/anthropic/claude-opus-4.8',
    aliases: [],
    credits_per_1m_input: 6,
    credits_per_1m_output: 30,
    margin_bps: 2_000,
  },
}

const record = {
  id: REQUEST_ID,
  object: 'usage.record',
  state: 'final',
  request_id: REQUEST_ID,
  created: CREATED,
  type: 'chat',
  model: 'svc-opus',
  upstream_model: 'anthropic/claude-opus-4.8',
  status: 'ok',
  error_code: null,
  stream: false,
  prompt_tokens: 1_000,
  completion_tokens: 500,
  total_tokens: 1_500,
  cached_tokens: 0,
  reasoning_tokens: 0,
  units: null,
  credits_charged: 0.021,
  margin_bps: 2_000,
  basis: 'card',
  estimated: false,
  pricing: {
    basis: 'card',
    prompt_tokens: 1_000,
    completion_tokens: 500,
    card: { credits_per_1m_input: '6', credits_per_1m_output: '30' },
    cost_usd: '0.0000175',
    margin_bps: 2_000,
  },
  latency_ms: 840,
  job_id: null,
}

export const examples: Readonly<Record<EndpointId, EndpointExamples>> = {
  listModels: { reply: { object: 'list', data: [model] } },
  getModel: { reply: model },
  createChatCompletion: {
    body: { model: 'svc-opus', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 500 },
    reply: {
      id: CHAT_ID,
      object: 'chat.completion',
      created: CREATED,
      model: 'svc-opus',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello.', refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage,
      svc,
    },
    events: [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], svc },
    ],
  },
  getBalance: {
    reply: {
      object: 'balance',
      credits: 1_234.567891234,
      credits_reserved: 12.5,
      credits_available: 1_222.067891234,
      usd: 1.234567891234,
      credits_per_usd: 1_000,
      total_credits_purchased: 5_000,
      total_credits_used: 3_765.432108766,
      key: {
        id: '0199f09e-0b1a-7c33-8a44-5d6e7f809102',
        name: 'laptop',
        prefix: 'sk-svc-AbC…9xYz',
        budget_credits: null,
        budget_remaining: null,
        budget_used: 312.4,
        budget_reset: null,
        budget_resets_at: null,
        expires_at: null,
      },
      team_id: '0199f09e-0b1a-7c33-8a44-000000000001',
    },
  },
  listUsage: {
    reply: {
      object: 'list',
      data: [record],
      first_id: REQUEST_ID,
      last_id: REQUEST_ID,
      has_more: false,
      totals: { requests: 1, credits_charged: 0.021, prompt_tokens: 1_000, completion_tokens: 500 },
    },
  },
  getUsage: { reply: record },
  getHealth: {
    reply: {
      status: 'ok',
      version: '0.1.0',
      time: '2026-11-28T09:00:00.000Z',
      routing: { text: 'ok', image: 'off', video: 'off', audio: 'off' },
      catalog: { featured: 17, models: 373, updated_at: null },
    },
  },
  getOpenApi: { reply: { openapi: '3.1.0', info: { title: 'SVC inference gateway', version: '1.1.0' }, paths: {} } },
}

/** The body of a 402, with the fields that say what is missing. */
export const shortageExample = {
  error: {
    message:
      'Insufficient credits: this request needs up to 42.5 credits, 3.2 are available. ' +
      'Add credits or lower max_tokens.',
    type: 'insufficient_quota',
    param: null,
    code: 'insufficient_credits',
    credits_required: 42.5,
    credits_available: 3.2,
    credits_short: 39.3,
    affordable_max_tokens: 301,
    limit: 'account',
    topup_url: 'https://gateway.example/console/fund',
  },
} as const
