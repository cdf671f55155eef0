/** Words and values of upstreams that are none of those that are known, though every object has them. */
import { expect, test } from 'vitest'
import { readAnthropicAnswer } from './anthropic/anthropic-answer.ts'
import { openGeminiEvents, readGeminiAnswer } from './gemini/gemini-answer.ts'
import { chatFailure } from './openai-compatible/errors.ts'
import { readVideoReport } from './openai-compatible/video-report.ts'

const WORDS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
/** Text of JSON whose value cannot be made a text. */
const NO_TEXT = '{"toString":1,"valueOf":1}'

test.each(WORDS)('%s is no kind of failure', (word) => {
  const failure = chatFailure({
    ...{ upstream: 'stub', value: { error: { type: word, code: word } }, status: 429 },
    ...{ retryAfterSeconds: null, apiKey: null },
  })
  expect(failure.kind).toBe('rate_limited')
})

test.each(WORDS)('%s is no state of a video', (word) => {
  expect(readVideoReport(Buffer.from(JSON.stringify({ id: 'a', status: word })), { reportsCost: true })).toBeNull()
})

test.each(WORDS)('%s is an ordinary end of an answer of Anthropic, and a failure of Gemini', (word) => {
  const answer = { content: [{ type: 'text', text: 'Hello' }], stop_reason: word }
  expect(readAnthropicAnswer(Buffer.from(JSON.stringify(answer)))).toMatchObject({
    choices: [{ finish_reason: 'stop' }],
  })
  const candidates = [{ content: { parts: [{ text: 'Hello' }] }, finishReason: word }]
  expect(readGeminiAnswer(Buffer.from(JSON.stringify({ candidates })))).toMatchObject({ error: { http_status: 502 } })
})

test('what is no text where a text is due says nothing', () => {
  const blocks = ['{"type":"thinking","thinking":#}', '{"type":"text","text":#}', '{"type":"text","text":"Hi"}']
  const answer = `{"content":[${blocks.join(',')}],"stop_reason":"end_turn"}`.replaceAll('#', NO_TEXT)
  expect(readAnthropicAnswer(Buffer.from(answer))).toMatchObject({ choices: [{ message: { content: 'Hi' } }] })
  const error = `{"status":"failed","error":{"code":#,"type":#,"message":#}}`.replaceAll('#', NO_TEXT)
  expect(readVideoReport(Buffer.from(error), { reportsCost: true })).toMatchObject({ kind: 'failed', reason: 'failed' })
})

test('an image whose data is no text is none', () => {
  const data = `{"inlineData":{"mimeType":"image/png","data":${NO_TEXT}}}`
  const event = `{"candidates":[{"content":{"parts":[{"text":"Hi"},${data}]}}]}`
  const [chunk] = openGeminiEvents()(event)
  expect(chunk).toMatchObject({ choices: [{ delta: { content: 'Hi' } }] })
  expect(JSON.stringify(chunk)).not.toContain('images')
})
