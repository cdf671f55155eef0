import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const safe = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } }
const head = { id: 'chatcmpl-CBq', created: 1_795_000_011, model: 'gpt-4o-2024-11-20', system_fingerprint: 'fp_ee1d' }
const chunk = (delta: object, finish_reason: string | null = null, results: object = {}) => ({
  choices: [{ content_filter_results: results, delta, finish_reason, index: 0, logprobs: null }],
  ...{ ...head, object: 'chat.completion.chunk' },
})
const usage = {
  ...{ completion_tokens: 6, prompt_tokens: 19, total_tokens: 25 },
  prompt_tokens_details: { audio_tokens: 0, cached_tokens: 0 },
  completion_tokens_details: { accepted_prediction_tokens: 0, audio_tokens: 0, reasoning_tokens: 0 },
}
/** About the filter alone, with neither id nor model. */
const bare = { id: '', object: '', created: 0, model: '' }

export const azureOpenAi: PublicServer = {
  server: 'Azure OpenAI',
  source:
    'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming, Azure/azure-sdk-for-go#21086, ' +
    'microsoft/autogen#6465 and langchain-ai/langchain#18977 (choices without a delta)',
  answers: [
    {
      name: 'a first chunk without choices, and choices about a filter without a delta',
      whole: json({
        choices: [
          {
            ...{ content_filter_results: safe, finish_reason: 'stop', index: 0, logprobs: null },
            message: { annotations: [], content: 'Noon.', refusal: null, role: 'assistant' },
          },
        ],
        ...{ ...head, object: 'chat.completion', usage },
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }],
      }),
      events: eventsOf(
        { choices: [], ...bare, prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }] },
        chunk({ content: '', refusal: null, role: 'assistant' }),
        chunk({ content: 'Noon.' }, null, safe),
        chunk({}, 'stop'),
        {
          ...bare,
          choices: [
            {
              ...{ index: 0, finish_reason: null, content_filter_results: safe },
              content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 49 },
            },
          ],
        },
        { choices: [], ...head, object: 'chat.completion.chunk', usage },
        DONE,
      ),
      reads: { text: 'Noon.' },
      tokens: [19, 0, 6],
    },
  ],
  failures: [
    {
      name: 'a prompt that the filter refuses',
      status: 400,
      whole: json({
        error: {
          ...{ message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy." },
          ...{ type: null, param: 'prompt', code: 'content_filter', status: 400 },
          innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: safe },
        },
      }),
      code: 'content_policy_violation',
    },
    {
      name: 'a limit of the deployment',
      status: 429,
      whole: json({ error: { code: '429', message: 'Requests have exceeded the token rate limit. Please retry after 6 seconds.' } }),
      code: 'server_is_overloaded',
    },
  ],
}
