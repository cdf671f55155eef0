/** A source had more bytes than it may. */
export class MediaTooLargeError extends Error {
  readonly bytesMax: number

  constructor(bytesMax: number) {
    super(`The file has more than ${bytesMax} bytes.`)
    this.name = 'MediaTooLargeError'
    this.bytesMax = bytesMax
  }
}

/**
 * Passes pieces on and counts their bytes.
 * @throws {MediaTooLargeError} before the piece that goes beyond `bytesMax` is passed on.
 */
export async function* boundedSource(
  source: AsyncIterable<Uint8Array>,
  bytesMax: number,
  onBytes: (total: number) => void,
): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const piece of source) {
    total += piece.byteLength
    if (total > bytesMax) throw new MediaTooLargeError(bytesMax)
    onBytes(total)
    yield piece
  }
}
