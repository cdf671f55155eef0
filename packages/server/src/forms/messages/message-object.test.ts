import { expect, test } from 'vitest'
import { messageError } from './message-object.ts'

// Claude Code shortens its history when the sentence begins so.
test.each([
  [
    'context_length_exceeded',
    'The request is longer than the model can take.',
    'prompt is too long: The request is longer than the model can take.',
  ],
  ['context_length_exceeded', 'Prompt is too long: 9 tokens > 8 maximum', 'Prompt is too long: 9 tokens > 8 maximum'],
  ['upstream_rejected_request', 'The model refused this request.', 'The model refused this request.'],
])('%s: %s', (code, message, told) => {
  const error = { type: 'invalid_request_error', message: told, code }
  expect(messageError({ message, code })).toEqual({ type: 'error', error })
})
