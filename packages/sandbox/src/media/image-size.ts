import { invalid } from './media-body.ts'

export interface PixelSize {
  readonly width: number
  readonly height: number
}

/** Longest side of the tiers that upstreams name. Source: the OpenRouter API reference, "Create images". */
const tiers = new Map([
  ['512', 512],
  ['1k', 1_024],
  ['1.5k', 1_536],
  ['2k', 2_048],
  ['4k', 4_096],
])
const SIDE_MIN = 64
const SIDE_MAX = 4_096

/**
 * The size of an image.
 * @param size `1024x1536`, a tier such as `2K`, `auto`, or null.
 * @param resolution a tier.
 * @param aspectRatio such as `16:9`, or `auto`.
 * @throws {SandboxError} 400 for what is none of these, or beyond 64 to 4,096 pixels a side.
 */
export function imageSize(size: string | null, resolution: string | null, aspectRatio: string | null): PixelSize {
  const [, wide, high] = /^(\d{1,5})x(\d{1,5})$/.exec(size ?? '') ?? []
  if (wide !== undefined && high !== undefined) return bounded({ width: Number(wide), height: Number(high) })
  const named = [size, resolution].find((text) => text !== null && text !== 'auto') ?? '1K'
  const side = tiers.get(named.toLowerCase())
  if (side === undefined) throw invalid(`size: ${named.slice(0, 40)} is no size`)
  const [, across = '1', down = '1'] = /^(\d{1,2}):(\d{1,2})$/.exec(aspectRatio ?? '1:1') ?? []
  const ratio = Number(across) / Number(down)
  if (!(ratio > 0 && Number.isFinite(ratio))) throw invalid('aspect_ratio: expected two numbers')
  const width = ratio >= 1 ? side : side * ratio
  return bounded({ width: Math.round(width), height: Math.round(width / ratio) })
}

function bounded(size: PixelSize): PixelSize {
  const isIn = [size.width, size.height].every((side) => side >= SIDE_MIN && side <= SIDE_MAX)
  if (!isIn) throw invalid(`size: each side has ${SIDE_MIN} to ${SIDE_MAX} pixels`)
  return size
}
