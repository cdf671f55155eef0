import { expect, test } from 'vitest'
import type { Catalog } from './catalog/catalog.ts'
import { readHealth } from './read-health.ts'
import type { UpstreamHealth } from './upstream/health-watch.ts'
import type { Modality } from './upstream/upstream.ts'
import type { WatchedUpstream } from './upstream/watch-health.ts'

test.each<[UpstreamHealth, number, UpstreamHealth]>([
  ['ok', 0, 'ok'],
  ['degraded', 0, 'degraded'],
  ['ok', 1, 'degraded'],
  ['degraded', 2, 'degraded'],
  ['ok', 3, 'down'],
  ['down', 0, 'down'],
])('an upstream that is %s and %i failed commits in a row make it %s', (upstream, failuresInARow, status) => {
  const healthOf = (modality: Modality) => (modality === 'text' ? upstream : 'off')
  const health = readHealth({
    upstreams: new Map([
      ['main', { health: healthOf, circuits: { states: () => [] as const } } as unknown as WatchedUpstream],
    ]),
    catalog: { counts: { featured: 17, models: 1 }, updatedAt: 0 } as Catalog,
    ledger: { counters: { batches: 0, operations: 0, retries: 0, lastCommitMs: 0, waiting: 0, failuresInARow } },
    clock: { now: () => 0 },
    deposits: null,
  })
  expect(health).toMatchObject({
    status,
    deposits: 'off',
    routing: { text: upstream, image: 'off', video: 'off', audio: 'off' },
  })
})

test.each([
  [[], 'ok', 'ok'],
  [['provider 1 of chain 4663 did not answer'], 'degraded', 'degraded'],
] as const)('chains with the problems %j make it %s', (problems, deposits, status) => {
  const health = readHealth({
    upstreams: new Map([
      ['main', { health: () => 'ok', circuits: { states: () => [] } } as unknown as WatchedUpstream],
    ]),
    catalog: { counts: { featured: 17, models: 1 }, updatedAt: 0 } as Catalog,
    ledger: { counters: { batches: 0, operations: 0, retries: 0, lastCommitMs: 0, waiting: 0, failuresInARow: 0 } },
    clock: { now: () => 0 },
    deposits: { problems: () => problems },
  })
  expect(health).toMatchObject({ status, deposits })
})
