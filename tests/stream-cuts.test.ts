/**
 * A stream that breaks at any byte: the caller sees an error frame or the true end, never a clean end of a cut answer.
 */
import { expect, test } from 'vitest'
import { createRandom } from '../packages/server/testing/random.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { CUTS, countCleanEnds, sendCut } from './cut-streams.ts'
import { QUESTION } from './events-of.ts'

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

const random = createRandom()
console.info(`seed ${random.seed}`)

const stub = useStubUpstream()
stub.onOther = (_call, response) => void response.writeHead(200).end('{"data":{"total_cost":0.0001}}')
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000000', env: { SVC_LOG_LEVEL: 'error' } }))

test.each(
  Object.entries(recordings).flatMap(([dialect, recording]) => CUTS.map((how) => ({ dialect, recording, how }))),
)(
  '$dialect: an upstream that $how at any byte is never taken for a whole answer',
  { timeout: 120_000 },
  async ({ recording, how }) => {
    const bytes = bytesOf(recording)
    const finishEnd = bytes.indexOf('\n\n', bytes.indexOf('"finish_reason":"stop"'))
    stub.onChat = (call, response) => sendCut(response, bytes.subarray(0, Number(call.json?.['user'])), how)
    const cleanEnds = await countCleanEnds(bytes.length, finishEnd, random, (offset) =>
      gateway.chat({ ...QUESTION, stream: true, user: String(offset) }),
    )
    expect(cleanEnds).toBeGreaterThan(0)
  },
)
