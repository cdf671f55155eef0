import { DONE, eventsOf, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: '12', created: 1_795_000_019, model: 'internlm3', object: 'chat.completion.chunk' }
const usage = { prompt_tokens: 90, total_tokens: 120, completion_tokens: 30 }
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ ...head, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, logprobs: null, finish_reason }], usage: null },
})
const piece = (id: string, name: string | null, text: string) => ({
  tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: text } }],
})
const two = [
  ['clock', '{"zone":"UTC"}'],
  ['clock', '{"zone":"CET"}'],
] as const

export const lmdeploy: PublicServer = {
  server: 'LMDeploy and SGLang',
  source: 'InternLM/lmdeploy#3412',
  answers: [
    {
      name: 'two calls with one number, later pieces with an empty id',
      events: eventsOf(
        chunk(piece('chatcmpl-tool-1', 'clock', '')),
        chunk(piece('', null, '{"zone":"UTC"}')),
        chunk(piece('chatcmpl-tool-2', 'clock', '')),
        chunk(piece('', null, '{"zone":"CET"}')),
        chunk({ content: '' }, 'tool_calls'),
        { ...head, choices: [], usage },
        DONE,
      ),
      reads: { text: '', calls: two, finish: 'tool_calls' },
      tokens: [90, 0, 30],
    },
    {
      name: 'two calls with one number, each piece with a short id',
      events: eventsOf(
        chunk(piece('0', 'clock', '')),
        chunk(piece('0', null, '{"zone":"UTC"}')),
        chunk(piece('1', 'clock', '')),
        chunk(piece('1', null, '{"zone":"CET"}')),
        chunk({ content: '' }, 'stop'),
        { ...head, choices: [], usage },
        DONE,
      ),
      reads: { text: '', calls: two, finish: 'tool_calls' },
      tokens: [90, 0, 30],
    },
  ],
  failures: [],
}
