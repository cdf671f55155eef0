import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { base64Of, bytesOfText, hexOf } from './bytes.ts'
import { canonicalJson } from './canonical-json.ts'
import { formatCheckpoint } from './checkpoint.ts'
import type { LedgerEntry, LedgerRecord, OperatorRecord } from './ledger-entry.ts'
import { leafData, operatorDigest, recordDigest } from './ledger-leaf.ts'
import type { LogCrypto } from './log-crypto.ts'
import { proveInclusion } from './merkle-proof.ts'
import { EMPTY_EDGE, growTree, hashLeaf, rootOf } from './merkle-tree.ts'
import { parseReceipt, type Receipt } from './receipt.ts'
import { formatNote, formatVerifierKey, verifierKeyOf } from './signed-note.ts'
import { formatTlogProof } from './tlog-proof.ts'
import { checkLine, verifyReceipt } from './verify-receipt.ts'

const crypto: LogCrypto = {
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  verifyEd25519: ({ publicKey, signature, message }) => {
    const x = Buffer.from(publicKey).toString('base64url')
    return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature)
  },
}
const { sha256 } = crypto

const ORIGIN = 'ai.example.com/api/log'
const privateKeyOf = (byte: number) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]),
    ...{ format: 'der', type: 'pkcs8' },
  })
const keyOf = (byte: number) => {
  const { x = '' } = createPublicKey(privateKeyOf(byte)).export({ format: 'jwk' })
  return verifierKeyOf(sha256, ORIGIN, new Uint8Array(Buffer.from(x, 'base64url')))
}
const key = keyOf(1)

const record: LedgerRecord = {
  version: 1,
  request_id: '01990000-0000-7000-8000-000000000001',
  team_id: '01990000-0000-7000-8000-0000000000aa',
  key_id: '01990000-0000-7000-8000-0000000000bb',
  started_at: 1_793_000_000_000,
  recorded_at: 1_793_000_000_321,
  type: 'chat',
  model: 'svc-gpt "é\n',
  upstream_model: 'vendor/model',
  status: 'ok',
  error_code: null,
  stream: true,
  prompt_tokens: 1_000,
  completion_tokens: 200,
  cached_tokens: 0,
  reasoning_tokens: null,
  charge: '2250000000',
  basis: 'card',
  estimated: false,
  pricing:
    '{"basis":"card","prompt_tokens":1000,"completion_tokens":200,' +
    '"card":{"credits_per_1m_input":"1250","credits_per_1m_output":"5000"},"cost_usd":"0.0015","margin_bps":2000}',
  latency_ms: 321,
}
const operator: OperatorRecord = {
  version: 1,
  ...{ upstream: 'default', generation_id: 'gen-1', cost: '1500000000', margin: '750000000', write_off: '0' },
}
const operatorSalt = Uint8Array.from({ length: 16 }, (_value, at) => 16 + at)
const salt = Uint8Array.from({ length: 16 }, (_value, at) => at)

const grant: LedgerEntry = {
  version: 1,
  ...{ kind: 'grant', id: 'welcome', revision: 1, account_id: 'account-1', number: 1 },
  ...{ amount: '5000000000', balance: '5000000000', booked_at: 1_792_999_999_000, reason: 'Welcome' },
  ...{ record_digest: null, operator_digest: null },
}
const charge: LedgerEntry = {
  version: 1,
  ...{ kind: 'charge', id: record.request_id, revision: 1, account_id: 'account-1', number: 2 },
  ...{ amount: '-2250000000', balance: '2750000000', booked_at: 1_793_000_000_321, reason: null },
  record_digest: recordDigest(sha256, record),
  operator_digest: operatorDigest(sha256, operatorSalt, operator),
}
const free: LedgerEntry = {
  ...{ ...charge, kind: 'free', number: 3, amount: '0', id: '01990000-0000-7000-8000-000000000002' },
  record_digest: recordDigest(sha256, { ...freeRecord() }),
}

function freeRecord(): LedgerRecord {
  const request = '01990000-0000-7000-8000-000000000002'
  return { ...record, request_id: request, status: 'error', charge: '0', basis: null, pricing: null }
}

const leaves = [grant, charge, free].map((entry) => hashLeaf(sha256, leafData(salt, entry)))
const root = rootOf(sha256, growTree(sha256, EMPTY_EDGE, leaves))

