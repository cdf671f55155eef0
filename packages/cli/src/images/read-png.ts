/** Reads PNG images. Source: PNG specification, third edition (W3C). */
import { inflateSync } from 'node:zlib'
import { type Bitmap, CHANNELS } from './bitmap.ts'

const SIGNATURE = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1')
/** A bound of memory: far above what models make. */
const PIXELS_MAX = 64 * 1_024 * 1_024
/** Samples of a pixel by colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const PALETTE = 3

interface Header {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colour: number
  readonly samples: number
}

interface Parts {
  readonly header: Header
  readonly palette: Buffer
  /** Opacity of the palette's entries, as far as it goes. */
  readonly opacity: Buffer
  readonly data: Buffer
}

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)
}

/** @returns null for what is damaged, interlaced or too large: then the name of its file has to do. */
export function readPng(bytes: Buffer): Bitmap | null {
  try {
    const parts = isPng(bytes) ? partsOf(bytes) : null
    if (parts === null) return null
    const { header } = parts
    const lineBytes = Math.ceil((header.width * header.samples * header.depth) / 8)
    const size = (lineBytes + 1) * header.height
    const lines = inflateSync(parts.data, { maxOutputLength: size })
    if (lines.length !== size) return null
    unfilter(lines, lineBytes, Math.max(1, (header.samples * header.depth) / 8))
    return { width: header.width, height: header.height, pixels: coloured(parts, lines, lineBytes) }
  } catch {
    return null
  }
}

function partsOf(bytes: Buffer): Parts | null {
  let header: Header | null = null
  let [palette, opacity]: Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)]
  const data: Buffer[] = []
  for (let at = SIGNATURE.length; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const kind = bytes.toString('latin1', at + 4, at + 8)
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (kind === 'IHDR') header = headerOf(content)
    else if (kind === 'PLTE') palette = content
    else if (kind === 'tRNS') opacity = content
    else if (kind === 'IDAT') data.push(content)
    at += length + 12
  }
  if (header === null || palette === undefined || opacity === undefined) return null
  return { header, palette, opacity, data: Buffer.concat(data) }
}

function headerOf(content: Buffer): Header | null {
  const [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)]
  const [depth = 0, colour = 0, , , interlace] = content.subarray(8)
  const samples = SAMPLES[colour]
  const isSmall = width > 0 && height > 0 && width * height <= PIXELS_MAX
  if (samples === undefined || !isSmall || interlace !== 0 || ![1, 2, 4, 8, 16].includes(depth)) return null
  return { width, height, depth, colour, samples }
}

/** Each line was written as differences from its neighbours; this puts them back in place. */
function unfilter(lines: Buffer, lineBytes: number, pixelBytes: number): void {
  for (let start = 0; start < lines.length; start += lineBytes + 1) {
    const filter = lines[start] ?? 0
    for (let at = start + 1; at <= start + lineBytes; at += 1) {
      const isFirst = at - start <= pixelBytes
      const left = isFirst ? 0 : (lines[at - pixelBytes] ?? 0)
      const above = start === 0 ? 0 : (lines[at - lineBytes - 1] ?? 0)
      const corner = isFirst || start === 0 ? 0 : (lines[at - lineBytes - 1 - pixelBytes] ?? 0)
      lines[at] = (lines[at] ?? 0) + predicted(filter, left, above, corner)
    }
  }
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  return filter === 4 ? paeth(left, above, corner) : 0
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [byLeft, byAbove, byCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
  if (byLeft <= byAbove && byLeft <= byCorner) return left
  return byAbove <= byCorner ? above : corner
}

function coloured({ header, palette, opacity }: Parts, lines: Buffer, lineBytes: number): Uint8Array {
  const { width, height, depth, colour, samples } = header
  const pixels = new Uint8Array(width * height * CHANNELS)
  const scale = colour === PALETTE ? 1 : 255 / (2 ** Math.min(depth, 8) - 1)
  const isGrey = samples < 3
  for (let y = 0; y < height; y += 1) {
    const line = lines.subarray(y * (lineBytes + 1) + 1, (y + 1) * (lineBytes + 1))
    for (let x = 0; x < width; x += 1) {
      const sample = (index: number): number => Math.round(sampleAt(line, depth, x * samples + index) * scale)
      const at = (y * width + x) * CHANNELS
      if (colour === PALETTE) {
        const entry = sample(0)
        pixels.set(palette.subarray(entry * 3, entry * 3 + 3), at)
        pixels[at + 3] = opacity[entry] ?? 255
      } else {
        pixels.set(isGrey ? [sample(0), sample(0), sample(0)] : [sample(0), sample(1), sample(2)], at)
        pixels[at + 3] = samples % 2 === 0 ? sample(samples - 1) : 255
      }
    }
  }
  return pixels
}

/** Of 16 bits the upper eight. */
function sampleAt(line: Buffer, depth: number, index: number): number {
  if (depth === 16) return line[index * 2] ?? 0
  if (depth === 8) return line[index] ?? 0
  const bit = index * depth
  return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit % 8))) & (2 ** depth - 1)
}
