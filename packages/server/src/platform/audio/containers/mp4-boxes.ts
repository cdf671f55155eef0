/** Boxes of MP4 and QuickTime. Source: ISO/IEC 14496-12, section 4.2. */
import { type Effort, RefusedAudioError } from '../audio-length.ts'

export interface Box {
  readonly type: string
  /** Where it begins in the bytes that hold it. */
  readonly at: number
  readonly content: Buffer
}

/** The boxes within some bytes, as far as they can be read. */
export function* boxesIn(bytes: Buffer, effort: Effort): Generator<Box> {
  for (let at = 0; at + 8 <= bytes.length;) {
    effort.spend(1)
    const short = bytes.readUInt32BE(at)
    const isLong = short === 1 && at + 16 <= bytes.length
    const head = isLong ? 16 : 8
    const said = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short
    const end = said === 0 ? bytes.length : at + said
    if (end < at + head) return
    yield { type: bytes.toString('latin1', at + 4, at + 8), at, content: bytes.subarray(at + head, end) }
    at = end
  }
}

/** Children of a box, by type. */
export type Children = ReadonlyMap<string, readonly Buffer[]>

/** The boxes within a box. */
export function childrenOf(content: Buffer, effort: Effort): Children {
  const children = new Map<string, Buffer[]>()
  for (const { type, content: child } of boxesIn(content, effort)) {
    const known = children.get(type)
    if (known === undefined) children.set(type, [child])
    else known.push(child)
  }
  return children
}

/**
 * The one box of a type; null where there is none.
 *
 * @throws {RefusedAudioError} when there are two: one reader takes the first, another one the last.
 */
export function onlyBox(children: Children, type: string): Buffer | null {
  const found = children.get(type) ?? []
  if (found.length > 1) throw new RefusedAudioError(`A track of it has two boxes '${type}'.`)
  return found[0] ?? null
}

/** A number of 32 bits; 0 beyond the end. */
export function u32(bytes: Buffer, at: number): number {
  return at >= 0 && at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0
}

/** A number of 64 bits as a float; 0 beyond the end. */
export function u64(bytes: Buffer, at: number): number {
  return u32(bytes, at) * 2 ** 32 + u32(bytes, at + 4)
}
