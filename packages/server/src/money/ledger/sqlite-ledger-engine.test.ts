import { expect, test } from 'vitest'
import { capture, grant, placeHold, release } from '../../../testing/ledger-operations.ts'
import { needsFlush } from './sqlite-ledger-engine.ts'

const caller = { accountId: 'account', teamId: 'team', teamBudgetId: null, keyId: 'key', keyBudgetId: 'budget' }
const whole = placeHold(caller, { flush: 'with_end' })
const live = placeHold(caller, { flush: 'at_once' })

test('holds of answers that leave whole wait for no disk', () => {
  expect(needsFlush([whole])).toBe(false)
  expect(needsFlush([whole, whole])).toBe(false)
})

test('a hold of an answer that leaves as it comes is flushed, and so is everything else that moves money', () => {
  expect(needsFlush([live])).toBe(true)
  for (const other of [capture('hold', 1n), release('hold'), grant('account', 1n)]) {
    expect(needsFlush([whole, other])).toBe(true)
  }
})
