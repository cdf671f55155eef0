/** Compares the leaves of a batch with what was put down, sealed and published. */
import { sameBytes } from '@svc/contract/log/bytes'
import type { BatchLine as Line } from './batch-line.ts'
import { nameOf } from './entry-name.ts'
import { SEALED_BYTES, type SealedLeaf } from './seal.ts'

export interface Compared {
  readonly from: number
  readonly lines: readonly Line[]
  /** `archived` where the record is not here; null where a row is gone. */
  readonly leaves: readonly (Uint8Array | 'archived' | null)[]
  readonly stored: readonly Uint8Array[]
  readonly sealed: readonly SealedLeaf[] | null
}

/** What differs from what was put down, in words and in the order of the leaves. */
export function compareLeaves({ from, lines, leaves, stored, sealed }: Compared): readonly string[] {
  const found: Found[] = sealed === null ? [] : findMoved(lines, sealed, from)
  const hashOf = new Map(sealed?.map(({ entryJson, hash }) => [entryJson, hash]))
  lines.forEach(({ entry }, at) => {
    const leaf = leaves[at] ?? null
    const published = hashOf.get(JSON.stringify(entry))
    if (leaf === null || (sealed !== null && published === undefined)) return
    const name = `${nameOf(entry)}, leaf ${from + at},`
    if (leaf === 'archived') {
      const tile = stored[at]?.subarray(0, SEALED_BYTES) ?? new Uint8Array()
      const isKept = published === undefined || sameBytes(tile, published)
      if (!isKept) found.push({ at, breach: `the tile of ${name} was changed` })
      return
    }
    const isStored = sameBytes(leaf, stored[at] ?? new Uint8Array())
    if (published !== undefined && !sameBytes(leaf.subarray(0, SEALED_BYTES), published)) {
      found.push({ at, breach: `${name} was changed since it was put down` })
    } else if (!isStored) {
      const isKnown = published !== undefined
      found.push({ at, breach: isKnown ? `the tile of ${name} was changed` : `${name} was changed, or its tile was` })
    }
  })
  return found.toSorted((left, right) => left.at - right.at).map(({ breach }) => breach)
}

/** A breach at a place within a batch. */
interface Found {
  readonly at: number
  readonly breach: string
}

/** Entries that are not where they were put down, are not there any more, or were not put down there. */
function findMoved(lines: readonly Line[], sealed: readonly SealedLeaf[], from: number): Found[] {
  const here = lines.map(({ entry }) => JSON.stringify(entry))
  const there = sealed.map(({ entryJson }) => entryJson)
  const [isHere, isThere] = [new Set(here), new Set(there)]
  const removed = there.flatMap((name, at): Found[] =>
    isHere.has(name) ? [] : [{ at, breach: `${nameOf(JSON.parse(name) as string)}, leaf ${from + at}, was removed` }],
  )
  const added = here.flatMap((name, at): Found[] =>
    isThere.has(name) ? [] : [{ at, breach: `${nameOf(JSON.parse(name) as string)}, leaf ${from + at}, was added` }],
  )
  const kept = there.filter((name) => isHere.has(name))
  const moved = here
    .map((name, at) => ({ name, at }))
    .filter(({ name }) => isThere.has(name))
    .flatMap(({ name, at }, order): Found[] => {
      if (kept[order] === name) return []
      return [
        { at, breach: `${nameOf(JSON.parse(name) as string)} was put down as leaf ${from + there.indexOf(name)}` },
      ]
    })
  return [...removed, ...added, ...moved]
}
