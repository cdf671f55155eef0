/** How entries become leaves at the end of the log: pure, from what is there to what is to be written. */
import { joinBytes } from '@svc/contract/log/bytes'
import { SALT_BYTES } from '@svc/contract/log/ledger-leaf'
import { growTree, HASH_BYTES, type TreeEdge } from '@svc/contract/log/merkle-tree'
import { TILE_HEIGHT, TILE_WIDTH } from '@svc/contract/log/tiles'
import { type AccountLine, type EntryFacts, entryText, roomFor, sha256 } from './entry-facts.ts'
import { type SealKey, sealLeaves } from './seal.ts'

/** Where the log ends now. */
export interface LogEnd {
  readonly origin: string
  readonly edge: TreeEdge
  /** The hashes of each level's last tile that is not full, by level. */
  readonly partials: ReadonlyMap<number, Uint8Array>
  /** By account, as JSON text; absent for one without an entry. */
  readonly accounts: ReadonlyMap<string, AccountLine>
}

/** A tile as it is stored: all its hashes. */
export interface StoredTile {
  readonly level: number
  readonly index: number
  readonly hashes: Uint8Array
}

/** Leaves that are put down together. */
export interface LogBatch {
  readonly firstIndex: number
  readonly size: number
  readonly earliestAt: number
  readonly latestAt: number
  /** A line for each: mark and id as JSON, running number, balance. */
  readonly entries: string
  readonly salts: Uint8Array
  readonly seal: Uint8Array
}

/** What is to be written. */
export interface LogExtension {
  readonly edge: TreeEdge
  readonly tiles: readonly StoredTile[]
  readonly batch: LogBatch
  readonly accounts: ReadonlyMap<string, AccountLine>
}

/** Adds entries in their order. @param facts at least one. */
export function extendLog(end: LogEnd, facts: readonly EntryFacts[], sealKey: SealKey): LogExtension {
  const { origin, edge } = end
  const accounts = new Map<string, AccountLine>()
  const lines: string[] = []
  const hashes: Uint8Array[] = []
  let [earliestAt, latestAt] = [Number.MAX_SAFE_INTEGER, 0]
  for (const each of facts) {
    const before = accounts.get(each.accountJson) ?? end.accounts.get(each.accountJson) ?? { number: 0, posted: 0n }
    const line = { number: before.number + 1, posted: before.posted + each.amount }
    accounts.set(each.accountJson, line)
    hashes.push(leafHashOf(each, line))
    lines.push(`${each.entryJson} ${line.number} ${line.posted}`)
    earliestAt = Math.min(earliestAt, each.bookedAt)
    latestAt = Math.max(latestAt, each.bookedAt)
  }
  const place = { origin, firstIndex: edge.size }
  const salts = joinBytes(...facts.map((each) => each.salts))
  const batch = { firstIndex: edge.size, size: facts.length, earliestAt, latestAt, entries: lines.join('\n'), salts }
  const { grown, tiles } = growTiles(end, hashes)
  const sealed = facts.map(({ entryJson }, at) => ({ entryJson, hash: hashes[at] ?? new Uint8Array() }))
  return { edge: grown, tiles, batch: { ...batch, seal: sealLeaves(sealKey, place, sealed) }, accounts }
}

/** A byte before the data, as RFC 6962 has it. */
const PREFIX_BYTES = 1

/** The hash of a leaf. `hashLeaf` of `leafData` is the same; here nothing is copied. */
export function leafHashOf(facts: EntryFacts, line: AccountLine): Buffer {
  const text = entryText(facts, line)
  const from = PREFIX_BYTES + SALT_BYTES
  const data = roomFor(from, text)
  data[0] = 0
  data.set(facts.salts.subarray(0, SALT_BYTES), PREFIX_BYTES)
  return sha256(data.subarray(0, from + data.write(text, from, 'utf8')))
}

/** Grows the tree, and the tiles with it: each full tile's root goes into a tile of the level above. */
export function growTiles({ edge, partials }: Pick<LogEnd, 'edge' | 'partials'>, leaves: readonly Uint8Array[]) {
  const tiles: StoredTile[] = []
  const open = new Map<number, { index: number; hashes: Uint8Array[]; width: number }>()
  const add = (level: number, place: number, hash: Uint8Array): void => {
    let tile = open.get(level)
    if (tile === undefined) {
      const begun = partials.get(level)
      tile = {
        index: Math.floor(place / TILE_WIDTH),
        hashes: begun === undefined ? [] : [begun],
        width: place % TILE_WIDTH,
      }
      open.set(level, tile)
    }
    tile.hashes.push(hash)
    tile.width++
    if (tile.width < TILE_WIDTH) return
    tiles.push({ level, index: tile.index, hashes: joinBytes(...tile.hashes) })
    open.set(level, { index: tile.index + 1, hashes: [], width: 0 })
  }
  leaves.forEach((leaf, at) => add(0, edge.size + at, leaf))
  const grown = growTree(sha256, edge, leaves, ({ height, index, hash }) => {
    if (height % TILE_HEIGHT === 0) add(height / TILE_HEIGHT, index, hash)
  })
  for (const [level, { index, hashes, width }] of open) {
    if (width > 0) tiles.push({ level, index, hashes: joinBytes(...hashes) })
  }
  return { grown, tiles }
}

/** The tiles that are not full in a tree of some size: one at most for each level. */
export function partialTiles(size: number): readonly Omit<StoredTile, 'hashes'>[] {
  const tiles: Omit<StoredTile, 'hashes'>[] = []
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    if (hashes % TILE_WIDTH > 0) tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH) })
  }
  return tiles
}

/** The roots of a tree's edge as one piece, as the database has them. */
export function packRoots({ roots }: TreeEdge): Uint8Array {
  return joinBytes(...roots)
}

/** Whether a tree is the one of which the database has size and roots. */
export function isTreeOf(edge: TreeEdge, size: number, packed: Uint8Array): boolean {
  return edge.size === size && Buffer.compare(packRoots(edge), packed) === 0
}

/** @returns null where the roots are not those of a tree of that size. */
export function unpackRoots(size: number, packed: Uint8Array): TreeEdge | null {
  const count = packed.length / HASH_BYTES
  let bits = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2
  if (count !== bits) return null
  return {
    size,
    roots: Array.from({ length: count }, (_value, at) => packed.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  }
}