function noteOf(byte = 1, head = { origin: ORIGIN, size: 3, root }): string {
  const text = formatCheckpoint(head)
  const signature = new Uint8Array(sign(null, bytesOfText(text), privateKeyOf(byte)))
  return formatNote({ text, signatures: [{ ...keyOf(byte), signature }] })
}

async function receiptOf(index: number): Promise<Receipt> {
  const readNode = (height: number, at: number) =>
    Promise.resolve(
      rootOf(sha256, growTree(sha256, EMPTY_EDGE, leaves.slice(at * 2 ** height, (at + 1) * 2 ** height))),
    )
  const hashes = await proveInclusion({ sha256, readNode }, index, 3)
  return {
    object: 'receipt',
    version: 1,
    entry: [grant, charge, free][index]!,
    record: [null, record, freeRecord()][index]!,
    salt: base64Of(salt),
    proof: formatTlogProof({ index, hashes, checkpoint: noteOf() }),
  }
}

const failing = (receipt: Receipt, keys = [key]): readonly string[] =>
  verifyReceipt(crypto, receipt, keys)
    .filter((check) => !check.holds)
    .map((check) => check.name)

test.each([0, 1, 2])('the receipt of leaf %i holds, and comes back from its text', async (index) => {
  const receipt = await receiptOf(index)
  expect(verifyReceipt(crypto, receipt, [key]).map(({ holds }) => holds)).toEqual([true, true, true, true])
  expect(parseReceipt(JSON.stringify(receipt))).toEqual({ receipt })
})

describe('a receipt', () => {
  test.each<[string, (receipt: Receipt) => Receipt, readonly string[]]>([
    ['of another amount', (r) => ({ ...r, entry: { ...r.entry, amount: '-2250000001' } }), ['charge', 'inclusion']],
    ['of another balance', (r) => ({ ...r, entry: { ...r.entry, balance: '2750000001' } }), ['inclusion']],
    ['of another number', (r) => ({ ...r, entry: { ...r.entry, number: 3 } }), ['inclusion']],
    ['with another salt', (r) => ({ ...r, salt: base64Of(operatorSalt) }), ['inclusion']],
    ['with another model', (r) => ({ ...r, record: { ...r.record!, model: 'svc-gpt' } }), ['record']],
    ['without its record', (r) => ({ ...r, record: null }), ['charge', 'record']],
    [
      'whose prices make less',
      (r) => ({ ...r, record: { ...r.record!, pricing: r.record!.pricing!.replace('5000', '4999') } }),
      ['charge', 'record'],
    ],
    ['that counts fewer tokens', (r) => ({ ...r, record: { ...r.record!, prompt_tokens: 999 } }), ['charge', 'record']],
    ['with the record of another', (r) => ({ ...r, record: freeRecord() }), ['charge', 'record']],
    ['at another place', (r) => ({ ...r, proof: r.proof.replace('index 1', 'index 2') }), ['inclusion']],
    [
      'under another root',
      (r) => ({ ...r, proof: r.proof.replace(noteOf(), noteOf(1, { origin: ORIGIN, size: 3, root: leaves[0]! })) }),
      ['inclusion'],
    ],
    ['signed by somebody else', (r) => ({ ...r, proof: r.proof.replace(noteOf(), noteOf(2)) }), ['signature']],
    ['of another log', (r) => ({ ...r, proof: r.proof.replaceAll(ORIGIN, 'ai.example.org/api/log') }), ['signature']],
  ])('%s does not hold', async (_what, change, names) => {
    expect(failing(change(await receiptOf(1)))).toEqual(names)
  })

  test('is believed by the keys that are given alone', async () => {
    expect(failing(await receiptOf(1), [])).toEqual(['signature'])
    expect(failing(await receiptOf(1), [keyOf(2)])).toEqual(['signature'])
    expect(failing(await receiptOf(1), [keyOf(2), key])).toEqual([])
  })

  test('may charge less than its prices make, and says so', async () => {
    const cheap = { ...record, charge: '2000000000' }
    const receipt = { ...(await receiptOf(1)), record: cheap, entry: { ...charge, amount: '-2000000000' } }
    const [check] = verifyReceipt(crypto, receipt, [key])
    expect(check).toMatchObject({ holds: true, finding: expect.stringContaining('less than the 2250000000') })
  })

  test.each<[string, (text: string) => string, string]>([
    ['no JSON', () => '{', ''],
    ['a list', () => '[]', ''],
    ['another version', (text) => text.replace('"receipt","version":1', '"receipt","version":2'), 'version'],
    ['an amount as a number', (text) => text.replace('"-2250000000"', '-2250000000'), 'entry.amount'],
    ['a kind that is none', (text) => text.replace('"charge","id"', '"gift","id"'), 'entry.kind'],
    ['a member that is none', (text) => text.replace('"status"', '"x":1,"status"'), 'record.x'],
    ['a proof that is none', (text) => text.replace('tlog-proof@v1', 'tlog-proof@v0'), 'proof'],
    ['a salt that is too short', (text) => text.replace(base64Of(salt), 'AAAA'), 'salt'],
    ['too much', (text) => text + ' '.repeat(1_000_000), ''],
  ])('that is %s is told by its field', async (_what, change, field) => {
    const parsed = parseReceipt(change(JSON.stringify(await receiptOf(1))))
    expect(parsed).toMatchObject({ problem: { field } })
  })
})

