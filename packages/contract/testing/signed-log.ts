/** A log as its operator has it, made of the real parts: keys of known bytes, leaves, tiles, and signed checkpoints. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { bytesOfText } from '../src/log/bytes.ts'
import { formatCheckpoint } from '../src/log/checkpoint.ts'
import { EMPTY_EDGE, growTree, rootOf, type TreeEdge } from '../src/log/merkle-tree.ts'
import { nodeCrypto } from '../src/log/node-crypto.ts'
import { formatNote, type VerifierKey, verifierKeyOf } from '../src/log/signed-note.ts'
import { TILE_HEIGHT, TILE_WIDTH, type Tile } from '../src/log/tiles.ts'

const { sha256 } = nodeCrypto

/** What precedes the 32 bytes of a private key in PKCS #8. Source: RFC 8410, section 7. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const KEY_BYTES = 32

/** The private key whose bytes are all the same. */
function privateKeyOf(byte: number): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, Buffer.alloc(KEY_BYTES, byte)]),
    ...{ format: 'der', type: 'pkcs8' },
  })
}

/** Its public half, in the name of a log. */
export function testKey(name: string, byte = 1): VerifierKey {
  const { x = '' } = createPublicKey(privateKeyOf(byte)).export({ format: 'jwk' })
  return verifierKeyOf(sha256, name, new Uint8Array(Buffer.from(x, 'base64url')))
}

/** Signs a text in the name of a log. */
export function signTestNote(name: string, text: string, bytes: readonly number[] = [1]): string {
  const signatures = bytes.map((byte) => ({
    ...testKey(name, byte),
    signature: new Uint8Array(sign(null, bytesOfText(text), privateKeyOf(byte))),
  }))
  return formatNote({ text, signatures })
}

/** Signs the checkpoint of a tree. */
export function signTestCheckpoint(
  origin: string,
  edge: TreeEdge,
  {
    bytes = [1],
    extensions = [],
  }: { readonly bytes?: readonly number[]; readonly extensions?: readonly string[] } = {},
): string {
  const head = { origin, size: edge.size, root: rootOf(sha256, edge), extensions }
  return signTestNote(origin, formatCheckpoint(head), bytes)
}

/** A tree with its tiles: leaves as they come, and each full tile's root one level above. */
export function tilesOfLeaves(leaves: readonly Uint8Array[]) {
  const levels: Uint8Array[][] = [[...leaves]]
  const edge = growTree(sha256, EMPTY_EDGE, leaves, ({ height, hash }) => {
    if (height % TILE_HEIGHT === 0) (levels[height / TILE_HEIGHT] ??= []).push(hash)
  })
  const readTile = ({ level, index, width }: Tile): Promise<Uint8Array> => {
    const from = index * TILE_WIDTH
    return Promise.resolve(new Uint8Array(Buffer.concat((levels[level] ?? []).slice(from, from + width))))
  }
  return { edge, readTile }
}
