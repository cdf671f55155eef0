import type { accountEndpoints } from '../endpoints/account.ts'
import { CREATED, type ExampleTable, REQUEST_ID } from './example.ts'

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

export const accountExamples: ExampleTable<typeof accountEndpoints> = {
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
}
