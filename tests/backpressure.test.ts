/** Readers that are slow, full or gone: the gateway keeps nothing for them, and the upstream feels it. */
import { Agent, request as httpRequest, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
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
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf } from './charge-of.ts'
import { QUESTION } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const MIB = 1024 * 1024
const USAGE = { prompt_tokens: 10, completion_tokens: 5 }
const BODY = JSON.stringify({ ...QUESTION, stream: true, max_tokens: 100 })

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '100000000', env: { SVC_LOG_LEVEL: 'error' } }))

beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response))
})

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

/** Bytes that this process keeps alive. */
function keptBytes(): number {
  if (typeof collectGarbage === 'function') for (let turn = 0; turn < 3; turn++) collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** A flood: frames as fast as they are taken, up to a size. */
interface Flood {
  sent: number
  over: boolean
}

const frame = chunkText({ content: 'x'.repeat(16_000) })

function flood(response: ServerResponse, bytesMax: number): Flood {
  const state: Flood = { sent: 0, over: false }
  response.once('close', () => (state.over = true))
  beginStream(response)
  const go = (): void => {
    while (state.sent < bytesMax && !response.destroyed) {
      state.sent += frame.length
      if (!response.write(`data: ${frame}\n\n`)) return void response.once('drain', go)
    }
    response.end()
  }
  go()
  return state
}

/** Asks for a stream and reads nothing. */
function openDeafClient(): Socket {
  const { port } = new URL(gateway.v1)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  const head = ['POST /api/v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${gateway.key}`]
  const length = `content-length: ${Buffer.byteLength(BODY)}`
  socket.write(`${[...head, 'content-type: application/json', length].join('\r\n')}\r\n\r\n${BODY}`)
  return socket
}

/** Resolves once the floods have stopped: a trickle into the system's own buffers is not the gateway's. */
async function standStill(floods: readonly Flood[]): Promise<void> {
  let before = -1
  await eventually(() => {
    const now = floods.reduce((sum, state) => sum + state.sent, 0)
    const isStill = now > 0 && before >= 0 && now - before < MIB
    before = now
    if (!isStill) throw new Error(`still moving: ${now} bytes`)
  })
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
}

describe('readers that take nothing', () => {
  // B061
  test(
    'a reader of 200 MB who never reads costs a few MB, and the upstream stops sending',
    { timeout: 60_000 },
    async () => {
      const floods: Flood[] = []
      stub.onChat = (_call, response) => void floods.push(flood(response, 200 * MIB))
      const before = keptBytes()
      const client = openDeafClient()
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

  // B062
  test(
    '500 readers who hang up while the stream runs, some of them full, leave nothing behind',
    { timeout: 120_000 },
    async () => {
      const before = openSockets()
      const hangUp = async (count: number, isTime: (floods: readonly Flood[]) => Promise<void>): Promise<void> => {
        const floods: Flood[] = []
        stub.onChat = (_call, response) => void floods.push(flood(response, 200 * MIB))
        const clients = Array.from({ length: count }, openDeafClient)
        await eventually(() => expect(floods).toHaveLength(count))
        await isTime(floods)
        expect(floods.map((state) => state.over)).toEqual(floods.map(() => false))
        for (const client of clients) client.destroy()
        await eventually(() => expect(floods.every((state) => state.over)).toBe(true))
        await gateway.settled()
      }
      await hangUp(20, standStill)
      for (let wave = 0; wave < 8; wave++) await hangUp(60, () => Promise.resolve())
      expect(stub.chats).toHaveLength(500)
      await eventually(() => expect(openSockets()).toBeLessThanOrEqual(before + 2))
    },
  )

  test('a reader who comes back gets every byte that waited', { timeout: 60_000 }, async () => {
    const floods: Flood[] = []
    stub.onChat = (_call, response) => void floods.push(flood(response, 20 * MIB))
    const response = await gateway.chat(BODY)
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
      const answer = gateway.chat(BODY, { signal: leaving.signal }).catch((error: Error) => error.name)
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
      const answer = gateway.chat(BODY, { signal: leaving.signal }).catch((error: Error) => error.name)
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
      const response = await gateway.chat(BODY, { signal: leaving.signal })
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
      const response = await gateway.chat(BODY, { signal: leaving.signal })
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
      const response = await gateway.chat(BODY, { headers })
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

describe('many requests on few connections', () => {
  // B176, B177
  test('neither listeners nor memory grow with the number of requests', { timeout: 120_000 }, async () => {
    const warnings: string[] = []
    const note = (warning: Error): void => void warnings.push(warning.message)
    process.on('warning', note)
    const agent = new Agent({ keepAlive: true, maxSockets: 10 })
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
    const once = (body: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(`${gateway.v1}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
          response.resume()
          response.once('end', () => resolve(response.statusCode))
        })
        sent.once('error', reject)
        sent.end(body)
      })
    const whole = JSON.stringify({ ...QUESTION, max_tokens: 100 })
    const run = async (count: number): Promise<void> => {
      const worker = async (): Promise<void> => {
        for (let turn = 0; turn < count / 20; turn++) expect([await once(BODY), await once(whole)]).toEqual([200, 200])
      }
      await Promise.all(Array.from({ length: 10 }, worker))
      await gateway.settled()
      stub.chats.length = 0
      gateway.logged.length = 0
    }
    await run(500)
    const before = keptBytes()
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    await run(2_000)
    const perRequest = (keptBytes() - before) / 2_000
    console.log(`${Math.round(perRequest)} bytes kept a request`)
    // A listener or a signal that stays takes more than this, and far more with what it holds.
    expect(perRequest).toBeLessThan(1_000)
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(timers + 2)
    expect(warnings).toEqual([])
    process.off('warning', note)
    agent.destroy()
  })
})
