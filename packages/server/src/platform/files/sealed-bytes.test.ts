import { describe, expect, test } from 'vitest'
import { openSealed, sealBytes, sealedLength, type VersionedSecret } from './sealed-bytes.ts'

const secrets: readonly [VersionedSecret, VersionedSecret] = [
  { version: 2, secret: 'the secret of today' },
  { version: 1, secret: 'the secret of before' },
]

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function joined(source: AsyncIterable<Buffer> | null): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of source ?? []) pieces.push(piece)
  return Buffer.concat(pieces)
}

const seal = (bytes: Buffer, pieceLength = 10_000, secret = secrets[0]) =>
  joined(sealBytes(secret, inPieces(bytes, pieceLength)))

const open = (sealed: Buffer, bytes: number, range = { start: 0, end: Math.max(0, bytes - 1) }) => {
  const read = async ({ start, end }: { readonly start: number; readonly end: number }) =>
    inPieces(sealed.subarray(start, end + 1), 7_001)
  return openSealed({ bytes, read, secrets }, range)
}

const content = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255))

const PIECE = 65_536

describe('sealed bytes', () => {
  test.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5])(
    '%d of them come back, are as long as was said, and show nothing of what they are',
    async (length) => {
      const bytes = content(length)
      const sealed = await seal(bytes)
      expect(sealed.length).toBe(sealedLength(length))
      expect(await joined(await open(sealed, length))).toEqual(bytes)
      if (length > 64) expect(sealed.includes(bytes.subarray(0, 64))).toBe(false)
    },
  )

  test('any part can be read without the rest', async () => {
    const bytes = content(3 * PIECE + 100)
    const sealed = await seal(bytes)
    const marks = [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE, bytes.length - 1]
    for (const start of marks) {
      for (const end of marks.filter((mark) => mark >= start)) {
        const part = await joined(await open(sealed, bytes.length, { start, end }))
        expect(part.equals(bytes.subarray(start, end + 1))).toBe(true)
      }
    }
  })

  test('a changed byte, a cut end, a swapped piece and a wrong length are found out', async () => {
    const bytes = content(3 * PIECE)
    const sealed = await seal(bytes)
    const changed = Buffer.from(sealed)
    changed[PIECE] = (changed[PIECE] ?? 0) ^ 1
    const piece = PIECE + 16
    const swapped = Buffer.concat([
      sealed.subarray(0, 20),
      sealed.subarray(20 + piece, 20 + 2 * piece),
      sealed.subarray(20, 20 + piece),
      sealed.subarray(20 + 2 * piece),
    ])
    for (const wrong of [changed, swapped, sealed.subarray(0, -1), sealed.subarray(0, 20 + 2 * piece)]) {
      expect(
        await open(wrong, bytes.length)
          .then(joined)
          .catch(() => 'found out'),
      ).toBe('found out')
    }
    expect(
      await open(sealed, 2 * PIECE)
        .then(joined)
        .catch(() => 'found out'),
    ).toBe('found out')
  })

  test('an earlier secret still opens what it sealed; without it nothing does', async () => {
    const bytes = content(100)
    expect(await joined(await open(await seal(bytes, 10, secrets[1]), 100))).toEqual(bytes)
    expect(await open(await seal(bytes, 10, { version: 3, secret: 'gone' }), 100)).toBeNull()
  })

  test('the same bytes are sealed otherwise each time', async () => {
    expect(await seal(content(100))).not.toEqual(await seal(content(100)))
  })
})
