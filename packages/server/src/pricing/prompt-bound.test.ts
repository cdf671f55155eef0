import { describe, expect, test } from 'vitest'
import {
  boundCountedPrompt,
  boundPrompt,
  estimatePrompt,
  IMAGE_TOKENS,
  PREAMBLE_TOKENS,
  promptBody,
  promptText,
  TEMPLATE_TOKENS,
  UNKNOWN_CONTEXT_TOKENS,
  type PromptBody,
} from './prompt-bound.ts'

function bodyOf(value: Record<string, unknown>): PromptBody {
  return promptBody(value, Buffer.byteLength(JSON.stringify(value)))
}

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const base64 = 'A'.repeat(400_000)

describe('the bound of a prompt', () => {
  test('is the bytes of the body, and never more than the context window', () => {
    const body = bodyOf(user('héllo 🙂'))
    expect(boundPrompt(body, null)).toBe(body.byteLength + TEMPLATE_TOKENS)
    expect(boundPrompt(bodyOf(user('x'.repeat(10_000))), 4_096)).toBe(4_096)
  })

  test('counts tools and schemas as text, with what the upstream says about them', () => {
    const plain = bodyOf(user('hello'))
    const tools = bodyOf({
      ...user('hello'),
      tools: [{ type: 'function', function: { name: 'find', parameters: {} } }],
    })
    expect(boundPrompt(tools, null) - boundPrompt(plain, null)).toBe(
      tools.byteLength - plain.byteLength + PREAMBLE_TOKENS,
    )
  })

  test('counts an image by a constant and not by its base64 text', () => {
    const inline = bodyOf(user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }]))
    const linked = bodyOf(user([{ type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }]))
    expect(boundPrompt(inline, null)).toBe(inline.byteLength - base64.length + TEMPLATE_TOKENS + IMAGE_TOKENS)
    expect(boundPrompt(linked, null)).toBe(linked.byteLength + TEMPLATE_TOKENS + IMAGE_TOKENS)
  })

  test('counts base64 text that is in a text part as text', () => {
    const body = bodyOf(user([{ type: 'text', text: `data:image/png;base64,${base64}` }]))
    expect(boundPrompt(body, null)).toBe(body.byteLength + TEMPLATE_TOKENS)
  })

  test('counts audio by the length that is given, and fills the window where none is', () => {
    const body = bodyOf(user([{ type: 'input_audio', input_audio: { data: base64, format: 'wav' } }]))
    expect(body.media.audios).toEqual([base64])
    expect(boundPrompt({ ...body, audioTokens: 321 }, 200_000)).toBe(
      body.byteLength - base64.length + TEMPLATE_TOKENS + 321,
    )
    expect(boundCountedPrompt({ ...body, audioTokens: 321 }, 2, 200_000)).toBe(3 + TEMPLATE_TOKENS + 321)
    expect([boundPrompt(body, 200_000), boundCountedPrompt(body, 2, 200_000)]).toEqual([200_000, 200_000])
  })

  test.each<[string, Record<string, unknown>]>([
    ['a file', user([{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }])],
    ['a video', user([{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }])],
    ...['data:video/mp4;base64,AA', 'data:application/pdf;base64,AA', 'DATA:Text/plain,AA', 'data:;base64,AA'].map(
      (url): [string, Record<string, unknown>] => [
        `${url.slice(0, 16)} for an image`,
        user([{ type: 'image_url', image_url: { url } }]),
      ],
    ),
    ['a part of unknown type', user([{ type: 'hologram', url: 'https://example.com' }])],
    ['an earlier spoken answer', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
    ['a web search', { ...user('news?'), plugins: [{ id: 'web' }] }],
  ])('is the whole context window with %s', (_name, value) => {
    expect(boundPrompt(bodyOf(value), 200_000)).toBe(200_000)
    expect(boundPrompt(bodyOf(value), null)).toBe(UNKNOWN_CONTEXT_TOKENS)
  })

  test('holds for a body of any form', () => {
    for (const value of [
      {},
      { messages: null },
      { messages: [null, 1, { content: [null, 'x', {}] }] },
      { messages: 'hi' },
    ]) {
      expect(boundPrompt(bodyOf(value), null)).toBeGreaterThan(0)
    }
  })
})

test('a counted prompt is bounded by one and a half times its count', () => {
  expect(boundCountedPrompt(bodyOf(user('hello')), 101, null)).toBe(152 + TEMPLATE_TOKENS)
  expect(boundCountedPrompt(bodyOf(user('hello')), 101, 100)).toBe(100)
})

test('an estimate takes four bytes for a token and is below the bound', () => {
  const body = bodyOf(user('x'.repeat(4_000)))
  expect(estimatePrompt(body)).toBe(Math.ceil(body.byteLength / 4))
  expect(estimatePrompt(body)).toBeLessThan(boundPrompt(body, null))
})

test('the text for the tokenizer has all that a model reads, and no media', () => {
  const text = promptText({
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: base64 } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'look', arguments: '{"far":true}' } }] },
    ],
    tools: [{ type: 'function', function: { name: 'look' } }],
    response_format: { type: 'json_object' },
    documents: [{ text: 'The moon is far.' }],
    chat_template_kwargs: { rules: 'No jokes.' },
  })
  const parts = ['Be brief.', 'What is this?', 'look', 'far', 'json_object', 'The moon is far.', 'No jokes.']
  for (const part of parts) expect(text).toContain(part)
  expect(text.length).toBeLessThan(1_000)
})
