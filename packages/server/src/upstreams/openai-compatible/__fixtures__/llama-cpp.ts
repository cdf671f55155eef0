import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const timings = { cache_n: 7, prompt_n: 10, prompt_ms: 25.1, predicted_n: 12, predicted_per_second: 69.6 }
const head = { created: 1_795_000_004, id: 'chatcmpl-qC6', model: 'gemma.gguf', system_fingerprint: 'b9554-d403' }
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ choices: [{ finish_reason, index: 0, delta }], ...head, object: 'chat.completion.chunk', timings },
})
const usage = { completion_tokens: 12, prompt_tokens: 17, total_tokens: 29, prompt_tokens_details: { cached_tokens: 7 } }
const call = (more: object, text: string) => ({ tool_calls: [{ index: 0, ...more, function: { ...more, arguments: text } }] })

export const llamaCpp: PublicServer = {
  server: 'llama.cpp',
  source: 'ggml-org/llama.cpp tools/server/README.md, openai-php/client#780',
  answers: [
    {
      name: 'reasoning, with timings beside each chunk',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage, timings, __verbose: { stop_type: 'eos' } },
        choices: [
          {
            ...{ finish_reason: 'stop', index: 0 },
            message: { role: 'assistant', reasoning_content: 'Twelve.', content: 'Noon.' },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: null }),
        chunk({ reasoning_content: 'Twelve.' }),
        chunk({ content: 'Noon.' }),
        chunk({}, 'stop'),
        { choices: [], ...head, object: 'chat.completion.chunk', usage, timings },
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [17, 7, 12],
    },
    {
      name: 'a call that begins with its first sign',
      events: eventsOf(
        chunk({ role: 'assistant', content: null }),
        chunk({ tool_calls: [{ index: 0, id: 'Xa1', type: 'function', function: { name: 'clock', arguments: '{' } }] }),
        chunk(call({}, '"zone":')),
        chunk(call({}, '"UTC"}')),
        chunk({}, 'tool_calls'),
        { choices: [], ...head, object: 'chat.completion.chunk', usage, timings },
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [17, 7, 12],
    },
  ],
  failures: [
    {
      name: 'a prompt that is too long',
      status: 400,
      whole: json({
        error: {
          ...{ code: 400, message: 'the request exceeds the available context size, try increasing it' },
          ...{ type: 'exceed_context_size_error', n_prompt_tokens: 9_000, n_ctx: 4_096 },
        },
      }),
      code: 'context_length_exceeded',
    },
    {
      name: 'a model that still loads',
      status: 503,
      whole: json({ error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
      code: 'server_is_overloaded',
    },
  ],
}
