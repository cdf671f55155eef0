/** What a log says of itself at a moment: its size and its root. Source: c2sp.org/tlog-checkpoint. */
import { base64Of, parseBase64 } from './bytes.ts'
import type { LogCrypto } from './log-crypto.ts'
import { HASH_BYTES } from './merkle-tree.ts'
import type { TreeHead } from './merkle-proof.ts'
import { parseNote, signersOf, type VerifierKey } from './signed-note.ts'

/** A checkpoint without its signatures. */
export interface Checkpoint extends TreeHead {
  /** Names the log. */
  readonly origin: string
  /** Lines after the root: what the log states beside its size, and repeats in each checkpoint. */
  readonly extensions: readonly string[]
}

/** The text that is signed. It ends in a line break. */
export function formatCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  return [origin, size, base64Of(root), ...extensions].map((line) => `${line}\n`).join('')
}

const SIZE = /^(?:0|[1-9]\d{0,15})$/

/** Reads the text of a checkpoint. @returns null for what is none. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', encoded = '', ...more] = text.split('\n')
  const root = parseBase64(encoded)
  const extensions = more.slice(0, -1)
  if (origin === '' || !SIZE.test(size) || root?.length !== HASH_BYTES || more.at(-1) !== '') return null
  if (!Number.isSafeInteger(Number(size)) || extensions.includes('')) return null
  return { origin, size: Number(size), root, extensions }
}

/** A checkpoint with its note, its signature checked. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: string
}

/** Reads a note and checks it. @returns null where it is none, or none of the keys has signed it in its own name. */
export function openCheckpoint(crypto: LogCrypto, note: string, keys: readonly VerifierKey[]): SignedCheckpoint | null {
  const signed = parseNote(note)
  const head = signed === null ? null : parseCheckpoint(signed.text)
  if (signed === null || head === null) return null
  const own = keys.filter(({ name }) => name === head.origin)
  return signersOf(crypto, signed, own).length === 0 ? null : { ...head, note }
}
