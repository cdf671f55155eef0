import { MESSAGE_PARTS_MAX, MESSAGES_MAX, REQUEST_PARTS_MAX, TOOLS_MAX } from '@svc/contract'
import { expect, test } from 'vitest'
import { countStructure } from '../../pipeline/json-call.ts'
import { parseChat } from './parse-chat.ts'

const part = { type: 'text', text: 'a' }
const message = (parts: number) => ({ role: 'user', content: Array.from({ length: parts }, () => part) })
const parse = (body: object) =>
  parseChat(countStructure(Buffer.from(JSON.stringify({ model: 'svc-gpt', ...body }))).text)

test('as many parts as may be are read', () => {
  const whole = Math.floor(REQUEST_PARTS_MAX / MESSAGE_PARTS_MAX)
  const messages = Array.from({ length: whole }, () => message(MESSAGE_PARTS_MAX))
  expect(parse({ messages }).request.messages).toHaveLength(whole)
})

test.each([
  ['messages.1.content', { messages: [message(1), message(MESSAGE_PARTS_MAX + 1)] }],
  ['messages', { messages: Array.from({ length: REQUEST_PARTS_MAX / 256 + 1 }, () => message(256)) }],
  ['messages', { messages: Array.from({ length: MESSAGES_MAX + 1 }, () => message(1)) }],
  ['tools', { messages: [message(1)], tools: Array.from({ length: TOOLS_MAX + 1 }, () => ({})) }],
  // Even where nothing in them is right: what is too much is not looked at.
  ['messages', { messages: Array.from({ length: MESSAGES_MAX + 1 }, () => 1) }],
])('more than may be in %s is refused by that name', (param, body) => {
  expect(() => parse(body)).toThrowError(expect.objectContaining({ code: 'invalid_value', status: 400, param }))
})
