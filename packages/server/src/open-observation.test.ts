import { expect, test } from 'vitest'
import type { LedgerEngine } from './ledger/ledger-engine.ts'
import { observeEngine, observeUpstreams } from './open-observation.ts'
import type { WatchedUpstream } from './upstream/watch-health.ts'

const off = { metrics: null, tracing: null }

// Not a watcher that does nothing, but none: so a request pays nothing for what is off.
test('where nothing is observed, nobody stands in the way', () => {
  const engine: LedgerEngine = { apply: () => Promise.resolve([]) }
  expect(observeEngine(off, engine)).toBe(engine)
  const upstream = { name: 'one' } as WatchedUpstream
  const config = { name: 'one', kind: 'openrouter', url: null, forwardsTrace: true } as const
  const upstreams = [config] as unknown as Parameters<typeof observeUpstreams>[2]['upstreams']
  expect(observeUpstreams(off, new Map([['one', upstream]]), { upstreams }, null).get('one')).toBe(upstream)
})
