/**
 * Our key at an upstream within the upstream's own words: whatever is passed on or logged of them goes through here.
 * An upstream may repeat the key in part, in capitals, with blanks in between, or encoded.
 */

/** So many letters and digits in a row that are also in the key are a part of it. Source: own choice. */
const PIECE = 8

const REMOVED = '[removed]'

/** Takes every part of the key out of a text. @param apiKey null where there is none. */
export function hideKey(text: string, apiKey: string | null): string {
  if (apiKey === null || apiKey === '') return text
  const plain = text.replaceAll(apiKey, REMOVED)
  let shown = ''
  let copied = 0
  for (const { start, end } of findPieces(plain, piecesOf(apiKey))) {
    shown += plain.slice(copied, start) + REMOVED
    copied = end
  }
  return shown + plain.slice(copied)
}

/** Whether a text has any part of the key in it. */
export function showsKey(text: string, apiKey: string | null): boolean {
  return hideKey(text, apiKey) !== text
}

/** Every piece of the key as it is, in base64 at each of the three places where it can begin, and in hexadecimal. */
function piecesOf(apiKey: string): ReadonlySet<string> {
  const bytes = Buffer.from(apiKey)
  const encoded = [0, 1, 2].map((before) => base64Within(bytes, before))
  const pieces = new Set<string>()
  for (const form of [apiKey, ...encoded, bytes.toString('hex')]) {
    const { letters } = lettersOf(form)
    for (let at = 0; at + PIECE <= letters.length; at++) pieces.add(letters.slice(at, at + PIECE))
  }
  return pieces
}

/** The part of a base64 text that the key alone decides, behind so many bytes of something else. */
function base64Within(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replaceAll('=', '')
  return text.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1)
}

/** The letters and digits of a text in lower case, and where each of them was. */
function lettersOf(text: string): { readonly letters: string; readonly places: readonly number[] } {
  let letters = ''
  const places: number[] = []
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at).toLowerCase()
    if (!/^[a-z0-9]$/.test(letter)) continue
    letters += letter
    places.push(at)
  }
  return { letters, places }
}

function findPieces(text: string, pieces: ReadonlySet<string>): readonly { readonly start: number; end: number }[] {
  const { letters, places } = lettersOf(text)
  const found: { start: number; end: number }[] = []
  for (let at = 0; at + PIECE <= letters.length; at++) {
    if (!pieces.has(letters.slice(at, at + PIECE))) continue
    const [start = 0, end = 0] = [places[at], places[at + PIECE - 1]]
    const last = found.at(-1)
    if (last !== undefined && start < last.end) last.end = end + 1
    else found.push({ start, end: end + 1 })
  }
  return found
}
