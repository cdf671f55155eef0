import { upstreamOperations } from '../telemetry/metrics/upstream-operations.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import { CallSlots, type CallSlotsOptions } from './call-slots.ts'
import { type BreakerLimits, CircuitBreaker } from './circuit-breaker.ts'
import { createHealthWatch, type HealthWatch, type UpstreamHealth } from './health-watch.ts'
import type { UpstreamObserver } from './call-observer.ts'
import { interceptUpstream } from './intercept-upstream.ts'
import type { KeyedUpstream } from './keyed-calls.ts'
import type { KeyRing } from './key-ring.ts'
import { RecentCalls } from './recent-calls.ts'
import type { HealthGroup, Upstream } from './upstream.ts'

export interface WatchedUpstream extends Upstream {
  /** The maker of a call asks it before, and tells it how the call ended: the attempts of a request do. */
  readonly circuits: CircuitBreaker
  /** How calls of one kind fare; `off` where the upstream has no port for it. */
  health(group: HealthGroup): UpstreamHealth | 'off'
  /** How the last calls fared, for operators. */
  readonly recent: RecentCalls
  /** Our keys with it; null where it has one or none. */
  readonly keys: Pick<KeyRing, 'hasSpare' | 'figures'> | null
  /** Turns of the calls that are work, where it takes so many at a time; null where it takes all. */
  readonly slots: Pick<CallSlots, 'isFull' | 'expectedMs' | 'running' | 'waiting'> | null
}

/**
 * Watches what becomes of the calls to an upstream, by what `GET /health` tells apart; what a script plays is
 * remembered and not counted.
 */
export function watchHealth(
  keyed: KeyedUpstream,
  {
    clock,
    limits,
    turns = null,
    observers,
  }: {
    readonly clock: SystemClock
    readonly limits: BreakerLimits
    /** How many calls it takes at a time, and how long others may wait; null for all at once. */
    readonly turns?: Pick<CallSlotsOptions, 'most' | 'limits'> | null
    /** Further observers of the calls. */
    readonly observers: readonly UpstreamObserver[]
  },
): WatchedUpstream {
  const [upstream] = keyed.opened
  const { ring } = keyed
  const watchWhere = (isServed: boolean): HealthWatch | null =>
    isServed
      ? createHealthWatch(clock, () => (keyed.opened[ring?.next(new Set()) ?? 0] ?? upstream).listModels())
      : null
  const watches: Readonly<Record<HealthGroup, HealthWatch | null>> = {
    text: watchWhere(true),
    image: watchWhere(upstream.images !== null),
    video: watchWhere(upstream.videos !== null),
    audio: watchWhere(upstream.speech !== null || upstream.transcription !== null),
  }
  const recent = new RecentCalls(clock)
  const slots = turns === null ? null : new CallSlots({ ...turns, upstream: upstream.name, clock })
  const isScripted = limits.isScripted ?? (() => false)
  const observe: UpstreamObserver = ({ operation, model, job }) => {
    const { health: group } = upstreamOperations[operation]
    if (group === null) return null
    const asked = model ?? job
    const watch = asked !== undefined && isScripted(asked) ? null : watches[group]
    const startedMs = performance.now()
    let hasAnswered = false
    return {
      answered: () => {
        hasAnswered = true
        if (model !== undefined) recent.answered(model, performance.now() - startedMs)
        watch?.worked()
      },
      // A stream that began has answered, however it ends.
      ended: ({ error }) => {
        if (!hasAnswered && error !== null) watch?.failed(error)
      },
    }
  }
  return {
    ...interceptUpstream({ ...keyed, slots }, [observe, ...observers]),
    circuits: new CircuitBreaker(
      ring === null ? limits : { ...limits, isSpared: (failure) => ring.isSpared(failure) },
      clock,
      (model, error) => recent.ended(model, error),
    ),
    recent,
    keys: ring,
    slots,
    health: (group) => watches[group]?.health() ?? 'off',
  }
}
