/** Servers of native APIs that answer in the other form: the client gets what it asked for, and pays for it. */
import { describe, expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { lastBooked } from './books-of.ts'
import { errorOf } from './error-of.ts'
import { finishesIn, streamOf } from './events-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => {
  const price = { input: '1', output: '2' }
  const upstreams = (['anthropic', 'gemini'] as const).map((kind) => ({
    ...{ name: kind, kind, url: stub.url, api_key_env: 'NATIVE_KEY' },
  }))
  const routes = { claude: { upstream: 'anthropic', price }, gemini: { upstream: 'gemini', price } }
  return { file: { upstreams, routes }, env: { NATIVE_KEY: 'sk-native-secret' } }
})

function answers(text: string, type: string, isCut = false): void {
  stub.onOther = (_call, response) => {
    response.writeHead(200, { 'content-type': type })
    if (isCut) response.write(text, () => response.destroy())
    else response.end(text)
  }
}

const lines = (events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const geminiPart = (text: string, more: object = {}) => ({ candidates: [{ content: { parts: [{ text }] }, ...more }] })
const GEMINI_USAGE = { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 } }

const FORMS = [
  {
    model: 'claude',
    begun: [
      { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 5 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    ],
    ended: [
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ],
    documents: [
      {
        type: 'message',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'max_tokens',
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    ],
  },
  {
    model: 'gemini',
    begun: [{ ...geminiPart('Hel'), ...GEMINI_USAGE }],
    ended: [{ ...geminiPart('lo', { finishReason: 'MAX_TOKENS' }), ...GEMINI_USAGE }],
    documents: [
      { ...geminiPart('Hello', { finishReason: 'MAX_TOKENS' }), ...GEMINI_USAGE },
      [geminiPart('Hel'), { ...geminiPart('lo', { finishReason: 'MAX_TOKENS' }), ...GEMINI_USAGE }],
    ],
  },
] as const

describe.each(FORMS)('$model', ({ model, begun, ended, documents }) => {
  const question = { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 }

  test.each(['text/event-stream', 'application/json'])('events under %s are a whole answer', async (type) => {
    answers(lines([...begun, ...ended]), type)
    const response = await gateway.chat(question)
    expect(await response.json()).toMatchObject({
      choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    })
    expect(await lastBooked(gateway)).toMatchObject({ charge: 24_000_000n, isEstimated: false })
  })

  test('events that are cut are free, and what was counted is written off', async () => {
    answers(lines(begun), 'text/event-stream', true)
    const response = await gateway.chat(question)
    expect([response.status, (await errorOf(response)).code]).toEqual([502, 'upstream_error'])
    expect(await lastBooked(gateway)).toMatchObject({ charge: 0n, writeOff: 20_000_000n, status: 'error' })
  })

  test.each(['text/event-stream', 'application/json'])('a document under %s is a stream', async (type) => {
    for (const document of documents) {
      answers(JSON.stringify(document), type)
      const { content, frames } = await streamOf(gateway, question)
      expect([content, finishesIn(frames)]).toEqual(['Hello', ['length']])
      expect(await lastBooked(gateway)).toMatchObject({ charge: 24_000_000n, isEstimated: false })
    }
  })
})
