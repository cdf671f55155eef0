/** What a log says of itself at a moment: its size and its root. Source: c2sp.org/tlog-checkpoint. */
import { base64Of, parseBase64 } from './bytes.ts'
import { HASH_BYTES } from './merkle-tree.ts'
import type { TreeHead } from './merkle-proof.ts'

/** A checkpoint without its signatures. */
export interface Checkpoint extends TreeHead {
  /** Names the log. */
  readonly origin: string
}

/** The text that is signed. It ends in a line break. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${base64Of(root)}\n`
}

const SIZE = /^(?:0|[1-9]\d{0,15})$/

/** Reads the text of a checkpoint. What follows its three lines is left alone. @returns null for what is none. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', encoded = '', ...more] = text.split('\n')
  const root = parseBase64(encoded)
  if (origin === '' || !SIZE.test(size) || root?.length !== HASH_BYTES || more.at(-1) !== '') return null
  return { origin, size: Number(size), root }
}
