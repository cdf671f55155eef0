/** Streams of an upstream that end at any byte, and what their callers may see of them. */
import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
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

/** Requests under way at a time: a look-up waits, and a test should not wait for it alone. */
const AT_ONCE = 100

/**
 * Asks for a stream cut behind each of its bytes: the caller sees an error frame or the true end.
 *
 * @param finishEnd the bytes after which nothing of the answer is missing.
 * @returns how many answers ended as whole ones.
 */
export async function countCleanEnds(
  length: number,
  finishEnd: number,
  ask: (offset: number) => Promise<Response>,
): Promise<number> {
  let [next, cleanEnds] = [1, 0]
  const work = async (): Promise<void> => {
    while (next <= length) {
      const offset = next++
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
