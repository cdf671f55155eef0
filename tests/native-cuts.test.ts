/**
 * A stream of a native API that breaks at any byte: the caller sees an error frame or the true end, never a clean end
 * of a cut answer.
 */
import { expect, test } from 'vitest'
import { createRandom } from '../packages/server/testing/random.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { CUTS, countCleanEnds, sendCut } from './cut-streams.ts'

interface Recording {
  readonly model: string
  readonly bytes: Buffer
  /** Text of the event after which nothing of the answer is missing. */
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

const random = createRandom()
console.info(`seed ${random.seed}`)

const stub = useStubUpstream()
const gateway = useGateway(() => {
  const price = { input: '1', output: '1' }
  const upstreams = (['anthropic', 'gemini'] as const).map((kind) => ({
    ...{ name: kind, kind, url: stub.url, api_key_env: 'NATIVE_KEY' },
  }))
  const routes = {
    claude: { upstream: 'anthropic', price },
    gemini: { upstream: 'gemini', price },
  }
  const env = { NATIVE_KEY: 'sk-native-secret', SVC_LOG_LEVEL: 'error' }
  return { file: { upstreams, routes }, credits: '1000000', env }
})

test.each(recordings.flatMap((recording) => CUTS.map((how) => ({ ...recording, how }))))(
  '$model: an upstream that $how at any byte is never taken for a whole answer',
  { timeout: 120_000 },
  async ({ model, bytes, finish, how }) => {
    stub.onOther = (call, response) =>
      sendCut(response, bytes.subarray(0, Number(/"text":"(\d+)"/.exec(call.text)?.[1])), how)
    // Where the connection closes in order, the event that ends the answer may lack its line end.
    const finishEnd = bytes.indexOf('}}', bytes.indexOf(finish)) + 2
    const cleanEnds = await countCleanEnds(bytes.length, finishEnd, random, (offset) =>
      gateway.chat({ model, messages: [{ role: 'user', content: String(offset) }], stream: true }),
    )
    expect(cleanEnds).toBeGreaterThan(0)
  },
)
