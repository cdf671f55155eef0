/**
 * A stream that breaks at any byte, read in the other forms of a chat: the client sees an error event or the true end,
 * never a clean end of a cut answer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../packages/server/testing/random.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cutsOf } from './cut-streams.ts'

const recording = Buffer.from(
  [
    '{"choices":[{"index":0,"delta":{"content":"Grüße "},"finish_reason":null}]}',
    '{"choices":[{"index":0,"delta":{"content":"🙂!"},"finish_reason":"stop"}]}',
    '{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}',
    '[DONE]',
  ]
    .map((data) => `data: ${data}\n\n`)
    .join(''),
)
const MODEL = 'local'
const TEXT = 'Grüße 🙂!'

const forms = [
  {
    path: '/v1/responses',
    body: { model: MODEL, input: 'Hi', store: false, stream: true },
    end: 'response.completed',
    failure: 'response.failed',
    delta: 'response.output_text.delta',
  },
  {
    path: '/v1/messages',
    body: { model: MODEL, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }], stream: true },
    end: 'message_stop',
    failure: 'error',
    delta: 'content_block_delta',
  },
] as const

const random = createRandom()
console.info(`seed ${random.seed}`)

const stub = useStubUpstream()
const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible', credits: '1000000' },
  file: { prices: { [MODEL]: { input: '1', output: '1' } } },
  env: { SVC_LOG_LEVEL: 'error' },
}))

interface FormEvent {
  readonly type: string
  readonly delta?: string | { readonly text?: string }
}

function eventsIn(text: string): FormEvent[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as FormEvent)
}

const textOf = ({ delta }: FormEvent): string => (typeof delta === 'string' ? delta : (delta?.text ?? ''))

const AT_ONCE = 50

test.each(forms)('$path', { timeout: 180_000 }, async ({ path, body, end, failure, delta }) => {
  // Each request gets the next length: which of them it is does not matter, that each comes once does.
  const left = [0, ...cutsOf(random, recording.length, recording.indexOf('\n\n', recording.indexOf('"stop"')))]
  const total = left.length
  let running = 0
  stub.onChat = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(recording.subarray(0, left.pop()), () => response.socket?.destroy())
  }
  const ended: string[] = []
  const ask = async (): Promise<void> => {
    while (ended.length + running < total) {
      running++
      const headers = { 'content-type': 'application/json' }
      const answer = await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
      const text = await answer.text()
      running--
      if (answer.status !== 200) {
        ended.push(`refused ${answer.status}`)
        continue
      }
      const events = eventsIn(text)
      const said = events.filter(({ type }) => type === delta).map(textOf)
      const last = events.at(-1)?.type
      expect([end, failure]).toContain(last)
      expect(events.filter(({ type }) => type === end || type === failure)).toHaveLength(1)
      if (last === end) expect(said.join('')).toBe(TEXT)
      else expect(TEXT.startsWith(said.join(''))).toBe(true)
      ended.push(String(last))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  expect(ended).toHaveLength(total)
  expect(ended).toContain(end)
  expect(unhandled).toEqual([])
})
