import { expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { checkOperation, OPERATION_AMOUNT_MAX } from './check-operation.ts'
import type { SettleHold, UsageFacts } from './operations.ts'

const facts: UsageFacts = {
  ...{ upstream: 'u', upstreamModel: 'm', status: 'ok', errorCode: null, generationId: null, pricing: null },
  ...{ promptTokens: 1, completionTokens: 2, cachedTokens: null, reasoningTokens: null, latencyMs: 5 },
  ...{ basis: 'card', estimated: false },
}
const settle = (parts: Partial<SettleHold> = {}): SettleHold => ({
  ...{
    kind: 'settle',
    placed: null,
    holdId: 'hold',
    end: 'captured',
    charge: nanocreditsOf(5n),
    cost: nanocreditsOf(4n),
    facts,
  },
  ...{ lost: nanocreditsOf(0n), now: 1 },
  ...parts,
})

test.each([-1, Number.NaN, 0.5, Number.POSITIVE_INFINITY, 2 ** 60])(
  'a settlement is written without a count or duration of %d, and that is logged',
  (value) => {
    const told: unknown[] = []
    const wrong = { ...facts, promptTokens: value, completionTokens: value, cachedTokens: value, latencyMs: value }
    const checked = checkOperation(settle({ facts: wrong }), (holdId, names) => told.push([holdId, names]))
    const none = { promptTokens: null, completionTokens: null, cachedTokens: null, latencyMs: null }
    expect(checked).toEqual(settle({ facts: { ...facts, ...none } }))
    expect(told).toEqual([['hold', ['promptTokens', 'completionTokens', 'cachedTokens', 'latencyMs']]])
  },
)

test.each<readonly [string, Partial<SettleHold>, object]>([
  ['a charge below zero', { charge: nanocreditsOf(-1n) }, { charge: 0n }],
  ['a cost below zero', { cost: nanocreditsOf(-1n) }, { cost: 0n }],
  ['more lost than it cost', { lost: nanocreditsOf(5n) }, { lost: 4n }],
  ['a charge that no balance can hold', { charge: nanocreditsOf(2n ** 70n) }, { charge: OPERATION_AMOUNT_MAX }],
  ['a charge and no capture', { end: 'released' }, { end: 'captured' }],
  ['a cost of an expired hold', { end: 'expired', charge: nanocreditsOf(0n) }, { end: 'released' }],
  ['a time before the epoch', { now: -5 }, { now: 0 }],
  ['no time', { now: Number.NaN }, { now: 0 }],
  ['half a millisecond', { now: 1.5 }, { now: 1 }],
])('a settlement with %s is brought into order', (_name, given, written) => {
  expect(checkOperation(settle(given))).toMatchObject(written)
})

test('a settlement that is in order stays the same object', () => {
  const operation = settle()
  expect(checkOperation(operation)).toBe(operation)
})

test.each(['', 'x'.repeat(201), 'a\0b'])('a settlement of a hold that cannot be named %j is a mistake', (holdId) => {
  expect(() => checkOperation(settle({ holdId }))).toThrow(InvariantError)
})
