/** Readers that take nothing, and an upstream that floods them. */
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { eventually } from '../packages/server/testing/eventually.ts'
import { beginStream, chunkText } from '../packages/server/testing/stub-upstream.ts'
import { QUESTION } from './events-of.ts'

export const MIB = 1024 * 1024
/** A question for a stream. */
export const STREAM_BODY = JSON.stringify({ ...QUESTION, stream: true, max_tokens: 100 })

/** A flood: frames as fast as they are taken, up to a size. */
export interface Flood {
  sent: number
  over: boolean
}

const frame = chunkText({ content: 'x'.repeat(16_000) })

/** Answers with one. */
export function flood(response: ServerResponse, bytesMax: number): Flood {
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
export function openDeafClient({ v1, key }: { readonly v1: string; readonly key: string }): Socket {
  const { port } = new URL(v1)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  const head = ['POST /api/v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${key}`]
  const length = `content-length: ${Buffer.byteLength(STREAM_BODY)}`
  socket.write(`${[...head, 'content-type: application/json', length].join('\r\n')}\r\n\r\n${STREAM_BODY}`)
  return socket
}

/** Resolves once the floods have stopped: a trickle into the system's own buffers is not the gateway's. */
export async function standStill(floods: readonly Flood[]): Promise<void> {
  let before = -1
  await eventually(() => {
    const now = floods.reduce((sum, state) => sum + state.sent, 0)
    const isStill = now > 0 && before >= 0 && now - before < MIB
    before = now
    if (!isStill) throw new Error(`still moving: ${now} bytes`)
  })
}
