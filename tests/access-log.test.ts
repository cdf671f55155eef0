/** The line of a request has what it was charged, whatever form its answer has and whichever side ended it. */
import { formatCredits } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { eventually } from '../packages/server/testing/eventually.ts'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { streamImage } from '../packages/server/testing/stub-images.ts'
import { beginStream, chunkText, sendEvent } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { audioStubOf, postForm, SPEECH, WHISPER } from './audio-upstream.ts'
import { chargeOf } from './charge-of.ts'
import { createGate, hasText, openStream, question, recordOf } from './open-stream.ts'

interface Line {
  readonly level: string
  readonly msg: string
  readonly request_id?: string
  readonly route?: string
  readonly status?: number
  readonly credits_charged?: string | null
}

const stub = useStubUpstream()
audioStubOf(stub)
const onAudio = stub.onOther
stub.onOther = (call, response) => (call.path.endsWith('/images') ? streamImage(response) : onAudio(call, response))
const gateway = useGateway(() => ({ upstreamUrl: stub.url }))

const lines = (): Line[] => gateway.logged.map((line) => JSON.parse(line))

/** The line of a request; it comes once its connection is done with the answer. */
function lineOf(wanted: (line: Line) => boolean): Promise<Line> {
  return eventually(() => {
    const line = lines().find(wanted)
    expect(line).toBeDefined()
    return line as Line
  })
}

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return gateway.fetch(`/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const messages = [{ role: 'user', content: 'Hi' }]
const text = { model: SPEECH, input: 'Hello', voice: 'alloy' }
const transcript = [
  ['file', new File([new Uint8Array(makeWav(44 + 8_000))], 'a.wav')],
  ['model', WHISPER],
] as const
const image = { model: 'x-ai/grok-imagine-image-2.0', prompt: 'A cat', stream: true }

describe('the line has the charge that the balance shows', () => {
  test.each<readonly [string, () => Promise<Response>]>([
    ['a chat', () => post('/chat/completions', { model: 'svc-gpt', messages })],
    ['a stream', () => post('/chat/completions', { model: 'svc-gpt', messages, stream: true })],
    ['a stream of Responses', () => post('/responses', { model: 'svc-gpt', input: 'Hi', stream: true })],
    ['a stream of Messages', () => post('/messages', { model: 'svc-gpt', max_tokens: 9, messages, stream: true })],
    ['audio', () => post('/audio/speech', text)],
    ['events of audio', () => post('/audio/speech', { ...text, stream_format: 'sse' })],
    ['pieces of a transcript', () => postForm(gateway, [...transcript, ['stream', 'true']])],
    ['images as they come', () => post('/images/generations', image)],
  ])('%s', async (_name, ask) => {
    const { result: id, charge } = await chargeOf(gateway, async () => {
      const answer = await ask()
      await answer.text()
      expect(answer.status).toBe(200)
      return answer.headers.get('x-request-id')
    })
    expect(charge).toBeGreaterThan(0n)
    const line = await lineOf(({ msg, request_id }) => msg === 'request' && request_id === id)
    expect(line).toMatchObject({ level: 'info', credits_charged: formatCredits(charge) })
  })
  test('a repetition is charged nothing, and its line says so', async () => {
    const ask = (): Promise<Response> =>
      gateway.chat({ model: 'svc-gpt', messages, stream: true }, { headers: { 'idempotency-key': 'once' } })
    await (await ask()).text()
    const { charge } = await chargeOf(gateway, async () => (await ask()).text())
    expect(charge).toBe(0n)
    const told = await eventually(() => {
      const both = lines().filter(({ msg, route }) => msg === 'request' && route === '/api/v1/chat/completions')
      expect(both.length).toBeGreaterThanOrEqual(4)
      return both.slice(-2).map(({ credits_charged }) => credits_charged)
    })
    expect(told).toEqual([expect.stringMatching(/^0\.0/), null])
  })
})

describe('a caller who leaves', () => {
  test('has a line at once, and one more with the charge when that is known', async () => {
    const gate = createGate()
    stub.onChat = async (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello' }))
      await gate.opened
      response.destroy()
    }
    const stream = await openStream(gateway, question('svc-gpt'))
    await stream.until(hasText)
    stream.leave()
    const isOfIt = ({ request_id }: Line): boolean => request_id === stream.requestId
    const line = await lineOf((one) => isOfIt(one) && one.msg === 'request')
    gate.open()
    expect(line).toMatchObject({ status: 499, credits_charged: null })
    const later = await lineOf((one) => isOfIt(one) && one.msg === 'charged after the caller had left')
    const { charge } = await recordOf(gateway, stream.requestId)
    expect(charge).toBeGreaterThan(0n)
    expect(later).toMatchObject({ level: 'info', credits_charged: formatCredits(charge) })
    expect(lines().filter(isOfIt)).toHaveLength(2)
  })
})
