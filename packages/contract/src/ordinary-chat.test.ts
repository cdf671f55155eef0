import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatRequest } from './chat.ts'
import { isOrdinaryChat } from './ordinary-chat.ts'

const anything = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -2, max: 200 }),
  fc.double(),
  fc.string({ maxLength: 3 }),
  fc.constant('x'.repeat(300)),
  fc.constant([]),
  fc.constant({}),
  fc.array(fc.string(), { maxLength: 6 }),
)

/** Mostly what is right, so that the rest of the body decides, and sometimes anything. */
function mostly<Value>(right: fc.Arbitrary<Value>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 24, arbitrary: right }, { weight: 1, arbitrary: anything })
}

const message = fc.record(
  {
    role: mostly(fc.constantFrom('user', 'system', 'assistant', 'tool', 'function')),
    content: mostly(fc.string({ maxLength: 5 })),
    name: anything,
  },
  { requiredKeys: ['role'] },
)

const body = fc.record(
  {
    model: mostly(fc.constantFrom('svc-gpt', 'x'.repeat(256))),
    messages: mostly(fc.array(mostly(message), { minLength: 1, maxLength: 3 })),
    stream: mostly(fc.boolean()),
    stream_options: mostly(fc.record({ include_usage: mostly(fc.boolean()) }, { requiredKeys: [] })),
    max_tokens: mostly(fc.oneof(fc.integer({ min: 1 }), fc.constant(1e300))),
    max_completion_tokens: mostly(fc.integer({ min: 1 })),
    n: mostly(fc.integer({ min: 1, max: 128 })),
    stop: mostly(fc.constant(null)),
    tools: mostly(fc.constant(null)),
    metadata: mostly(fc.constant(null)),
    user: mostly(fc.constant(null)),
    temperature: anything,
  },
  { requiredKeys: ['model', 'messages'] },
)

test('what looks ordinary is accepted by the schema, as it is', () => {
  let ordinary = 0
  fc.assert(
    fc.property(body, (value) => {
      if (!isOrdinaryChat(value)) return
      ordinary++
      expect(chatRequest.parse(value)).toEqual(value)
    }),
    { numRuns: 3_000 },
  )
  expect(ordinary).toBeGreaterThan(50)
})

test('an everyday request is ordinary', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
  ]
  const request = { model: 'svc-gpt', temperature: 0.7, max_tokens: 256, messages }
  expect(isOrdinaryChat(request)).toBe(true)
  expect(isOrdinaryChat({ ...request, stream: true, stream_options: { include_usage: true } })).toBe(true)
  expect(isOrdinaryChat({ ...request, n: null, stop: null })).toBe(true)
})
