import type { modelsEndpoints } from '../endpoints/models.ts'
import type { ExampleTable } from './example.ts'

const model = {
  id: 'svc-opus',
  object: 'model',
  created: 1_790_000_000,
  owned_by: 'anthropic',
  name: 'Claude Opus',
  description: 'For hard work.',
  context_length: 200_000,
  max_output_tokens: 64_000,
  architecture: { modality: 'text+image->text', input_modalities: ['text', 'image'], output_modalities: ['text'] },
  supported_parameters: ['max_tokens', 'temperature', 'tools'],
  canonical_slug: 'svc-opus',
  links: { details: '/api/v1/models/svc-opus' },
  default_parameters: null,
  per_request_limits: null,
  supported_voices: null,
  top_provider: { context_length: 200_000, max_completion_tokens: 64_000, is_moderated: false },
  pricing: { prompt: '0.000000006', completion: '0.00000003' },
  svc: {
    type: 'text',
    featured: true,
    confidential: false,
    prompt_training: 'never',
    alias_for: 'openrouter/anthropic/claude-opus-4.8',
    aliases: [],
    credits_per_1m_input: 6,
    credits_per_1m_output: 30,
    unit: null,
    credits_per_unit: null,
    margin_bps: 2_000,
  },
}

export const modelsExamples: ExampleTable<typeof modelsEndpoints> = {
  listModels: { reply: { object: 'list', data: [model], total_count: 1, links: { next: null } } },
  getModel: { reply: model },
}
