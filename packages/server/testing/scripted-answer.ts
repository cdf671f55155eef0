/** An answer of an upstream as a script describes it: whole or in pieces, with pauses, cut, or silent in the middle. */
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export interface ScriptedAnswer {
  /** 200 by default. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | number>>
  /**
   * Sent one after the other; a number waits so many milliseconds. A generator is asked for the next piece once the one
   * before was handed to the network. With none of them and silence not even the head is sent.
   */
  readonly pieces: Iterable<string | Buffer | number>
  /** What comes behind the last piece: the end, a broken connection, or nothing until the gateway leaves. */
  readonly end?: 'whole' | 'cut' | 'silence'
}

/** How an answer ended: handed to the network whole, broken off as its script says, or left by the gateway before. */
export type PlayedEnd = 'whole' | 'cut' | 'left'

/** The longest that a silent answer hangs, in milliseconds, when the gateway does not close it. */
const SILENCE_MS_MAX = 30_000

/** The headers of the usual answers. */
export const JSON_TYPE = { 'content-type': 'application/json' } as const
export const EVENTS_TYPE = { 'content-type': 'text/event-stream' } as const

/** An event of a stream. */
export function frame(data: string): string {
  return `data: ${data}\n\n`
}

/** Plays an answer to its end. One that is a single piece is sent with its length, as most are. */
export async function play(response: ServerResponse, answer: ScriptedAnswer): Promise<PlayedEnd> {
  const { status = 200, headers = JSON_TYPE, pieces, end = 'whole' } = answer
  const closed = new Promise<void>((resolve) => response.once('close', resolve))
  response.writeHead(status, headers)
  let held: string | Buffer | null = null
  const flush = async (): Promise<void> => {
    if (held === null || response.destroyed || response.write(held)) return
    await Promise.race([new Promise<void>((resolve) => response.once('drain', resolve)), closed])
  }
  for (const piece of pieces) {
    await flush()
    held = typeof piece === 'number' ? null : piece
    if (typeof piece === 'number' && piece > 0) await wait(piece)
    if (response.destroyed) return 'left'
  }
  if (end !== 'whole') await flush()
  if (end === 'cut') {
    await Promise.race([left(response), closed])
    response.destroy()
  }
  if (end === 'silence') return silence(response, closed)
  if (end === 'whole') response.end(held ?? '')
  await closed
  if (end === 'cut') return 'cut'
  return response.writableFinished ? 'whole' : 'left'
}

/** Waits until everything that was written has been handed to the network. */
function left({ socket }: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (socket === null) resolve()
    // What a response holds back goes to its socket by the next turn.
    else setImmediate(() => socket.write('', () => resolve()))
  })
}

async function silence(response: ServerResponse, closed: Promise<void>): Promise<PlayedEnd> {
  const longest = setTimeout(() => response.destroy(), SILENCE_MS_MAX)
  await closed
  clearTimeout(longest)
  return 'left'
}
