import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'gen-1795-kUK', provider: 'Stub', model: 'anthropic/claude-x', created: 1_795_000_015 }
const processing = ': OPENROUTER PROCESSING\n\n'
const chunk = (delta: object, finish_reason: string | null = null, native: string | null = null) => ({
  ...{ ...head, object: 'chat.completion.chunk' },
  choices: [{ index: 0, delta, finish_reason, native_finish_reason: native, logprobs: null }],
})
const usage = {
  ...{ prompt_tokens: 18, completion_tokens: 30, total_tokens: 48, cost: 0.000_42, is_byok: false },
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  cost_details: { upstream_inference_cost: null, upstream_inference_prompt_cost: 0.000_02 },
  completion_tokens_details: { reasoning_tokens: 11, image_tokens: 0 },
}
const detail = (more: object) => ({ reasoning_details: [{ type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0, ...more }] })

export const openRouter: PublicServer = {
  server: 'OpenRouter',
  source:
    'https://openrouter.ai/docs/api-reference/overview, https://openrouter.ai/docs/use-cases/reasoning-tokens, ' +
    'openai/openai-go#227 (comments), diegosouzapw/OmniRoute#8210 (errors inside)',
  answers: [
    {
      name: 'comments while it waits, reasoning with its signature, and the cost',
      whole: `\n         \n${json({
        ...{ ...head, object: 'chat.completion', usage },
        choices: [
          {
            ...{ logprobs: null, finish_reason: 'stop', native_finish_reason: 'end_turn', index: 0 },
            message: {
              ...{ role: 'assistant', content: 'Noon.', refusal: null, reasoning: 'Twelve.' },
              ...detail({ text: 'Twelve.', signature: 'c2ln' }),
            },
          },
        ],
      })}`,
      events: eventsOf(
        processing,
        processing,
        chunk({ role: 'assistant', content: '', reasoning: 'Twelve.', ...detail({ text: 'Twelve.' }) }),
        processing,
        chunk({ role: 'assistant', content: '', reasoning: null, ...detail({ signature: 'c2ln' }) }),
        chunk({ role: 'assistant', content: 'Noon.' }),
        chunk({ role: 'assistant', content: '' }, 'stop', 'end_turn'),
        { ...chunk({ role: 'assistant', content: '' }), usage },
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [18, 0, 30],
      cost: '0.00042',
    },
  ],
  failures: [
    {
      name: 'an error beside a choice that failed',
      events: eventsOf(processing, {
        ...{ ...head, object: 'chat.completion.chunk', error: { code: 502, message: 'Provider disconnected' } },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
      }),
      code: 'upstream_error',
    },
    {
      name: 'an empty answer that is said to be in order',
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }, 'stop', 'network_error'),
        { ...head, object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 18, completion_tokens: 0, total_tokens: 18 } },
        DONE,
      ),
      code: 'upstream_empty',
    },
    {
      name: 'credits that are used up',
      status: 402,
      whole: json({ error: { message: 'Insufficient credits. Add more using https://openrouter.ai/settings/credits', code: 402 } }),
      code: 'upstream_unavailable',
    },
  ],
}
