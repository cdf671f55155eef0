/** Texts with Ed25519 signatures. Source: c2sp.org/signed-note. */
import { base64Of, bytesOfText, hexOf, joinBytes, parseBase64, sameBytes } from './bytes.ts'
import type { LogCrypto, Sha256 } from './log-crypto.ts'

/** Marks a key as one for Ed25519 signatures over the text. */
const ED25519 = 1
const KEY_BYTES = 32
const KEY_ID_BYTES = 4
/** Longer ones are refused before they are looked at. */
const NOTE_LENGTH_MAX = 65_536
const SIGNATURES_MAX = 64

/** A key that signatures are checked with. */
export interface VerifierKey {
  /** Whose key it is; no spaces and no plus sign. */
  readonly name: string
  /** 4 bytes. */
  readonly keyId: Uint8Array
  /** 32 bytes. */
  readonly publicKey: Uint8Array
}

/** A text and the signatures below it, none of which was checked. */
export interface SignedNote {
  /** Ends in a line break. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export interface NoteSignature {
  readonly name: string
  readonly keyId: Uint8Array
  readonly signature: Uint8Array
}

/** The key of a name: SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key), its first four bytes, names it. */
export function verifierKeyOf(sha256: Sha256, name: string, publicKey: Uint8Array): VerifierKey {
  const hash = sha256(joinBytes(bytesOfText(`${name}\n`), Uint8Array.of(ED25519), publicKey))
  return { name, keyId: hash.slice(0, KEY_ID_BYTES), publicKey }
}

/** A key as people pass it on: `name+key id+base64(0x01 ‖ public key)`. */
export function formatVerifierKey({ name, keyId, publicKey }: VerifierKey): string {
  return `${name}+${hexOf(keyId)}+${base64Of(joinBytes(Uint8Array.of(ED25519), publicKey))}`
}

const KEY_NAME = /^[^\s+]{1,255}$/u

/** Reads a key. @returns null for what is none, and where its id is not that of its key. */
export function parseVerifierKey(sha256: Sha256, text: string): VerifierKey | null {
  const [name = '', keyId, ...rest] = text.trim().split('+')
  // Base64 may have plus signs of its own.
  const bytes = parseBase64(rest.join('+'))
  if (!KEY_NAME.test(name) || bytes?.length !== 1 + KEY_BYTES || bytes[0] !== ED25519) return null
  const key = verifierKeyOf(sha256, name, bytes.slice(1))
  return hexOf(key.keyId) === keyId ? key : null
}

/** Puts signatures below a text, in order. @param text ends in a line break. */
export function formatNote({ text, signatures }: SignedNote): string {
  const lines = signatures.map(({ name, keyId, signature }) => `— ${name} ${base64Of(joinBytes(keyId, signature))}\n`)
  return `${text}\n${lines.join('')}`
}

/** Takes a note apart. @returns null for what is none. */
export function parseNote(note: string): SignedNote | null {
  if (note.length > NOTE_LENGTH_MAX || hasControls(note)) return null
  const end = note.lastIndexOf('\n\n')
  if (end === -1 || !note.endsWith('\n')) return null
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > SIGNATURES_MAX) return null
  const signatures = lines.map(parseSignature)
  return signatures.includes(null) ? null : { text: note.slice(0, end + 1), signatures: signatures as NoteSignature[] }
}

function hasControls(text: string): boolean {
  for (const character of text) if (character < ' ' && character !== '\n') return true
  return false
}

function parseSignature(line: string): NoteSignature | null {
  const [dash, name = '', encoded = '', ...rest] = line.split(' ')
  const bytes = parseBase64(encoded)
  if (dash !== '—' || rest.length > 0 || !KEY_NAME.test(name) || bytes === null) return null
  if (bytes.length <= KEY_ID_BYTES) return null
  return { name, keyId: bytes.slice(0, KEY_ID_BYTES), signature: bytes.slice(KEY_ID_BYTES) }
}

/**
 * Finds the keys that have signed a note. Signatures of other keys are left alone; a wrong one of a key that is asked
 * for makes the whole note worthless.
 *
 * @returns none where a signature does not hold.
 */
export function signersOf(crypto: LogCrypto, note: SignedNote, keys: readonly VerifierKey[]): readonly VerifierKey[] {
  const message = bytesOfText(note.text)
  const signers: VerifierKey[] = []
  for (const { name, keyId, signature } of note.signatures) {
    const key = keys.find((known) => known.name === name && sameBytes(known.keyId, keyId))
    if (key === undefined) continue
    if (!crypto.verifyEd25519({ publicKey: key.publicKey, signature, message })) return []
    signers.push(key)
  }
  return signers
}
