/**
 * Proofs about trees: that a leaf is in one, and that one extends another. Source: RFC 6962, sections 2.1.1 and 2.1.2;
 * checking as in RFC 9162, sections 2.1.3.2 and 2.1.4.2.
 */
import { sameBytes } from './bytes.ts'
import type { Sha256 } from './log-crypto.ts'
import { hashNode } from './merkle-tree.ts'

/** Reads the root of a complete subtree: 2^height leaves, the `index`-th of that height. */
export type ReadNode = (height: number, index: number) => Promise<Uint8Array>

/** Where hashes come from when a proof is made. */
export interface NodeSource {
  readonly sha256: Sha256
  readonly readNode: ReadNode
}

/**
 * The hashes that lead from a leaf to the root, its sibling first.
 *
 * @param index below `size`.
 */
export async function proveInclusion(source: NodeSource, index: number, size: number): Promise<Uint8Array[]> {
  const proof: Uint8Array[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + largestPowerBelow(end - start)
    if (index < middle) {
      proof.push(await hashRange(source, middle, end))
      end = middle
    } else {
      proof.push(await hashRange(source, start, middle))
      start = middle
    }
  }
  return proof.reverse()
}

/**
 * The hashes that show that the tree of `size` leaves begins with that of `before` leaves.
 *
 * @param before at most `size`. Nothing is to be shown of an empty tree, and of the same one.
 */
export async function proveConsistency(source: NodeSource, before: number, size: number): Promise<Uint8Array[]> {
  if (before === 0 || before === size) return []
  const proof: Uint8Array[] = []
  let [start, end] = [0, size]
  while (end !== before) {
    const middle = start + largestPowerBelow(end - start)
    if (before <= middle) {
      proof.push(await hashRange(source, middle, end))
      end = middle
    } else {
      proof.push(await hashRange(source, start, middle))
      start = middle
    }
  }
  // What both trees have whole is known to who knows the first.
  if (start > 0) proof.push(await hashRange(source, start, end))
  return proof.reverse()
}

/** The root of a tree, put together from the subtrees that it consists of. */
export function readRoot(source: NodeSource, size: number): Promise<Uint8Array> {
  return size === 0 ? Promise.resolve(source.sha256(new Uint8Array())) : hashRange(source, 0, size)
}

async function hashRange(source: NodeSource, start: number, end: number): Promise<Uint8Array> {
  const size = end - start
  const left = largestPowerBelow(size)
  if (size === 1) return source.readNode(0, start)
  if (left * 2 === size) return source.readNode(Math.log2(size), start / size)
  const middle = start + left
  return hashNode(source.sha256, await hashRange(source, start, middle), await hashRange(source, middle, end))
}

/** The largest power of two that is smaller than a size above 1. */
function largestPowerBelow(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

/** A proof that a leaf is in a tree. */
export interface InclusionProof {
  readonly index: number
  readonly size: number
  readonly hashes: readonly Uint8Array[]
}

/** The root to which a proof leads from a leaf; null where it is no proof of that index and size. */
export function rootByInclusion(
  sha256: Sha256,
  leafHash: Uint8Array,
  { index, size, hashes }: InclusionProof,
): Uint8Array | null {
  if (index >= size) return null
  let [first, last] = [index, size - 1]
  let root = leafHash
  for (const hash of hashes) {
    if (last === 0) return null
    if (first % 2 === 1 || first === last) {
      root = hashNode(sha256, hash, root)
      while (first % 2 === 0 && first !== 0) [first, last] = [half(first), half(last)]
    } else root = hashNode(sha256, root, hash)
    ;[first, last] = [half(first), half(last)]
  }
  return last === 0 ? root : null
}

/** A tree by its size and root. */
export interface TreeHead {
  readonly size: number
  readonly root: Uint8Array
}

/** Whether a proof shows that `after` begins with all that `before` has, in the same order. */
export function isConsistent(
  sha256: Sha256,
  { before, after }: { readonly before: TreeHead; readonly after: TreeHead },
  proof: readonly Uint8Array[],
): boolean {
  if (before.size > after.size) return false
  if (before.size === after.size) return proof.length === 0 && sameBytes(before.root, after.root)
  if (before.size === 0) return proof.length === 0 && sameBytes(before.root, sha256(new Uint8Array()))
  const path = isPowerOfTwo(before.size) ? [before.root, ...proof] : proof
  const [seed, ...rest] = path
  if (seed === undefined) return false
  let [first, last] = [before.size - 1, after.size - 1]
  while (first % 2 === 1) [first, last] = [half(first), half(last)]
  let [old, present] = [seed, seed]
  for (const hash of rest) {
    if (last === 0) return false
    if (first % 2 === 1 || first === last) {
      old = hashNode(sha256, hash, old)
      present = hashNode(sha256, hash, present)
      while (first % 2 === 0 && first !== 0) [first, last] = [half(first), half(last)]
    } else present = hashNode(sha256, present, hash)
    ;[first, last] = [half(first), half(last)]
  }
  return last === 0 && sameBytes(old, before.root) && sameBytes(present, after.root)
}

/** Half, rounded down. Sizes are beyond what bit operations take. */
function half(value: number): number {
  return Math.floor(value / 2)
}

function isPowerOfTwo(size: number): boolean {
  let rest = size
  while (rest % 2 === 0) rest /= 2
  return rest === 1
}
