/**
 * Finds where the long strings of a large text end, in many short turns of the event loop: a string of escaped quotes or
 * backslashes has to be looked at byte by byte, and each later walk over the text would do it again. Source: decision
 * 0151.
 */
import { knowsStrings, QUOTE, rememberStrings, searchEnd } from './json-bytes.ts'

/** Strings from this size on are remembered, and cut out of what is parsed at once, in bytes. Source: own choice. */
export const LONG_BYTES = 256
/** What one turn looks at or reads, in bytes: some milliseconds where each byte counts. Source: own choice. */
export const TURN_BYTES = 512 * 1024

/** @param pause lets other work of the event loop come between. */
export async function findLongStrings(text: Buffer, pause: () => Promise<void>): Promise<void> {
  if (knowsStrings(text)) return
  const ends = new Map<number, number>()
  let turnEnd = TURN_BYTES
  for (let quote = text.indexOf(QUOTE); quote !== -1;) {
    let { at, isEnd } = searchEnd(text, quote + 1, turnEnd)
    while (!isEnd) {
      await pause()
      turnEnd = at + TURN_BYTES
      ;({ at, isEnd } = searchEnd(text, at, turnEnd))
    }
    if (at - quote >= LONG_BYTES) ends.set(quote, at)
    if (at >= turnEnd) {
      await pause()
      turnEnd = at + TURN_BYTES
    }
    quote = text.indexOf(QUOTE, at)
  }
  rememberStrings(text, ends)
}
