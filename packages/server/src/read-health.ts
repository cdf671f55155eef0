import { type HealthReply } from '@svc/contract'
import type { Catalog } from './catalog/catalog.ts'
import type { Clock } from './runtime/clock.ts'
import type { UpstreamHealth, WatchedUpstream } from './upstream/watch-health.ts'

export type Health = HealthReply

/** What runs, as health, metrics and traces say it. */
export const VERSION = '0.1.0'

/** The best of all: one upstream that works keeps the gateway useful. */
function overall(states: readonly UpstreamHealth[]): UpstreamHealth {
  if (states.every((state) => state === 'down')) return 'down'
  return states.every((state) => state === 'ok') ? 'ok' : 'degraded'
}

/** Says whether the gateway and its upstreams work. Modalities that this version does not serve are `off`. */
export function readHealth(upstreams: ReadonlyMap<string, WatchedUpstream>, catalog: Catalog, clock: Clock): Health {
  const text = overall([...upstreams.values()].map((upstream) => upstream.health()))
  return {
    status: text,
    version: VERSION,
    time: new Date(clock.now()).toISOString(),
    routing: { text, image: 'off', video: 'off', audio: 'off' },
    catalog: {
      featured: catalog.counts.featured,
      models: catalog.counts.models,
      updated_at: catalog.updatedAt === 0 ? null : new Date(catalog.updatedAt).toISOString(),
    },
  }
}
