/**
 * A stream that breaks at any byte: the caller sees an error frame or the true end, never a clean end of a cut answer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStubUpstream, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { QUESTION, readStream } from './events-of.ts'

/** One event of each line, as these servers send them. */
const recordings: Readonly<Record<string, string>> = {
  openai: [
    '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}',
    '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"Grüße "},"finish_reason":null}]}',
    '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"🙂!"},"finish_reason":null}]}',
    '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
    '{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}',
  ].join('\n'),
  openrouter: [
    ': OPENROUTER PROCESSING',
    '{"id":"gen-1","provider":"X","choices":[{"index":0,"delta":{"content":"Grüße "},"finish_reason":null}]}',
    '{"id":"gen-1","choices":[{"index":0,"delta":{"content":"🙂!"},"finish_reason":"stop"}]}',
    '{"id":"gen-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"cost":0.0001}}',
  ].join('\n'),
  groq: [
    '{"id":"c","choices":[{"index":0,"delta":{"content":"Grüße "},"finish_reason":null}],"x_groq":{"id":"r"}}',
    '{"id":"c","choices":[{"index":0,"delta":{"content":"🙂!"},"finish_reason":null}]}',
    '{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],' +
      '"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":4}}}',
  ].join('\n'),
  deepseek: [
    '{"id":"d","choices":[{"index":0,"delta":{"reasoning_content":"Hm."},"finish_reason":null}]}',
    '{"id":"d","choices":[{"index":0,"delta":{"content":"Grüße "},"finish_reason":null}]}',
    '{"id":"d","choices":[{"index":0,"delta":{"content":"🙂!"},"finish_reason":null}]}',
    '{"id":"d","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],' +
      '"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_cache_hit_tokens":3,' +
      '"completion_tokens_details":{"reasoning_tokens":1}}}',
  ].join('\n'),
}

function bytesOf(recording: string): Buffer {
  const events = recording.split('\n').map((line) => (line.startsWith(':') ? `${line}\n\n` : `data: ${line}\n\n`))
  return Buffer.from(`${events.join('')}data: [DONE]\n\n`)
}

let stub: StubUpstream
let gateway: TestGateway
beforeAll(async () => {
  stub = await startStubUpstream()
  stub.onOther = (_call, response) => void response.writeHead(200).end('{"data":{"total_cost":0.0001}}')
  gateway = await startTestGateway({ upstreamUrl: stub.url, credits: '1000000', env: { SVC_LOG_LEVEL: 'error' } })
})
afterAll(async () => {
  await gateway.stop()
  await stub.close()
})

/** Requests under way at a time: a look-up waits, and nobody should wait for it alone. */
const AT_ONCE = 100

async function forEachOf(numbers: readonly number[], work: (number: number) => Promise<void>): Promise<void> {
  const left = [...numbers]
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const CLEAN = 'Grüße 🙂!'

test.each(
  Object.keys(recordings).flatMap((dialect) => [
    { dialect, how: 'breaks' },
    { dialect, how: 'closes' },
  ]),
)(
  '$dialect: whoever $how at any byte is never taken for a whole answer',
  { timeout: 120_000 },
  async ({ dialect, how }) => {
    const bytes = bytesOf(recordings[dialect] ?? '')
    const finishEnd = bytes.indexOf('\n\n', bytes.indexOf('"finish_reason":"stop"'))
    stub.onChat = (call, response) => {
      const part = bytes.subarray(0, Number(call.json?.['user']))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      response.write(part, () => (how === 'breaks' ? response.destroy() : response.end()))
    }
    let cleanEnds = 0
    await forEachOf(
      Array.from({ length: bytes.length }, (_, offset) => offset + 1),
      async (offset) => {
        const answer = await gateway.chat({ ...QUESTION, stream: true, user: String(offset) })
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
