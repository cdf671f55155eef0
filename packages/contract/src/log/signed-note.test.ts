import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { base64Of, bytesOfText, parseBase64, parseHex } from './bytes.ts'
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts'
import { nodeCrypto } from './node-crypto.ts'
import {
  formatNote,
  formatVerifierKey,
  parseNote,
  parseVerifierKey,
  type SignedNote,
  signersOf,
  verifierKeyOf,
} from './signed-note.ts'
import { formatTlogProof, parseTlogProof } from './tlog-proof.ts'

const { sha256 } = nodeCrypto

/** Source: the documentation of Go's golang.org/x/mod/sumdb/note. */
const NEUMANN = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const NOTE =
  'If you think cryptography is the answer to your problem,\nthen you don’t know what your problem is.\n\n' +
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
const PLAIN_NOTE = NOTE.replace('don’t', "don't")

function keyPair(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const key = verifierKeyOf(sha256, name, raw)
  const signatureOf = (text: string) => {
    const signature = new Uint8Array(sign(null, bytesOfText(text), privateKey))
    return { name, keyId: key.keyId, signature }
  }
  return { key, signatureOf }
}

const noteBy = (text: string, ...pairs: readonly ReturnType<typeof keyPair>[]): SignedNote => ({
  text,
  signatures: pairs.map(({ signatureOf }) => signatureOf(text)),
})

test('a note that another program has signed is believed, and not when a letter differs', () => {
  const key = parseVerifierKey(sha256, NEUMANN)!
  expect(formatVerifierKey(key)).toBe(NEUMANN)
  expect(signersOf(nodeCrypto, parseNote(PLAIN_NOTE)!, [key])).toEqual([key])
  expect(signersOf(nodeCrypto, parseNote(NOTE)!, [key])).toEqual([])
})

test('a note comes back as it was written, and each of its signers is found', () => {
  const [first, second, other] = [keyPair('a.example/log'), keyPair('a.example/log'), keyPair('b.example')]
  const note = noteBy('a.example/log\n1\nroot\n', first, second)
  expect(parseNote(formatNote(note))).toEqual(note)
  expect(signersOf(nodeCrypto, note, [second.key])).toEqual([second.key])
  expect(signersOf(nodeCrypto, note, [first.key, second.key])).toEqual([first.key, second.key])
  expect(signersOf(nodeCrypto, note, [other.key])).toEqual([])
})

test('one wrong signature of a known key makes the note worthless', () => {
  const [first, second] = [keyPair('a'), keyPair('a')]
  const { signatures } = noteBy('other\n', first)
  const note = { text: 'text\n', signatures: [...signatures, second.signatureOf('text\n')] }
  expect(signersOf(nodeCrypto, note, [first.key, second.key])).toEqual([])
})

test.each([
  ['nothing', ''],
  ['no signature', 'text\n\n'],
  ['no blank line', 'text\n— a AAAAAAA=\n'],
  ['no line break at the end', PLAIN_NOTE.slice(0, -1)],
  ['another dash', PLAIN_NOTE.replace('—', '-')],
  ['a signature that is no base64', PLAIN_NOTE.replace('x08', 'x_8')],
  ['a signature of a key id alone', 'text\n\n— a AAAAAA==\n'],
  ['a control character', PLAIN_NOTE.replace('answer', 'ans\twer')],
  ['a third word', PLAIN_NOTE.replace('PeterNeumann x08', 'PeterNeumann x x08')],
  ['more than there may be', `${'x'.repeat(70_000)}\n\n— a AAAAAAA=\n`],
])('%s is no note', (_what, text) => {
  expect(parseNote(text)).toBeNull()
})

test.each([
  ['another id', NEUMANN.replace('c74f', 'c74e')],
  ['another kind of key', NEUMANN.replace('+AR', '+BR')],
  ['a name with a space', `Peter ${NEUMANN}`],
  ['a shorter key', NEUMANN.slice(0, -4)],
  ['nothing', ''],
])('a verifier key with %s is none', (_what, text) => {
  expect(parseVerifierKey(sha256, text)).toBeNull()
})

test('a checkpoint comes back as it was written, with what follows its three lines', () => {
  const checkpoint = { origin: 'example.com/log', size: 20_852_163, root: sha256(bytesOfText('x')), extensions: [] }
  expect(formatCheckpoint(checkpoint).split('\n').slice(0, 2)).toEqual(['example.com/log', '20852163'])
  expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint)
  expect(parseCheckpoint(`${formatCheckpoint(checkpoint)}more\n`)).toEqual({ ...checkpoint, extensions: ['more'] })
  expect(formatCheckpoint({ ...checkpoint, extensions: ['more'] })).toBe(`${formatCheckpoint(checkpoint)}more\n`)
})

test.each(['', 'a\n', 'a\n1\n', '\n1\nX\n', 'a\n01\nX\n', 'a\n-1\nX\n', 'a\n1\nAAAA\n', 'a\n1\nX', 'a\n1\nX\n\n'])(
  '%j is no checkpoint',
  (text) => {
    const root = base64Of(sha256(bytesOfText('x')))
    expect(parseCheckpoint(text.replace('X', root))).toBeNull()
  },
)

test('a proof comes back as it was written, also with an extra line', () => {
  const proof = { index: 73_894, hashes: [sha256(bytesOfText('a')), sha256(bytesOfText('b'))], checkpoint: PLAIN_NOTE }
  const text = formatTlogProof(proof)
  expect(parseTlogProof(text)).toEqual(proof)
  expect(parseTlogProof(text.replace('index', 'extra YQ==\nindex'))).toEqual(proof)
  expect(parseTlogProof(formatTlogProof({ ...proof, hashes: [] }))).toEqual({ ...proof, hashes: [] })
  for (const wrong of [text.replace('v1', 'v2'), text.replace('73894', '073894'), text.slice(0, 60), `\n${text}`]) {
    expect(parseTlogProof(wrong)).toBeNull()
  }
})

test('bytes have one text, and nothing else is read as one', () => {
  expect(base64Of(Uint8Array.of(0, 255, 16))).toBe('AP8Q')
  for (const text of ['AP8', 'AP8Q=', 'AP8_', ' AP8Q', 'AB==']) expect(parseBase64(text)).toBeNull()
  for (const text of ['0', '0G', 'AB']) expect(parseHex(text)).toBeNull()
  expect(parseHex('00ff')).toEqual(Uint8Array.of(0, 255))
})
