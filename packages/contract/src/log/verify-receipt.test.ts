import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  charge,
  freeRecord,
  grant,
  key,
  keyOf,
  leaves,
  noteOf,
  operator,
  operatorSalt,
  ORIGIN,
  receiptOf,
  record,
  salt,
} from '../../testing/test-receipts.ts'
import { base64Of, hexOf } from './bytes.ts'
import { canonicalJson } from './canonical-json.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { EMPTY_EDGE, growTree, rootOf } from './merkle-tree.ts'
import { nodeCrypto } from './node-crypto.ts'
import { parseReceipt, type Receipt } from './receipt.ts'
import { formatVerifierKey } from './signed-note.ts'
import { checkLine, verifyReceipt } from './verify-receipt.ts'

const { sha256 } = nodeCrypto

const failing = (receipt: Receipt, keys = [key]): readonly string[] =>
  verifyReceipt(nodeCrypto, receipt, keys)
    .filter((check) => !check.holds)
    .map((check) => check.name)

test.each([0, 1, 2])('the receipt of leaf %i holds, and comes back from its text', async (index) => {
  const receipt = await receiptOf(index)
  expect(verifyReceipt(nodeCrypto, receipt, [key]).map(({ holds }) => holds)).toEqual([true, true, true, true])
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
    [
      'of another margin',
      (r) => ({
        ...r,
        record: { ...r.record!, pricing: r.record!.pricing!.replace('"margin_bps":2000', '"margin_bps":5') },
      }),
      ['charge', 'record'],
    ],
    ['that counts fewer tokens', (r) => ({ ...r, record: { ...r.record!, prompt_tokens: 999 } }), ['charge', 'record']],
    ['with the record of another', (r) => ({ ...r, record: freeRecord() }), ['charge', 'record']],
    ['at another place', (r) => ({ ...r, proof: r.proof.replace('index 1', 'index 2') }), ['inclusion']],
    [
      'under another root',
      (r) => ({
        ...r,
        proof: r.proof.replace(noteOf(), noteOf(1, { origin: ORIGIN, size: 3, root: leaves[0]!, extensions: [] })),
      }),
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
    const [check] = verifyReceipt(nodeCrypto, receipt, [key])
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
    ['half a character', (text) => text.replace('vendor', String.raw`\ud800`), 'record.upstream_model'],
    ['too much', (text) => text + ' '.repeat(1_000_000), ''],
  ])('that is %s is told by its field', async (_what, change, field) => {
    const parsed = parseReceipt(change(JSON.stringify(await receiptOf(1))))
    expect(parsed).toMatchObject({ problem: { field } })
    const { message } = (parsed as { readonly problem: { readonly message: string } }).problem
    expect(message).toMatch(field === '' ? /^it is / : new RegExp(`^its field "${field}" is wrong \\(.+\\)$`))
  })
})

test('receipts of one account form a line, and what does not fit is told', async () => {
  const [first, second, third] = [await receiptOf(0), await receiptOf(1), await receiptOf(2)]
  const findings = (receipts: readonly Receipt[]) => checkLine(receipts).map(({ holds, finding }) => [holds, finding])
  const follows = (to: number) =>
    `number ${to} follows number ${to - 1}: it comes later in the log, and its balance is the one before and its own amount`
  expect(findings([third, first, second])).toEqual([
    [true, follows(2)],
    [true, follows(3)],
    [
      true,
      'lines of one account were compared with each other, 3 of numbers 1 to 3: if each receipt holds by itself, no line ' +
        'was added or left out between them',
    ],
  ])
  expect(findings([first, third])).toEqual([
    [
      true,
      'between number 1 and number 3 1 line is not among these receipts: by the balances they moved ' +
        `${second.entry.amount} nanocredits in all`,
    ],
    [
      true,
      'lines of one account were compared with each other, 2 of numbers 1 to 3: if each receipt holds by itself, they ' +
        'fit; what the line between them says, its receipt alone tells',
    ],
  ])
  expect(findings([second, second])[0]).toEqual([true, 'number 2 is given twice, and is the same line'])
  expect(checkLine([first])).toEqual([])
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
        extensions: [],
        root: rootOf(sha256, growTree(sha256, EMPTY_EDGE, leaves.slice(0, 2))),
      }).trimEnd(),
    ]),
  ]
  expect(shown).toBe(vectors.join('\n').trim())
})
