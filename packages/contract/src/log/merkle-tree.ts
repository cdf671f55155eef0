/** The Merkle tree of RFC 6962, section 2.1: how leaves become one root, and how a tree grows. */
import type { Sha256 } from './log-crypto.ts'

/** Bytes of a hash. */
export const HASH_BYTES = 32

const LEAF = 0
const NODE = 1

/** The hash of a leaf: SHA-256(0x00 ‖ data). */
export function hashLeaf(sha256: Sha256, data: Uint8Array): Uint8Array {
  const input = new Uint8Array(1 + data.length)
  input[0] = LEAF
  input.set(data, 1)
  return sha256(input)
}

/** What two subtrees are hashed from, anew for each pair: memory of its own would cost more than the hash. */
const NODE_INPUT = new Uint8Array(1 + 2 * HASH_BYTES)

/** The hash of two subtrees: SHA-256(0x01 ‖ left ‖ right). */
export function hashNode(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  NODE_INPUT[0] = NODE
  NODE_INPUT.set(left, 1)
  NODE_INPUT.set(right, 1 + HASH_BYTES)
  return sha256(NODE_INPUT)
}

/**
 * A tree, as far as it is needed to grow: the roots of the complete subtrees that it consists of, the largest first.
 * There is one for each bit that is set in the size.
 */
export interface TreeEdge {
  readonly size: number
  readonly roots: readonly Uint8Array[]
}

/** A tree without leaves. */
export const EMPTY_EDGE: TreeEdge = { size: 0, roots: [] }

/** A complete subtree that has come to be: 2^height leaves, the `index`-th of that height. */
export interface CompletedNode {
  readonly height: number
  readonly index: number
  readonly hash: Uint8Array
}

/**
 * Adds leaves at the end.
 *
 * @param onNode called for each subtree of two leaves or more that is complete now, in the order in which they are.
 */
export function growTree(
  sha256: Sha256,
  edge: TreeEdge,
  leafHashes: readonly Uint8Array[],
  onNode: (node: CompletedNode) => void = () => undefined,
): TreeEdge {
  const roots = [...edge.roots]
  let { size } = edge
  for (const leafHash of leafHashes) {
    let hash = leafHash
    let index = size
    for (let height = 1; index % 2 === 1; height++) {
      hash = hashNode(sha256, roots.pop() as Uint8Array, hash)
      index = (index - 1) / 2
      onNode({ height, index, hash })
    }
    roots.push(hash)
    size++
  }
  return { size, roots }
}

/** The root hash; that of no leaves is SHA-256 of nothing. */
export function rootOf(sha256: Sha256, { roots }: TreeEdge): Uint8Array {
  const last = roots.at(-1)
  if (last === undefined) return sha256(new Uint8Array())
  return roots.slice(0, -1).reduceRight((right, left) => hashNode(sha256, left, right), last)
}
