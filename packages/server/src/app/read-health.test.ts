import { expect, test } from 'vitest'
import type { Catalog } from '../catalog/catalog.ts'
import type { LogRefusal } from '../money/ledger-log/check-log.ts'
import { readHealth } from './read-health.ts'
import type { UpstreamHealth } from '../upstreams/health-watch.ts'
import type { HealthGroup } from '../upstreams/upstream.ts'
import type { WatchedUpstream } from '../upstreams/watch-health.ts'

interface State {
  readonly upstream?: UpstreamHealth
  readonly failuresInARow?: number
  readonly commitMs?: number
  readonly answers?: boolean
  readonly unwritten?: number
  readonly problems?: readonly string[]
  readonly refusal?: LogRefusal
}

function healthOf({
  upstream = 'ok',
  failuresInARow = 0,
  commitMs = 0,
  answers = true,
  unwritten = 0,
  problems,
  refusal,
}: State) {
  const health = (group: HealthGroup) => (group === 'text' ? upstream : 'off')
  const counters = { batches: 0, operations: 0, retries: 0, lastCommitMs: 0, waiting: 0, failuresInARow, commitMs }
  return readHealth({
    upstreams: new Map([['main', { health, circuits: { states: () => [] as const } } as unknown as WatchedUpstream]]),
    catalog: { counts: { featured: 17, models: 1 }, updatedAt: 0 } as Catalog,
    ledger: { counters },
    pingDatabase: async () => (answers ? true : null),
    clock: { now: () => 0 },
    countUnwritten: () => unwritten,
    ledgerLog: { figures: { refusal: refusal ?? null } },
    deposits: problems === undefined ? null : { problems: () => problems },
  })
}

test.each<[State, UpstreamHealth]>([
  [{ upstream: 'ok' }, 'ok'],
  [{ upstream: 'degraded' }, 'degraded'],
  [{ upstream: 'degraded', failuresInARow: 2 }, 'degraded'],
  [{ upstream: 'down' }, 'down'],
])('an upstream is reported by modality and decides what it all is: %j', async (state, status) => {
  expect(await healthOf(state)).toMatchObject({
    status,
    deposits: 'off',
    routing: { text: state.upstream, image: 'off', video: 'off', audio: 'off' },
  })
})

test('a ledger log that is not the published one is reported, and degrades the gateway', async () => {
  expect(await healthOf({})).toMatchObject({ status: 'ok', ledger_log: 'ok' })
  expect(await healthOf({ refusal: 'unknown_key' })).toMatchObject({ status: 'ok', ledger_log: 'ok' })
  expect(await healthOf({ refusal: 'shorter' })).toMatchObject({ status: 'degraded', ledger_log: 'degraded' })
})

test.each<[State, UpstreamHealth]>([
  [{}, 'ok'],
  [{ failuresInARow: 1 }, 'degraded'],
  [{ failuresInARow: 3 }, 'down'],
  [{ commitMs: 4_000 }, 'ok'],
  [{ commitMs: 6_000 }, 'degraded'],
  [{ unwritten: 1 }, 'degraded'],
  [{ answers: false }, 'down'],
])('a database in trouble is reported and decides what it all is: %j', async (state, database) => {
  expect(await healthOf(state)).toMatchObject({ database, status: database })
})

test.each<[State, string]>([
  [{ problems: [] }, 'ok'],
  [{ problems: ['provider 1 of chain 4663 did not answer'] }, 'degraded'],
])('chains with problems degrade it: %j', async (state, deposits) => {
  expect(await healthOf(state)).toMatchObject({ status: deposits, deposits })
})
