/** An image as its pixels: red, green, blue and opacity, a byte each, line by line. */
export interface Bitmap {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Bytes of a pixel. */
export const CHANNELS = 4

/** Makes an image fit into a box by taking the mean of what falls onto each pixel. A smaller one stays. */
export function shrinkInto(bitmap: Bitmap, widthMax: number, heightMax: number): Bitmap {
  const scale = Math.min(1, widthMax / bitmap.width, heightMax / bitmap.height)
  if (scale === 1) return bitmap
  const width = Math.max(1, Math.floor(bitmap.width * scale))
  const height = Math.max(1, Math.floor(bitmap.height * scale))
  const pixels = new Uint8Array(width * height * CHANNELS)
  for (let y = 0; y < height; y += 1) {
    const rows = span(y, height, bitmap.height)
    for (let x = 0; x < width; x += 1) {
      pixels.set(meanOf(bitmap, span(x, width, bitmap.width), rows), (y * width + x) * CHANNELS)
    }
  }
  return { width, height, pixels }
}

/** From and to which of the old pixels a new one reaches. */
function span(at: number, length: number, before: number): readonly [number, number] {
  const from = Math.floor((at * before) / length)
  return [from, Math.max(from + 1, Math.floor(((at + 1) * before) / length))]
}

type Span = readonly [number, number]

function meanOf({ width, pixels }: Bitmap, [left, right]: Span, [top, bottom]: Span): number[] {
  const sums = [0, 0, 0, 0]
  for (let y = top; y < bottom; y += 1) {
    for (let at = (y * width + left) * CHANNELS; at < (y * width + right) * CHANNELS; at += 1) {
      sums[at % CHANNELS] = (sums[at % CHANNELS] ?? 0) + (pixels[at] ?? 0)
    }
  }
  const count = (right - left) * (bottom - top)
  return sums.map((sum) => Math.round(sum / count))
}
