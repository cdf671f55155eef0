/**
 * A stream of a native API that breaks at any byte: the caller sees an error frame or the true end, never a clean end
 * of a cut answer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStubUpstream, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { readStream } from './events-of.ts'

interface Recording {
  readonly model: string
  readonly bytes: Buffer
  /** What stands in the event after which nothing of the answer is missing. */
  readonly finish: string
}

const anthropic = [
  ['message_start', '{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}'],
  ['content_block_start', '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'],
  ['ping', '{"type":"ping"}'],
  ['content_block_delta', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße "}}'],
  ['content_block_delta', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"🙂!"}}'],
  ['content_block_stop', '{"type":"content_block_stop","index":0}'],
  ['message_delta', '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}'],
  ['message_stop', '{"type":"message_stop"}'],
]

const gemini = [
  '{"candidates":[{"content":{"parts":[{"text":"Grüße "}]},"index":0}],"usageMetadata":{"promptTokenCount":9}}',
  '{"candidates":[{"content":{"parts":[{"text":"🙂"}]},"index":0}],"usageMetadata":{"promptTokenCount":9}}',
  '{"candidates":[{"content":{"parts":[{"text":"!"}]},"finishReason":"STOP"}],' +
    '"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4}}',
]

const recordings: readonly Recording[] = [
  {
    model: 'claude',
    bytes: Buffer.from(anthropic.map(([event, data]) => `event: ${event}\ndata: ${data}\n\n`).join('')),
    finish: '"stop_reason":"end_turn"',
  },
  {
    model: 'gemini',
    bytes: Buffer.from(gemini.map((data) => `data: ${data}\r\n\r\n`).join('')),
    finish: '"finishReason":"STOP"',
  },
]

const CLEAN = 'Grüße 🙂!'

let stub: StubUpstream
let gateway: TestGateway
beforeAll(async () => {
  stub = await startStubUpstream()
  const price = { input: '1', output: '1' }
  const upstreams = (['anthropic', 'gemini'] as const).map((kind) => ({
    ...{ name: kind, kind, url: stub.url, api_key_env: 'NATIVE_KEY' },
  }))
  const routes = {
    claude: { upstream: 'anthropic', price },
    gemini: { upstream: 'gemini', price },
  }
  const env = { NATIVE_KEY: 'sk-native-secret', SVC_LOG_LEVEL: 'error' }
  gateway = await startTestGateway({ file: { upstreams, routes }, credits: '1000000', env })
})
afterAll(async () => {
  await gateway.stop()
  await stub.close()
})

/** Requests under way at a time. */
const AT_ONCE = 50

async function forEachOf(numbers: readonly number[], work: (number: number) => Promise<void>): Promise<void> {
  const left = [...numbers]
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

test.each(recordings.flatMap((recording) => ['breaks', 'closes'].map((how) => ({ ...recording, how }))))(
  '$model: whoever $how at any byte is never taken for a whole answer',
  { timeout: 120_000 },
  async ({ model, bytes, finish, how }) => {
    stub.onOther = (call, response) => {
      const part = bytes.subarray(0, Number(/"text":"(\d+)"/.exec(call.text)?.[1]))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      response.write(part, () => (how === 'breaks' ? response.destroy() : response.end()))
    }
    // Where the connection closes in order, the event that ends the answer may lack its line end.
    const finishEnd = bytes.indexOf('}}', bytes.indexOf(finish)) + 2
    let cleanEnds = 0
    await forEachOf(
      Array.from({ length: bytes.length }, (_, offset) => offset + 1),
      async (offset) => {
        const messages = [{ role: 'user', content: String(offset) }]
        const answer = await gateway.chat({ model, messages, stream: true })
        if (answer.status !== 200) {
          expect([502, 503, 504]).toContain(answer.status)
          expect(await answer.text()).toMatch(/^\{"error":/)
          return
        }
        const { text, frames, content } = await readStream(answer)
        expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
        const failed = frames.filter((frame) => frame.error !== undefined)
        if (failed.length === 0) {
          cleanEnds++
          expect([offset >= finishEnd, content]).toEqual([true, CLEAN])
        } else {
          expect([failed.length, frames.at(-1) === failed[0], CLEAN.startsWith(content)]).toEqual([1, true, true])
          expect(frames.at(-1)?.svc).toBeUndefined()
        }
      },
    )
    expect(cleanEnds).toBeGreaterThan(0)
  },
)
