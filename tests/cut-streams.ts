/** Streams of an upstream that end at any byte, and what their callers may see of them. */
import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
import type { Random } from '../packages/server/testing/random.ts'
import { readStream } from './events-of.ts'

/** What every recorded stream says when it is whole. */
export const CLEAN = 'Grüße 🙂!'

/** How a stream ends where it is cut: its connection breaks, or closes in order. */
export const CUTS = ['breaks', 'closes'] as const

/** Sends the first bytes of a stream. */
export function sendCut(response: ServerResponse, part: Buffer, how: (typeof CUTS)[number]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  response.write(part, () => (how === 'breaks' ? response.destroy() : response.end()))
}

/** The slow tests cut behind each byte, the others behind a part of them that differs from run to run. */
const BYTES_APART = process.env['SVC_EVERY_CUT'] === undefined ? 12 : 1

/**
 * Where a stream of a length is cut: behind bytes that are as far apart as they are to be, and behind those where its end
 * is decided.
 */
export function cutsOf(random: Random, length: number, finishEnd: number): readonly number[] {
  const first = 1 + random.below(BYTES_APART)
  const spread = Array.from(
    { length: Math.ceil((length - first + 1) / BYTES_APART) },
    (_none, at) => first + at * BYTES_APART,
  )
  return [...new Set([...spread, finishEnd - 1, finishEnd, finishEnd + 1, length])].filter((cut) => cut <= length)
}

/** Requests under way at a time: a look-up waits, and a test should not wait for it alone. */
const AT_ONCE = 100

/**
 * Asks for a stream cut at many of its bytes: the caller sees an error frame or the true end.
 *
 * @param finishEnd the bytes after which nothing of the answer is missing.
 * @param random chooses where.
 * @returns how many answers ended as whole ones.
 */
export async function countCleanEnds(
  length: number,
  finishEnd: number,
  random: Random,
  ask: (offset: number) => Promise<Response>,
): Promise<number> {
  const left = [...cutsOf(random, length, finishEnd)]
  let cleanEnds = 0
  const work = async (): Promise<void> => {
    for (let offset = left.pop(); offset !== undefined; offset = left.pop()) {
      if (await endsClean(await ask(offset), offset >= finishEnd)) cleanEnds++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return cleanEnds
}

async function endsClean(answer: Response, mayEnd: boolean): Promise<boolean> {
  if (answer.status !== 200) {
    expect([502, 503, 504]).toContain(answer.status)
    expect(await answer.text()).toMatch(/^\{"error":/)
    return false
  }
  const { text, frames, content } = await readStream(answer)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  const failed = frames.filter((frame) => frame.error !== undefined)
  if (failed.length === 0) {
    expect([mayEnd, content]).toEqual([true, CLEAN])
    return true
  }
  expect([failed.length, frames.at(-1) === failed[0], CLEAN.startsWith(content)]).toEqual([1, true, true])
  expect(frames.at(-1)?.svc).toBeUndefined()
  return false
}
