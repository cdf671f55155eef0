import { expect, test } from 'vitest'
import { scanMembers } from '../../platform/json/json-body.ts'
import { buildChatBody } from './chat-body.ts'
import type { Dialect } from './dialect.ts'

/** The limits that go upstream for a body. */
function limitsSent(body: object, maxTokensField: Dialect['maxTokensField'], maxTokens: number | null = null): object {
  const text = Buffer.from(JSON.stringify({ model: 'x', ...body }))
  const value = JSON.parse(text.toString()) as Record<string, unknown>
  const request = {
    body: { text, value, members: scanMembers(text) },
    ...{ upstreamModel: 'y', stream: false, maxTokens, confidential: false, signal: AbortSignal.any([]) },
  }
  const written = buildChatBody(request, {
    ...{ maxTokensField, supportsChoices: true, reportsCost: false, failuresAreFree: false },
    generationId: null,
    extraMembers: () => new Map(),
  })
  const { model: _model, ...limits } = JSON.parse(written.toString()) as Record<string, unknown>
  return limits
}

test('the client’s limits stay in their fields where nothing is known of the upstream', () => {
  expect(limitsSent({ max_completion_tokens: 5 }, null)).toEqual({ max_completion_tokens: 5 })
  expect(limitsSent({ max_tokens: 5 }, null)).toEqual({ max_tokens: 5 })
  expect(limitsSent({ max_completion_tokens: 9, max_tokens: 7 }, null, 5)).toEqual({
    max_completion_tokens: 5,
    max_tokens: 5,
  })
  expect(limitsSent({}, null, 5)).toEqual({ max_tokens: 5 })
  expect(limitsSent({}, null)).toEqual({})
})

test('an upstream that takes one field gets every limit in it, and none in the other', () => {
  expect(limitsSent({ max_completion_tokens: 5 }, 'max_tokens')).toEqual({ max_completion_tokens: null, max_tokens: 5 })
  expect(limitsSent({ max_tokens: null, max_completion_tokens: 5 }, 'max_tokens', 3)).toEqual({
    max_completion_tokens: null,
    max_tokens: 3,
  })
  expect(limitsSent({ max_tokens: 5 }, 'max_completion_tokens')).toEqual({ max_completion_tokens: 5, max_tokens: null })
  expect(limitsSent({ max_tokens: 5 }, 'max_tokens')).toEqual({ max_tokens: 5 })
  expect(limitsSent({}, 'max_completion_tokens', 5)).toEqual({ max_completion_tokens: 5 })
  expect(limitsSent({}, 'max_completion_tokens')).toEqual({})
})
