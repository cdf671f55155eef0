/** The keys that sign checkpoints, as a file keeps them: a line each, in the form of Go's `note` package. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, type KeyObject, sign } from 'node:crypto'
import { base64Of, bytesOfText, hexOf, joinBytes, parseBase64 } from '@svc/contract/log/bytes'
import {
  formatNote,
  type NoteSignature,
  parseVerifierKey,
  type VerifierKey,
  verifierKeyOf,
} from '@svc/contract/log/signed-note'
import { sha256 } from './entry-facts.ts'
import type { SealKey } from './seal.ts'

/** A key that signs. */
export interface LogSigner {
  readonly key: VerifierKey
  readonly sign: (text: string) => Uint8Array
  readonly sealKey: SealKey
}

const PREFIX = 'PRIVATE+KEY+'
const ED25519 = 1
const SEED_BYTES = 32
/** What precedes the 32 bytes of a private key in PKCS #8. Source: RFC 8410, section 7. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const SEAL_PURPOSE = 'svc ledger log seal'

/** Makes a key of a name, as a line of the file. */
export function makeLogKey(name: string): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8_HEAD.length)
  const { key } = signerOf(name, seed)
  return `${PREFIX}${name}+${hexOf(key.keyId)}+${base64Of(joinBytes(Uint8Array.of(ED25519), seed))}\n`
}

/** What a file of keys holds. */
export interface LogKeys {
  /** Each signs; the first is the present one. None where there is no file. */
  readonly signers: readonly LogSigner[]
  /** What has signed before and signs no more, so that an audit knows it. */
  readonly former: readonly FormerKey[]
}

export interface FormerKey {
  readonly key: VerifierKey
  /** Opens what it has sealed; null where the private key is lost. */
  readonly sealKey: SealKey | null
}

/**
 * Reads the keys of a file: private keys of the first one's name sign; those of another name, and public ones, are from
 * before.
 *
 * @returns null where a line is no key, or none signs. Empty lines and those that begin with # are left alone.
 */
export function parseLogKeys(text: string): LogKeys | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const privates = lines.filter((line) => line.startsWith(PREFIX)).map(parseSigner)
  const publics = lines.filter((line) => !line.startsWith(PREFIX)).map((line) => parseVerifierKey(sha256, line))
  if (privates.includes(null) || publics.includes(null)) return null
  const known = privates.filter((signer) => signer !== null)
  const name = known[0]?.key.name
  if (name === undefined) return null
  return {
    signers: known.filter(({ key }) => key.name === name),
    former: [
      ...known.filter(({ key }) => key.name !== name),
      ...publics.filter((key) => key !== null).map((key) => ({ key, sealKey: null })),
    ],
  }
}

function parseSigner(line: string): LogSigner | null {
  if (!line.startsWith(PREFIX)) return null
  const [name = '', keyId, ...rest] = line.slice(PREFIX.length).split('+')
  const bytes = parseBase64(rest.join('+'))
  if (name === '' || bytes?.length !== 1 + SEED_BYTES || bytes[0] !== ED25519) return null
  const signer = signerOf(name, bytes.subarray(1))
  return hexOf(signer.key.keyId) === keyId ? signer : null
}

function signerOf(name: string, seed: Uint8Array): LogSigner {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' })
  const key = verifierKeyOf(sha256, name, publicBytesOf(privateKey))
  const secret = new Uint8Array(hkdfSync('sha256', seed, '', SEAL_PURPOSE, SEED_BYTES))
  return {
    key,
    sign: (text) => sign(null, bytesOfText(text), privateKey),
    sealKey: { keyId: key.keyId, secret },
  }
}

function publicBytesOf(privateKey: KeyObject): Uint8Array {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(x, 'base64url'))
}

/** A text with the signatures of all keys below it. */
export function signNote(signers: readonly LogSigner[], text: string): string {
  const signatures = signers.map(({ key, sign: signText }): NoteSignature => ({
    name: key.name,
    keyId: key.keyId,
    signature: signText(text),
  }))
  return formatNote({ text, signatures })
}
