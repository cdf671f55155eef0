/**
 * Writes a large value as JSON in many short turns of the event loop: its structure at once, and its long strings piece
 * by piece. The text is that of `JSON.stringify`. Source: decision 0151.
 */
import { randomBytes } from 'node:crypto'

/** Strings from this length on are written apart. Source: own choice, as for reading. */
const LONG_LENGTH = 256
/** Characters of strings that one turn writes. */
const TURN_LENGTH = 256 * 1024

/** No value can hold it: it is made anew with each process. */
const NONCE = randomBytes(12).toString('hex')
const PLACES = new RegExp(`"\\\\u0000${NONCE}(\\d+)"`)

/** Lets other work of the event loop come between. */
type Pause = () => Promise<void>

/** The end of a piece of a string that cuts no character in two. */
function pieceEnd(text: string, from: number): number {
  const end = Math.min(from + TURN_LENGTH, text.length)
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

async function writeString(text: string, pieces: Buffer[], pause: Pause): Promise<void> {
  if (text.length <= TURN_LENGTH) return void pieces.push(Buffer.from(JSON.stringify(text)))
  pieces.push(Buffer.from('"'))
  for (let from = 0; from < text.length;) {
    const to = pieceEnd(text, from)
    pieces.push(Buffer.from(JSON.stringify(text.slice(from, to)).slice(1, -1)))
    from = to
    await pause()
  }
  pieces.push(Buffer.from('"'))
}

/** @param pause lets other work of the event loop come between. */
export async function writeInTurns(value: object, pause: Pause): Promise<Buffer> {
  const strings: string[] = []
  const skeleton = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'string' || member.length < LONG_LENGTH) return member
    strings.push(member)
    return `\0${NONCE}${strings.length - 1}`
  })
  await pause()
  const pieces: Buffer[] = []
  let written = 0
  // The text between the places, and the numbers of the strings that belong there, by turns.
  for (const [index, part] of skeleton.split(PLACES).entries()) {
    if (index % 2 === 0) pieces.push(Buffer.from(part))
    else {
      const text = strings[Number(part)] ?? ''
      await writeString(text, pieces, pause)
      written += text.length
    }
    if (written < TURN_LENGTH) continue
    written = 0
    await pause()
  }
  await pause()
  return Buffer.concat(pieces)
}
