/** Right answers to a chat in the forms of Anthropic and of Gemini, whole and as events. */

const claudeUsage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 2,
  cache_creation_input_tokens: 3,
  cache_creation: { ephemeral_1h_input_tokens: 1 },
} as const

export const claudeMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-stub',
  content: [
    { type: 'thinking', thinking: 'Because', signature: 'c2lnbmVk' },
    { type: 'redacted_thinking', data: 'c2VhbGVk' },
    { type: 'text', text: 'Hello' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
  ],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: claudeUsage,
} as const

const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, change: object) => ({ type: 'content_block_delta', index, delta: change })
const stop = (index: number) => ({ type: 'content_block_stop', index })

export const claudeEvents: readonly unknown[] = [
  { type: 'message_start', message: { ...claudeMessage, content: [], stop_reason: null } },
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Because' }),
  delta(0, { type: 'signature_delta', signature: 'c2lnbmVk' }),
  stop(0),
  block(1, { type: 'text', text: '' }),
  { type: 'ping' },
  delta(1, { type: 'text_delta', text: 'Hello' }),
  stop(1),
  block(2, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '{"a":1}' }),
  stop(2),
  block(3, { type: 'redacted_thinking', data: 'c2VhbGVk' }),
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
  { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
]

const geminiUsage = {
  promptTokenCount: 10,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 3,
  cachedContentTokenCount: 2,
  promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 4 }],
} as const

function geminiPart(part: object, finishReason: string | null = null): Record<string, unknown> {
  const candidate = {
    index: 0,
    content: { role: 'model', parts: [part] },
    ...(finishReason === null ? {} : { finishReason }),
  }
  return { candidates: [candidate], usageMetadata: geminiUsage, modelVersion: 'gemini-stub', responseId: 'r-1' }
}

export const geminiAnswer = {
  ...geminiPart({ text: 'Hello' }, 'STOP'),
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          { text: 'Because', thought: true },
          { text: 'Hello', thoughtSignature: 'c2lnbmVk' },
          { functionCall: { name: 'f', args: { a: 1 } } },
          { inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } },
        ],
      },
    },
  ],
} as const

export const geminiChunks: readonly unknown[] = [
  geminiPart({ text: 'Because', thought: true }),
  geminiPart({ text: 'Hello' }),
  geminiPart({ functionCall: { id: 'call-1', name: 'f', args: { a: 1 } }, thoughtSignature: 'c2lnbmVk' }),
  geminiPart({ text: '' }, 'STOP'),
  geminiPart({ text: '' }, 'SAFETY'),
  { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: geminiUsage },
  { error: { code: 503, status: 'UNAVAILABLE', message: 'Later.', details: [{ retryDelay: '3s' }] } },
]
