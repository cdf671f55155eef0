/** Receipts that were changed anywhere, and receipts that a lying operator has signed: nothing false is believed. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { key, ORIGIN, receiptOf, record, salt } from '../../testing/test-receipts.ts'
import { signTestCheckpoint, tilesOfLeaves } from '../../testing/signed-log.ts'
import { base64Of } from './bytes.ts'
import { leafData, recordDigest } from './ledger-leaf.ts'
import { hashLeaf } from './merkle-tree.ts'
import { nodeCrypto } from './node-crypto.ts'
import { openProof } from './open-proof.ts'
import { parseReceipt, type Receipt } from './receipt.ts'
import { formatTlogProof } from './tlog-proof.ts'
import { checkLine, verifyReceipt } from './verify-receipt.ts'
import { recomputeCharge } from '../recompute-charge.ts'

/** `SVC_TEST_ROUNDS` asks for more. */
const ROUNDS = Number(process.env['SVC_TEST_ROUNDS'] ?? 400)
const { sha256 } = nodeCrypto

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const RECEIPTS = await Promise.all([0, 1, 2].map(receiptOf))

/** Values that a forger or a broken program may write, beside any JSON at all. */
const odd = fc.oneof(
  fc.constantFrom<Json>(null, '', '0', '-0', '00', '1e3', -0, 0.5, -1, 1e21, 2 ** 53, '\ud800', '__proto__', [], {}),
  fc.integer().map(String),
  fc.bigInt().map(String),
  fc.jsonValue() as fc.Arbitrary<Json>,
)

/** Changes one character, line or word of a text, or takes it away, or writes it twice. */
const changedText = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('', '\n', ' '), fc.nat(), fc.constantFrom('drop', 'double', 'change', 'swap'), fc.string())
    .map(([between, at, what, word]) => {
      const parts = text.split(between)
      const place = at % parts.length
      const part = parts[place] ?? ''
      if (what === 'drop') parts.splice(place, 1)
      else if (what === 'double') parts.splice(place, 0, part)
      else if (what === 'change') parts[place] = word.slice(0, Math.max(1, part.length))
      else [parts[place], parts[(place + 1) % parts.length]] = [parts[(place + 1) % parts.length] ?? '', part]
      return parts.join(between)
    })

/** Every member within a value, as the names that lead to it. */
function pathsOf(value: Json, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))]
}

function memberAt(value: Json, path: readonly string[]): Json {
  return path.reduce<Json>((within, name) => (within as Record<string, Json>)[name] ?? null, value)
}

/** A copy with one member replaced; undefined takes it away. */
function withMember(value: Json, [name, ...rest]: readonly string[], member: Json | undefined): Json | undefined {
  if (name === undefined) return member
  const copy = { ...(value as Record<string, Json>) }
  const changed = withMember(copy[name] ?? null, rest, member)
  delete copy[name]
  if (changed !== undefined) Object.defineProperty(copy, name, { value: changed, enumerable: true })
  return copy
}

/** A receipt, somewhere in which something was changed, taken away or added. */
const changedReceipt = fc.constantFrom(...RECEIPTS).chain((receipt) => {
  const json = receipt as unknown as Json
  const place = fc.constantFrom(...pathsOf(json))
  const value = place.chain((path) => odd.map((member) => withMember(json, path, member)))
  const gone = place.map((path) => withMember(json, path, undefined))
  const names = fc.constantFrom('__proto__', 'constructor', 'x', 'version', 'amount', 'number', 'record')
  const inside = fc.constantFrom<readonly string[]>([], ['entry'], ['record'])
  const added = fc.tuple(inside, names, odd).map(([path, name, member]) => withMember(json, [...path, name], member))
  const texts = pathsOf(json).flatMap((path) => {
    const member = memberAt(json, path)
    return typeof member === 'string' ? [{ path, member }] : []
  })
  const text = fc
    .constantFrom(...texts)
    .chain(({ path, member }) => changedText(member).map((changed) => withMember(json, path, changed)))
  const proof = changedText(receipt.proof).map((changed) => ({ ...receipt, proof: changed }))
  const raw = changedText(JSON.stringify(receipt))
  const whole = fc.oneof(value, gone, added, text, proof).map((changed) => JSON.stringify(changed) ?? '')
  return fc.tuple(fc.constant(receipt), fc.oneof(whole, raw))
})

/** What of a receipt is proved: all but signatures that no known key has made, and lines that say nothing. */
function proved({ entry, record: own, salt: random, proof }: Receipt): string {
  const { index, hashes, head } = openProof(proof)!
  return JSON.stringify([entry, own, random, index, hashes, head])
}

test('a receipt that was changed is refused by its field, or does not hold, or says the same', () => {
  let refused = 0
  fc.assert(
    fc.property(changedReceipt, ([original, text]) => {
      const parsed = parseReceipt(text)
      if ('problem' in parsed) {
        refused++
        expect(parsed.problem.message).not.toBe('')
        return
      }
      const checks = verifyReceipt(nodeCrypto, parsed.receipt, [key])
      expect(checkLine([original, parsed.receipt])).toBeInstanceOf(Array)
      if (checks.every(({ holds }) => holds)) expect(proved(parsed.receipt)).toBe(proved(original))
    }),
    { numRuns: ROUNDS },
  )
  expect(refused).toBeGreaterThan(0)
})

/** The receipt of a single leaf, signed by an operator who says whatever it likes. */
function signedLie(entry: Receipt['entry'], own: Receipt['record']): Receipt {
  const { edge } = tilesOfLeaves([hashLeaf(sha256, leafData(salt, entry))])
  const proof = formatTlogProof({ index: 0, hashes: [], checkpoint: signTestCheckpoint(ORIGIN, edge) })
  return { object: 'receipt', version: 1, entry, record: own, salt: base64Of(salt), proof }
}

test('a charge that its prices do not make is not believed, whoever has signed it', () => {
  const pricing = fc.oneof(
    changedText(record.pricing!),
    fc
      .constantFrom(...pathsOf(JSON.parse(record.pricing!) as Json))
      .chain((path) =>
        odd.map((member) => JSON.stringify(withMember(JSON.parse(record.pricing!) as Json, path, member)) ?? ''),
      ),
    fc.json(),
  )
  fc.assert(
    fc.property(pricing, fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.nat(), (text, charge, tokens) => {
      const own = { ...record, pricing: text, charge: String(charge), prompt_tokens: tokens % 3 === 0 ? tokens : 1_000 }
      const entry = { ...RECEIPTS[1]!.entry, amount: charge === 0n ? '0' : `-${charge}` }
      if (!text.isWellFormed()) return
      const receipt = signedLie({ ...entry, record_digest: recordDigest(sha256, own) }, own)
      const checks = verifyReceipt(nodeCrypto, receipt, [key])
      expect(checks.slice(1).every(({ holds }) => holds)).toBe(true)
      const due = recomputeCharge(text)
      if (checks[0]!.holds)
        expect([due?.promptTokens ?? own.prompt_tokens, due!.charge >= charge]).toEqual([own.prompt_tokens, true])
    }),
    { numRuns: ROUNDS },
  )
})
