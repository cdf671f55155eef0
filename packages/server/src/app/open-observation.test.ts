import { expect, test } from 'vitest'
import type { LedgerEngine } from '../money/ledger/ledger-engine.ts'
import { callObservers, observeEngine } from './open-observation.ts'

const off = { metrics: null, tracing: null }

// Not a watcher that does nothing, but none: so a request pays nothing for what is off.
test('where nothing is observed, there is no observer', () => {
  const engine: LedgerEngine = { apply: () => Promise.resolve([]) }
  expect(observeEngine(off, engine)).toBe(engine)
  expect(callObservers(off, { name: 'one', url: null, forwardsTrace: true })).toEqual([])
})