test('receipts of one account form a line, and what does not fit is told', async () => {
  const [first, second, third] = [await receiptOf(0), await receiptOf(1), await receiptOf(2)]
  expect(checkLine([third, first, second])).toEqual([])
  expect(checkLine([first, third])).toEqual([{ holds: true, finding: '1 between number 1 and 3 is not among these' }])
  const forged = (receipt: Receipt, entry: Partial<LedgerEntry>) => ({
    ...receipt,
    entry: { ...receipt.entry, ...entry },
  })
  const broken = (receipts: readonly Receipt[]) => checkLine(receipts).filter(({ holds }) => !holds)
  expect(broken([first, forged(second, { balance: '1' })])).toHaveLength(1)
  expect(broken([first, forged(second, { number: 1 })])).toHaveLength(1)
  expect(broken([first, forged(second, { account_id: 'account-2' })])).toHaveLength(1)
  expect(broken([forged(second, { number: 1 }), forged(first, { number: 2 })])).toHaveLength(1)
})

test('what is not canonical is refused', () => {
  expect(canonicalJson({ b: 1, a: 'é\u2028"', c: null, d: true })).toBe('{"a":"é\u2028\\"","b":1,"c":null,"d":true}')
  expect(() => canonicalJson({ a: 0.5 })).toThrow(RangeError)
  expect(() => canonicalJson({ a: 2 ** 53 })).toThrow(RangeError)
  expect(() => canonicalJson({ a: '\ud800' })).toThrow(RangeError)
})

test('the document shows what is made here', () => {
  const text = readFileSync(new URL('../../../../docs/ledger-log.md', import.meta.url), 'utf8')
  const shown = text.split('<!-- vectors: begin -->')[1]?.split('<!-- vectors: end -->')[0]?.trim()
  const block = (what: string, lines: readonly string[]) => [`${what}:`, '', '```', ...lines, '```', '']
  const vectors = [
    ...block('A record', [canonicalJson({ ...record })]),
    ...block('Its digest', [charge.record_digest ?? '']),
    ...block('What the operator sees of it', [canonicalJson({ ...operator })]),
    ...block(`Its digest, with the salt \`${hexOf(operatorSalt)}\``, [charge.operator_digest ?? '']),
    ...block('The entry', [canonicalJson({ ...charge })]),
    ...block(`The leaf hash, with the salt \`${hexOf(salt)}\``, [hexOf(leaves[1]!)]),
    ...block('A grant', [canonicalJson({ ...grant })]),
    ...block('Its leaf hash, with the same salt', [hexOf(leaves[0]!)]),
    ...block('The root of a tree of these two, the grant first', [
      hexOf(rootOf(sha256, growTree(sha256, EMPTY_EDGE, leaves.slice(0, 2)))),
    ]),
    ...block('The verifier key of an Ed25519 key whose 32 bytes are all `01`', [formatVerifierKey(key)]),
    ...block('The checkpoint of that tree, signed with it', [
      noteOf(1, {
        origin: ORIGIN,
        size: 2,
        root: rootOf(sha256, growTree(sha256, EMPTY_EDGE, leaves.slice(0, 2))),
      }).trimEnd(),
    ]),
  ]
  expect(shown).toBe(vectors.join('\n').trim())
})
