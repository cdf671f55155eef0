import type { UpstreamHealth } from '../../upstreams/health-watch.ts'
import type { RecentFailure, RecentModel } from '../../upstreams/recent-calls.ts'
import type { HealthGroup } from '../../upstreams/upstream.ts'
import type { WatchedUpstream } from '../../upstreams/watch-health.ts'

/** How one upstream fares, by the word of this process. */
export interface UpstreamState {
  readonly name: string
  readonly kind: string
  readonly health: Readonly<Record<HealthGroup, UpstreamHealth | 'off'>>
  /** The circuit of our account there: open after it refused our key or credit. */
  readonly accountCircuit: 'closed' | 'half_open' | 'open'
  readonly models: readonly (RecentModel & { readonly circuit: 'closed' | 'half_open' | 'open' })[]
  readonly failures: readonly RecentFailure[]
}

/** Most models of one upstream that are shown: the most used, and every one whose circuit is not closed. */
const MODELS_SHOWN = 100

/** Reads it. @param kind what the configuration calls it. */
export function readUpstreamState(upstream: WatchedUpstream, kind: string): UpstreamState {
  const circuits = new Map(upstream.circuits.states().map(({ model, state }) => [model, state]))
  const used = upstream.recent.models()
  const shown = used
    .filter(({ model }, at) => at < MODELS_SHOWN || circuits.has(model))
    .map((model) => ({ ...model, circuit: circuits.get(model.model) ?? ('closed' as const) }))
  return {
    name: upstream.name,
    kind,
    health: {
      text: upstream.health('text'),
      image: upstream.health('image'),
      video: upstream.health('video'),
      audio: upstream.health('audio'),
    },
    accountCircuit: circuits.get(null) ?? 'closed',
    models: shown,
    failures: upstream.recent.failures(),
  }
}
