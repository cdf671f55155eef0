/** Names of resolutions and the pixels that they mean. */
import { ownMember } from '@svc/contract'

/** Pixels of the shorter side. Source: common names; `1K`, `2K` and `4K` as the upstream's guide has them. */
const named: Readonly<Record<string, number>> = { '1k': 1_080, '2k': 1_440, '4k': 2_160 }

/** The shorter side of a resolution such as `720p` or `4K`, in pixels; null for an unknown name. */
function shorterSide(resolution: string): number | null {
  const lines = /^(\d{3,4})p?$/i.exec(resolution)?.[1]
  return lines === undefined ? (ownMember(named, resolution.toLowerCase()) ?? null) : Number(lines)
}

/**
 * The listed resolution that pixels belong to: the smallest that is no smaller.
 *
 * @returns null when there is none: then the dearest price is taken for it.
 */
export function resolutionOfPixels(size: string, resolutions: readonly string[]): string | null {
  const [width, height] = size.split('x').map(Number)
  if (width === undefined || height === undefined) return null
  const side = Math.min(width, height)
  const fitting = resolutions
    .map((name) => ({ name, side: shorterSide(name) }))
    .filter((entry): entry is { name: string; side: number } => entry.side !== null && entry.side >= side)
    .sort((left, right) => left.side - right.side)
  return fitting[0]?.name ?? null
}

const WIDE = [16, 9] as const

/** Width and height of a resolution, in even pixels; null for an unknown name. */
export function framePixels(resolution: string, aspectRatio: string | null): string | null {
  const side = shorterSide(resolution)
  const [across = WIDE[0], down = WIDE[1]] = aspectRatio?.split(':').map(Number) ?? WIDE
  if (side === null || across < 1 || down < 1) return null
  const longer = 2 * Math.round((side * Math.max(across, down)) / Math.min(across, down) / 2)
  return across >= down ? `${longer}x${side}` : `${side}x${longer}`
}
