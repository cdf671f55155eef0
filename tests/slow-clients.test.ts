/**
 * Clients that read or send slowly: the upstream is paused, memory stays flat, and a request that does not come ends.
 */
import { connect, type Socket } from 'node:net'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { beginStream, chunkText, usageText } from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf } from './charge-of.ts'
import { QUESTION } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const MIB = 1024 * 1024

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '100000000', env: { SVC_LOG_LEVEL: 'error' } }))

/** How much of an answer the gateway has taken from its upstream. */
interface Offered {
  taken: number
  /** Times that the upstream had to stop since the client took no more. */
  pauses: number
}

/** Offers an answer of so many frames as fast as they are taken, then its end. */
function offer(response: ServerResponse, frames: number): Offered {
  const state: Offered = { taken: 0, pauses: 0 }
  const frame = `data: ${chunkText({ content: 'x'.repeat(16_000) })}\n\n`
  let left = frames
  beginStream(response)
  const go = (): void => {
    while (left > 0 && !response.destroyed) {
      left--
      const isTaken = response.write(frame, () => (state.taken += frame.length))
      if (isTaken) continue
      state.pauses++
      return void response.once('drain', go)
    }
    const end = [chunkText({}, 'stop'), usageText({ prompt_tokens: 10, completion_tokens: TOKENS }), '[DONE]']
    response.end(end.map((data) => `data: ${data}\n\n`).join(''))
  }
  go()
  return state
}

function head(method: string, more: readonly string[]): string {
  return [`${method} /api/v1/chat/completions HTTP/1.1`, 'host: x', ...more, '', ''].join('\r\n')
}

/** A connection of our own, and what came on it. */
function open(at: TestGateway): {
  readonly socket: Socket
  readonly text: () => string
  readonly closed: Promise<void>
} {
  const socket = connect(Number(new URL(at.v1).port), '127.0.0.1')
  let text = ''
  socket.on('data', (bytes) => (text += bytes.toString('latin1')))
  socket.on('error', () => undefined)
  return { socket, text: () => text, closed: new Promise((resolve) => socket.once('close', () => resolve())) }
}

/** Resolves when there is something to read, or never will be. */
function readable(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const proceed = (): void => {
      socket.off('readable', proceed)
      socket.off('close', proceed)
      resolve()
    }
    socket.on('readable', proceed)
    socket.on('close', proceed)
  })
}

/** Reads at most so many bytes from a paused socket; null at its end. */
async function take(socket: Socket, bytes: number): Promise<Buffer | null> {
  for (;;) {
    const piece = socket.read(Math.min(bytes, socket.readableLength)) as Buffer | null
    if (piece !== null && piece.length > 0) return piece
    if (socket.readableEnded || socket.destroyed) return null
    await readable(socket)
  }
}

/** No fewer than so long an answer has. */
const TOKENS = 200_000

describe('a client that reads a kilobyte at a time', () => {
  test('pauses the upstream, keeps no memory, and gets the whole answer', { timeout: 180_000 }, async () => {
    const frames = 1_500
    let offered: Offered | null = null
    stub.onChat = (_call, response) => void (offered = offer(response, frames))
    const body = JSON.stringify({ ...QUESTION, stream: true, max_tokens: 100 })
    const { charge } = await chargeOf(gateway, async () => {
      const socket = connect(Number(new URL(gateway.v1).port), '127.0.0.1')
      socket.on('readable', () => undefined)
      const headers = [`authorization: Bearer ${gateway.key}`, 'content-type: application/json', 'connection: close']
      socket.write(`${head('POST', [...headers, `content-length: ${body.length}`])}${body}`)
      // A kilobyte for each turn; what the gateway has taken beyond that is what it and the two systems keep.
      let read = 0
      let ahead = 0
      for (let turn = 0; turn < 400; turn++) {
        read += (await take(socket, 1_024))?.length ?? 0
        ahead = Math.max(ahead, (offered as Offered | null)?.taken ?? 0) - read
      }
      await eventually(() => expect(offered?.pauses).toBeGreaterThan(0))
      const { taken } = offered as unknown as Offered
      expect(taken).toBeLessThan(12 * MIB)
      expect(ahead).toBeLessThan(12 * MIB)
      expect(frames * 16_000).toBeGreaterThan(20 * MIB)
      // Then it reads as fast as it can, and nothing is missing.
      let last = ''
      for (let piece = await take(socket, MIB); piece !== null; piece = await take(socket, MIB)) {
        read += piece.length
        last = (last + piece.toString('latin1')).slice(-400)
      }
      expect(read).toBeGreaterThan(frames * 16_000)
      expect(last).toContain('data: [DONE]')
    })
    expect(charge).toBe(cardOf(10, TOKENS))
  })
})

describe('a client that sends slowly', () => {
  const strict = useGateway(() => ({
    upstreamUrl: stub.url,
    file: { limits: { headers_ms: 300, request_ms: 600, upload_stall_ms: 300 } },
  }))

  /** Sends a byte now and then until the connection is closed. */
  async function drip(client: ReturnType<typeof open>, byte: string): Promise<void> {
    const timer = setInterval(() => client.socket.write(byte), 20)
    await client.closed
    clearInterval(timer)
  }

  test('its headers gets a 408 and is closed', async () => {
    const client = open(strict)
    client.socket.write('POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-slow: ')
    await drip(client, 'a')
    expect(client.text()).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  })

  test('nothing at all is let go', async () => {
    const client = open(strict)
    await client.closed
    expect(client.text()).toMatch(/^(HTTP\/1\.1 408 .*)?$/s)
  })

  test.each([
    ['a body of JSON', 'application/json', '/api/v1/chat/completions', '{"model":"'],
    [
      'a form',
      'multipart/form-data; boundary=x',
      '/api/v1/audio/transcriptions',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n',
    ],
  ])('%s gets a 408 and is closed; the upstream is not asked', async (_kind, type, path, start) => {
    const before = stub.chats.length
    const client = open(strict)
    const headers = [`authorization: Bearer ${strict.key}`, `content-type: ${type}`, 'content-length: 100000']
    client.socket.write(`${head('POST', headers).replace('/api/v1/chat/completions', path)}${start}`)
    await drip(client, 'a')
    expect(client.text()).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
    expect([stub.chats.length, (await strict.balance()).held]).toEqual([before, 0n])
  })

  test('a hundred of them keep no other client out', async () => {
    const slow = Array.from({ length: 100 }, () => open(strict))
    for (const { socket } of slow) socket.write('POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-slow: ')
    stub.onChat = (_call, response) => void offer(response, 1)
    expect((await strict.chat({ ...QUESTION, stream: true })).status).toBe(200)
    await Promise.all(slow.map(({ closed }) => closed))
  })
})
