import { describe, expect, test } from 'vitest'
import { tilesOfLeaves } from '../../testing/signed-log.ts'
import { hexOf } from './bytes.ts'
import { isConsistent, proveConsistency, proveInclusion, readRoot, rootByInclusion } from './merkle-proof.ts'
import { EMPTY_EDGE, growTree, hashLeaf, rootOf } from './merkle-tree.ts'
import { nodeCrypto } from './node-crypto.ts'
import { nodesOfTiles, parseTilePath, tilePath, tileWidth } from './tiles.ts'

const { sha256 } = nodeCrypto
const leafOf = (index: number): Uint8Array => hashLeaf(sha256, Uint8Array.of(index % 256, Math.floor(index / 256)))

function tilesOf(size: number) {
  const leaves = Array.from({ length: size }, (_value, index) => leafOf(index))
  const { edge, readTile } = tilesOfLeaves(leaves)
  return { edge, leaves, source: { sha256, readNode: nodesOfTiles(sha256, size, readTile) } }
}

/** Source: the reference tests of RFC 6962. */
const KNOWN_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const KNOWN_ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

test('the roots are those of RFC 6962', () => {
  const hashes = KNOWN_LEAVES.map((hex) => hashLeaf(sha256, Buffer.from(hex, 'hex')))
  const roots = KNOWN_ROOTS.map((_root, size) =>
    hexOf(rootOf(sha256, growTree(sha256, EMPTY_EDGE, hashes.slice(0, size)))),
  )
  expect(roots).toEqual(KNOWN_ROOTS)
})

test('a tree grows alike leaf by leaf and all at once', () => {
  const { leaves, edge } = tilesOf(300)
  let grown = EMPTY_EDGE
  for (const leaf of leaves) grown = growTree(sha256, grown, [leaf])
  expect(grown).toEqual(edge)
})

describe.each([1, 2, 3, 7, 8, 255, 256, 257, 700, 70_000])('a tree of %i leaves', (size) => {
  const { edge, leaves, source } = tilesOf(size)
  const root = rootOf(sha256, edge)
  const some = [...new Set([0, 1, 2, 6, 200, 255, 256, 511, size - 2, size - 1])].filter((at) => at >= 0 && at < size)

  test('has the root that its tiles have', async () => {
    expect(hexOf(await readRoot(source, size))).toBe(hexOf(root))
  })

  test('proves each leaf, and no other in its place', async () => {
    for (const index of some) {
      const hashes = await proveInclusion(source, index, size)
      expect(rootByInclusion(sha256, leaves[index]!, { index, size, hashes })).toEqual(root)
      expect(rootByInclusion(sha256, leafOf(size + 5), { index, size, hashes })).not.toEqual(root)
      expect(rootByInclusion(sha256, leaves[index]!, { index: index + 1, size, hashes })).not.toEqual(root)
      expect(rootByInclusion(sha256, leaves[index]!, { index, size, hashes: [...hashes, root] })).toBeNull()
    }
  })

  test('extends each smaller one, and no other', async () => {
    const headOf = (hashes: readonly Uint8Array[]) => ({
      size: hashes.length,
      root: rootOf(sha256, growTree(sha256, EMPTY_EDGE, hashes)),
    })
    const after = { size, root }
    for (const before of some.map((index) => index + 1)) {
      const proof = await proveConsistency(source, before, size)
      const smaller = headOf(leaves.slice(0, before))
      const forged = headOf(leaves.slice(0, before).with(-1, leafOf(size + 9)))
      expect(isConsistent(sha256, { before: smaller, after }, proof)).toBe(true)
      expect(isConsistent(sha256, { before: forged, after }, proof)).toBe(false)
      expect(isConsistent(sha256, { before: smaller, after: { size, root: leafOf(1) } }, proof)).toBe(false)
      expect(isConsistent(sha256, { before: smaller, after }, [...proof, root])).toBe(false)
    }
    expect(isConsistent(sha256, { before: headOf([]), after }, [])).toBe(true)
    expect(isConsistent(sha256, { before: { size: 0, root }, after }, [])).toBe(false)
  })
})

test('a smaller tree never extends a larger one', () => {
  const head = (size: number) => ({ size, root: leafOf(size) })
  expect(isConsistent(sha256, { before: head(5), after: head(4) }, [])).toBe(false)
})

test.each([
  [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
  [{ level: 0, index: 273, width: 112 }, 'tile/0/273.p/112'],
  [{ level: 2, index: 1_234_067, width: 1 }, 'tile/2/x001/x234/067.p/1'],
  [{ level: 63, index: 999_999, width: 256 }, 'tile/63/x999/999'],
])('the tile %o is at %s', (tile, path) => {
  expect(tilePath(tile)).toBe(path)
  expect(parseTilePath(path)).toEqual(tile)
})

test.each([
  'tile',
  'tile/0',
  'tile/0/0',
  'tile/00/000',
  'tile/64/000',
  'tile/-1/000',
  'tile/0/001/000',
  'tile/0/x000/001',
  'tile/0/000.p/0',
  'tile/0/000.p/256',
  'tile/0/000.p/01',
  'tile/0/000.p/',
  'tile/0/000.p/1.p/1',
  'tile/entries/000',
  'tile/0/x999/x999/x999/x999/x999/999',
  'xtile/0/000',
])('%s is no tile', (path) => {
  expect(parseTilePath(path)).toBeNull()
})

test('a tree of 70,000 has the tiles that the specification names', () => {
  expect([272, 273, 274].map((index) => tileWidth(0, index, 70_000))).toEqual([256, 112, 0])
  expect([0, 1, 2].map((index) => tileWidth(1, index, 70_000))).toEqual([256, 17, 0])
  expect([0, 1].map((index) => tileWidth(2, index, 70_000))).toEqual([1, 0])
})
