/** Readers that are slow, full or gone: the gateway keeps nothing for them, and the upstream feels it. */
import { usageList } from '@svc/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  type StubCall,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { keptBytes } from '../packages/server/testing/kept-bytes.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf } from './charge-of.ts'
import { type Flood, flood, MIB, openDeafClient, standStill, STREAM_BODY } from './deaf-readers.ts'
import { QUESTION } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const USAGE = { prompt_tokens: 10, completion_tokens: 5 }

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '100000000', env: { SVC_LOG_LEVEL: 'error' } }))

beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response))
})

describe('readers that take nothing', () => {
  // B061
  test(
    'a reader of 200 MB who never reads costs a few MB, and the upstream stops sending',
    { timeout: 180_000 },
    async () => {
      const floods: Flood[] = []
      stub.onChat = (_call, response) => void floods.push(flood(response, 200 * MIB))
      const before = keptBytes()
      const client = openDeafClient(gateway)
      await eventually(() => expect(floods).toHaveLength(1))
      await standStill(floods)
      console.log(`sent ${floods[0]!.sent / MIB} MiB, kept ${(keptBytes() - before) / MIB} MiB`)
      expect(floods[0]!.sent).toBeLessThan(32 * MIB)
      expect(keptBytes() - before).toBeLessThan(8 * MIB)
      client.destroy()
      await eventually(() => expect(floods[0]!.over).toBe(true))
      await gateway.settled()
    },
  )

  test('a reader who comes back gets every byte that waited', { timeout: 180_000 }, async () => {
    const floods: Flood[] = []
    stub.onChat = (_call, response) => void floods.push(flood(response, 20 * MIB))
    const response = await gateway.chat(STREAM_BODY)
    await eventually(() => expect(floods).toHaveLength(1))
    await standStill(floods)
    expect(floods[0]!.sent).toBeLessThan(20 * MIB)
    let read = 0
    for await (const bytes of response.body ?? []) read += bytes.length
    expect(read).toBeGreaterThan(20 * MIB)
  })
})

/** The upstream's side of the one request that runs. */
async function upstreamCall(): Promise<StubCall> {
  await eventually(() => expect(stub.chats).toHaveLength(1))
  return stub.chats[0]!
}

describe('readers who leave', () => {
  // B064
  test('an abort before the first byte of a stream reaches the upstream, and is free', async () => {
    stub.onChat = () => undefined
    const { charge } = await chargeOf(gateway, async () => {
      const leaving = new AbortController()
      const answer = gateway.chat(STREAM_BODY, { signal: leaving.signal }).catch((error: Error) => error.name)
      const call = await upstreamCall()
      leaving.abort()
      expect(await answer).toBe('AbortError')
      await call.closed
    })
    expect(charge).toBe(0n)
  })

  test('an abort while the upstream has begun but said nothing reaches it; only the prompt is charged', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: '' }))
    }
    const { charge } = await chargeOf(gateway, async () => {
      const leaving = new AbortController()
      const answer = gateway.chat(STREAM_BODY, { signal: leaving.signal }).catch((error: Error) => error.name)
      const call = await upstreamCall()
      leaving.abort()
      expect(await answer).toBe('AbortError')
      await call.closed
    })
    const { data } = usageList.parse(await (await gateway.fetch('/v1/usage?limit=1')).json())
    expect(data[0]).toMatchObject({ completion_tokens: 0, estimated: true, status: 'cancelled' })
    expect(charge).toBe(cardOf(data[0]?.prompt_tokens ?? undefined, 0))
  })

  test('an abort in the middle of a stream reaches the upstream, and what was delivered is charged', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello world' }))
    }
    const { charge } = await chargeOf(gateway, async () => {
      const leaving = new AbortController()
      const response = await gateway.chat(STREAM_BODY, { signal: leaving.signal })
      const reader = response.body!.getReader()
      await reader.read()
      leaving.abort()
      await (
        await upstreamCall()
      ).closed
      await expect(reader.read()).rejects.toThrow(/abort/)
    })
    expect(charge).toBeGreaterThan(0n)
    expect(charge).toBeLessThan(cardOf(100, 100))
  })

  test('an abort after the finish reason still waits for the usage, and is charged by it', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    stub.onChat = async (_call, response) => {
      beginStream(response)
      for (const data of [chunkText({ content: 'Hi' }), chunkText({}, 'stop')]) sendEvent(response, data)
      await gone
      sendEvent(response, usageText(USAGE))
      response.end('data: [DONE]\n\n')
    }
    const { charge } = await chargeOf(gateway, async () => {
      const leaving = new AbortController()
      const response = await gateway.chat(STREAM_BODY, { signal: leaving.signal })
      await response.body!.getReader().read()
      leaving.abort()
      resolve()
      await (
        await upstreamCall()
      ).closed
    })
    expect(charge).toBe(cardOf(10, 5))
  })

  test('an answer that is not streamed was made for its caller: it runs to its end and is charged', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    stub.onChat = async (_call, response) => {
      await gone
      sendCompletion(response)
    }
    const { charge } = await chargeOf(gateway, async () => {
      const leaving = new AbortController()
      const answer = gateway.chat(QUESTION, { signal: leaving.signal }).catch((error: Error) => error.name)
      await upstreamCall()
      leaving.abort()
      expect(await answer).toBe('AbortError')
      resolve()
    })
    expect(charge).toBe(cardOf(10, 5))
  })
})

describe('readers that are quick', () => {
  // B066
  test.each(['gzip, br', 'identity', '*'])(
    'each token arrives before the next is made, whichever client accepts %s',
    async (encodings) => {
      let sendNext: (word: number) => void = () => undefined
      let finish: () => void = () => undefined
      stub.onChat = (_call, response) => {
        beginStream(response)
        sendNext = (word) => sendEvent(response, chunkText({ content: `<${word}>` }))
        finish = () => response.end(`data: ${chunkText({}, 'stop')}\n\ndata: [DONE]\n\n`)
        sendNext(0)
      }
      const headers = { 'accept-encoding': encodings }
      const response = await gateway.chat(STREAM_BODY, { headers })
      let text = ''
      let word = 0
      for await (const bytes of response.body ?? []) {
        text += Buffer.from(bytes).toString()
        if (!text.includes(`<${word}>`)) continue
        word++
        if (word < 20) sendNext(word)
        else finish()
      }
      expect(word).toBe(20)
      expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
      expect(response.headers.get('content-encoding')).toBeNull()
      expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
      expect(response.headers.get('x-accel-buffering')).toBe('no')
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    },
  )
})
