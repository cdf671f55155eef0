import fc from 'fast-check'
import { nanocreditsOf } from '@svc/contract'
import { expect, test } from 'vitest'
import { capture, DELIVERED, grant, placeHold, TEST_NOW } from '../../testing/ledger-operations.ts'
import { checkOperation } from './check-operation.ts'
import type { LedgerOperation, LedgerResult } from './operations.ts'
import { readBatchText, readResultsText, writeBatchText, writeResultsText } from './sqlite-batch-text.ts'

const caller = { accountId: 'account', keyId: 'key', teamId: 'team', teamBudgetId: 'budget', keyBudgetId: 'purse' }

/** Texts that a mark of the form could be taken for, among others. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\u0001', '\u0001\u0001', '\u0002', '\u00021', '\0', '0', 'null', 'settle', '\ud800'),
)
const amount = fc.bigInt({ min: 0n, max: 10n ** 17n }).map(nanocreditsOf)
const count = fc.integer({ min: 0, max: 1_000_000 })

const operation: fc.Arbitrary<LedgerOperation> = fc.oneof(
  fc
    .record({ model: text, type: fc.constantFrom('chat', 'image'), stream: fc.boolean(), fixed: amount, units: count })
    .chain((own) => fc.constantFrom(null, 'budget').map((teamBudgetId) => ({ ...own, teamBudgetId })))
    .map((own) => placeHold(caller, { ...own, holdId: 'hold', policy: 'exact' })),
  fc
    .record({ fixed: amount, perUnit: amount, targetUnits: count })
    .map((own) => ({ ...own, kind: 'extend', holdId: 'hold', now: TEST_NOW }) as const),
  fc
    .record({ upstream: fc.option(text), upstreamModel: fc.option(text), errorCode: fc.option(text) })
    .chain((own) =>
      fc.record({ pricing: fc.option(text), promptTokens: fc.option(count) }).map((more) => ({ ...own, ...more })),
    )
    .map((own) => capture('hold', 5n, { facts: { ...DELIVERED, ...own } })),
  text.map((reason) => grant('account', 7n, { transferId: 'credit', reason })),
  fc.record({ charge: amount, pricing: fc.option(text) }).map(
    (own) =>
      ({
        ...{ kind: 'journal' as const, processId: 'process', leaseUntil: TEST_NOW, now: TEST_NOW },
        entries: [
          {
            ...{ ...own, holdId: 'hold', cost: nanocreditsOf(0n), promptTokens: 1, completionTokens: 2 },
            ...{ upstream: null, upstreamModel: '\u00021', generationId: null },
          },
        ],
      }) as const,
  ),
)

test('a batch arrives as it was written, whatever its texts are', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
      const checked = operations.map((one) => checkOperation(one))
      expect(readBatchText(writeBatchText(checked))).toEqual(checked)
    }),
  )
})

test('results arrive as they were written', () => {
  const results: LedgerResult[] = [
    { kind: 'placed', amount: nanocreditsOf(10n ** 18n), units: 256, limit: null },
    { kind: 'placed', amount: nanocreditsOf(0n), units: 0, limit: 12 },
    { kind: 'settled', charge: nanocreditsOf(3n), writeOff: nanocreditsOf(0n) },
    {
      ...{ kind: 'insufficient', limit: 'team', required: nanocreditsOf(9n), available: nanocreditsOf(1n) },
      affordableUnits: 4,
    },
    { kind: 'fault', message: '\u0002no hold' },
    { kind: 'journaled' },
  ]
  expect(readResultsText(writeResultsText(results))).toEqual(results)
  expect(readResultsText(writeResultsText([]))).toEqual([])
})

test('a batch that is not whole is refused whole', () => {
  const written = writeBatchText([capture('hold', 5n), capture('other', 5n)])
  expect(() => readBatchText(`${written}\0more`)).toThrow(/not what was written/)
  expect(() => readBatchText(written.slice(0, written.lastIndexOf('\0')))).toThrow(/not what was written/)
})
