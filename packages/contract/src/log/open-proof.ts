import { parseCheckpoint, type Checkpoint } from './checkpoint.ts'
import { parseNote, type SignedNote } from './signed-note.ts'
import { parseTlogProof, type TlogProof } from './tlog-proof.ts'

/** A proof with what it holds, taken apart. Nothing of it was checked. */
export interface OpenProof extends TlogProof {
  readonly note: SignedNote
  readonly head: Checkpoint
}

/** Takes the proof of a receipt apart. @returns null for what is none. */
export function openProof(text: string): OpenProof | null {
  const proof = parseTlogProof(text)
  const note = proof === null ? null : parseNote(proof.checkpoint)
  const head = note === null ? null : parseCheckpoint(note.text)
  return proof === null || note === null || head === null ? null : { ...proof, note, head }
}
