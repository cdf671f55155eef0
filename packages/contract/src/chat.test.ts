import { describe, expect, test } from 'vitest'
import { chatRequest, MESSAGES_MAX, TOOLS_MAX } from './chat.ts'
import { isBlankChat } from './chat-content.ts'
import { requestProblem, type RequestProblem } from './request-problem.ts'

const hello = { role: 'user', content: 'Hello.' }
const minimal = { model: 'svc-gpt', messages: [hello] }

function problemOf(body: unknown): RequestProblem | null {
  const parsed = chatRequest.safeParse(body)
  return parsed.success ? null : requestProblem(parsed.error, body)
}

describe('a chat request passes', () => {
  test.each([
    ['with model and messages alone', {}],
    [
      'with null in every optional field',
      { stream: null, stream_options: null, max_tokens: null, n: null, stop: null, tools: null },
    ],
    ['with fields that are not known', { top_k: 5, seed: 0, provider: { order: [] } }],
    [
      'with zero, false and empty values',
      { temperature: 0, top_p: 0, logprobs: false, stop: '', parallel_tool_calls: false },
    ],
    [
      'with values out of the range of fields that only pass through',
      { temperature: 99, seed: 2 ** 60, response_format: 5 },
    ],
    ['with a limit beyond every model', { max_tokens: 2 ** 63 }],
    ['with four stop sequences', { stop: ['a', 'b', 'c', 'd'] }],
    ['with the most tools', { tools: Array.from({ length: TOOLS_MAX }, () => ({ type: 'function' })) }],
  ])('%s', (_name, extra) => {
    const body = { ...minimal, ...extra }
    expect(problemOf(body)).toBeNull()
    expect(chatRequest.parse(body)).toEqual(body)
  })

  test.each([
    [
      'parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:' } },
        ],
      },
    ],
    ['null with tool calls', { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }],
    ['no content key with tool calls', { role: 'assistant', tool_calls: [{ id: 'a' }] }],
    ['an empty assistant turn', { role: 'assistant', content: '' }],
    ['a tool result', { role: 'tool', tool_call_id: 'a', content: '7' }],
    ['the developer role', { role: 'developer', content: 'Be brief.' }],
    ['a function result that is null', { role: 'function', name: 'f', content: null }],
  ])('with a message that has %s', (_name, message) => {
    expect(problemOf({ model: 'svc-gpt', messages: [hello, message, hello] })).toBeNull()
  })
})

describe('a chat request is refused with code and param', () => {
  test.each([
    ['missing_required_parameter', 'model', { messages: [hello] }],
    ['missing_required_parameter', 'messages', { model: 'svc-gpt' }],
    ['missing_required_parameter', 'messages.1.role', { ...minimal, messages: [hello, { content: 'a' }] }],
    [
      'missing_required_parameter',
      'messages.0.content.1.type',
      { ...minimal, messages: [{ role: 'user', content: [{ type: 'text' }, {}] }] },
    ],
    ['empty_content', 'messages', { model: 'svc-gpt', messages: [] }],
    ['invalid_value', 'model', { ...minimal, model: '' }],
    ['invalid_value', 'model', { ...minimal, model: 7 }],
    ['invalid_value', 'messages', { ...minimal, messages: 'Hello.' }],
    ['invalid_value', 'messages', { ...minimal, messages: Array.from({ length: MESSAGES_MAX + 1 }, () => hello) }],
    [
      'invalid_value',
      'messages.3.role',
      { ...minimal, messages: [hello, hello, hello, { role: 'robot', content: 'a' }] },
    ],
    ['invalid_value', 'messages.0.content', { ...minimal, messages: [{ role: 'user', content: 5 }] }],
    ['invalid_value', 'messages.0.content', { ...minimal, messages: [{ role: 'user', content: null }] }],
    ['invalid_value', 'messages.0.content', { ...minimal, messages: [{ role: 'user' }] }],
    ['invalid_value', 'messages.0', { ...minimal, messages: ['Hello.'] }],
    ['invalid_value', 'stream', { ...minimal, stream: 'yes' }],
    ['invalid_value', 'stream_options.include_usage', { ...minimal, stream_options: { include_usage: 1 } }],
    ['invalid_value', 'max_tokens', { ...minimal, max_tokens: 0 }],
    ['invalid_value', 'max_tokens', { ...minimal, max_tokens: 1.5 }],
    ['invalid_value', 'max_tokens', { ...minimal, max_tokens: Number('1e400') }],
    ['invalid_value', 'max_completion_tokens', { ...minimal, max_completion_tokens: -1 }],
    ['invalid_value', 'n', { ...minimal, n: 0 }],
    ['invalid_value', 'n', { ...minimal, n: 129 }],
    ['invalid_value', 'stop', { ...minimal, stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['invalid_value', 'stop', { ...minimal, stop: 5 }],
    ['invalid_value', 'tools', { ...minimal, tools: Array.from({ length: TOOLS_MAX + 1 }, () => ({})) }],
    ['invalid_value', 'user', { ...minimal, user: 'u'.repeat(257) }],
    ['invalid_value', 'metadata.key', { ...minimal, metadata: { key: 'v'.repeat(513) } }],
    [
      'invalid_value',
      'metadata',
      { ...minimal, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
    ],
    ['invalid_value', null, []],
    ['invalid_value', null, null],
  ])('%s at %s', (code, param, body) => {
    const problem = problemOf(body)
    expect(problem).toMatchObject({ code, param })
    expect(problem?.message).toMatch(/\.$/)
    expect(problem?.message).not.toContain('undefined')
  })
})

describe('a request asks for nothing', () => {
  test.each([
    [
      'when every text is blank',
      [
        { role: 'system', content: ' ' },
        { role: 'user', content: '\n' },
      ],
      true,
    ],
    ['when all parts are blank text', [{ role: 'user', content: [{ type: 'text', text: '' }] }], true],
    ['when there are no parts', [{ role: 'user', content: [] }], true],
    [
      'but not with any text',
      [
        { role: 'user', content: '' },
        { role: 'user', content: 'a' },
      ],
      false,
    ],
    ['but not with an image', [{ role: 'user', content: [{ type: 'image_url' }] }], false],
    ['but not with a tool call', [{ role: 'assistant', content: null, tool_calls: [{}] }], false],
  ])('%s', (_name, messages, blank) => {
    expect(isBlankChat(chatRequest.parse({ model: 'm', messages }))).toBe(blank)
  })
})
