/** A tree in tiles of 256 hashes. Source: c2sp.org/tlog-tiles. */
import type { Sha256 } from './log-crypto.ts'
import type { ReadNode } from './merkle-proof.ts'
import { hashNode, HASH_BYTES } from './merkle-tree.ts'

/** Levels of the tree in one tile. */
export const TILE_HEIGHT = 8
/** Hashes of a full tile. */
export const TILE_WIDTH = 256

/** Consecutive hashes of one height: `256^level` leaves each, from the `index × 256`-th on. */
export interface Tile {
  readonly level: number
  readonly index: number
  /** Hashes that it has; fewer than 256 at the right edge of a tree. */
  readonly width: number
}

/** The path of a tile below the address of a log: `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  const groups: string[] = []
  for (let rest = index; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1_000)) {
    groups.push(`${groups.length === 0 ? '' : 'x'}${String(rest % 1_000).padStart(3, '0')}`)
  }
  return `tile/${level}/${groups.reverse().join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

const LEVEL = /^(?:0|[1-9]\d?)$/
const INDEX = /^(?:x\d{3}\/){0,4}\d{3}$/
const PARTIAL_WIDTH = /^[1-9]\d{0,2}$/
const LEVEL_MAX = 63

/** Reads the path of a tile. @returns null for what is none, and for one that is written in another way. */
export function parseTilePath(path: string): Tile | null {
  const [head = '', tail] = splitOnce(path, '.p/')
  const [word, level = '', index = ''] = splitOnce(head, '/').flatMap((part, at) =>
    at === 0 ? [part] : splitOnce(part, '/'),
  )
  if (word !== 'tile' || !LEVEL.test(level) || Number(level) > LEVEL_MAX || !INDEX.test(index)) return null
  if (tail !== undefined && (!PARTIAL_WIDTH.test(tail) || Number(tail) >= TILE_WIDTH)) return null
  const tile = {
    level: Number(level),
    index: Number(index.replaceAll('x', '').replaceAll('/', '')),
    width: tail === undefined ? TILE_WIDTH : Number(tail),
  }
  return Number.isSafeInteger(tile.index) && tilePath(tile) === path ? tile : null
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)]
}

/** Hashes that a tile has in a tree of some size; 0 where it has none. */
export function tileWidth(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level)
  return Math.min(Math.max(hashes - index * TILE_WIDTH, 0), TILE_WIDTH)
}

/** Reads the hashes of a tile: `width` × 32 bytes. */
export type ReadTile = (tile: Tile) => Promise<Uint8Array>

/**
 * Reads nodes of a tree of some size from its tiles. Each tile is asked for once.
 *
 * @throws whatever `readTile` throws.
 */
export function nodesOfTiles(sha256: Sha256, size: number, readTile: ReadTile): ReadNode {
  const asked = new Map<string, Promise<Uint8Array>>()
  const tileAt = (level: number, index: number): Promise<Uint8Array> => {
    const tile = { level, index, width: tileWidth(level, index, size) }
    const path = tilePath(tile)
    const known = asked.get(path) ?? readTile(tile)
    asked.set(path, known)
    return known
  }
  return async (height, index) => {
    const level = Math.floor(height / TILE_HEIGHT)
    const count = 2 ** (height % TILE_HEIGHT)
    const first = index * count
    const hashes = await tileAt(level, Math.floor(first / TILE_WIDTH))
    return rootOfHashes(sha256, hashesOf(hashes, first % TILE_WIDTH, count))
  }
}

/** The root of a complete subtree over so many hashes, which are a power of two. */
function rootOfHashes(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes
  while (row.length > 1) {
    row = Array.from({ length: row.length / 2 }, (_value, at) =>
      hashNode(sha256, row[2 * at] as Uint8Array, row[2 * at + 1] as Uint8Array),
    )
  }
  return row[0] as Uint8Array
}

/** Some hashes of a tile. @throws {RangeError} when it has fewer. */
function hashesOf(tile: Uint8Array, first: number, count: number): readonly Uint8Array[] {
  if (tile.length < (first + count) * HASH_BYTES) throw new RangeError('a tile has fewer hashes than it should')
  return Array.from({ length: count }, (_value, at) =>
    tile.subarray((first + at) * HASH_BYTES, (first + at + 1) * HASH_BYTES),
  )
}
