/** A proof that can be checked offline: a leaf's index, the way to the root, and the checkpoint. Source: c2sp.org/tlog-proof. */
import { base64Of, parseBase64 } from './bytes.ts'
import { HASH_BYTES } from './merkle-tree.ts'

const FIRST_LINE = 'c2sp.org/tlog-proof@v1'

export interface TlogProof {
  readonly index: number
  /** From the leaf's sibling on. */
  readonly hashes: readonly Uint8Array[]
  /** The signed note of the checkpoint, as it was published. */
  readonly checkpoint: string
}

/** Writes a proof. */
export function formatTlogProof({ index, hashes, checkpoint }: TlogProof): string {
  return `${[FIRST_LINE, `index ${index}`, ...hashes.map(base64Of)].join('\n')}\n\n${checkpoint}`
}

const INDEX_LINE = /^index (0|[1-9]\d{0,15})$/
/** A tree of 2^53 leaves has no longer way. */
const HASHES_MAX = 64

/** Reads a proof. An extra line is left alone. @returns null for what is none. */
export function parseTlogProof(text: string): TlogProof | null {
  const end = text.indexOf('\n\n')
  if (end === -1) return null
  const [first, ...rest] = text.slice(0, end).split('\n')
  const [indexLine = '', ...encoded] = rest[0]?.startsWith('extra ') === true ? rest.slice(1) : rest
  const index = INDEX_LINE.exec(indexLine)?.[1]
  if (first !== FIRST_LINE || index === undefined || encoded.length > HASHES_MAX) return null
  const hashes = encoded.map(parseBase64).filter((hash) => hash?.length === HASH_BYTES) as Uint8Array[]
  if (hashes.length !== encoded.length) return null
  return { index: Number(index), hashes, checkpoint: text.slice(end + 2) }
}
