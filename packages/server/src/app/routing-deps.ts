import { setTimeout as pauseFor } from 'node:timers/promises'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import { costAtPar } from '../pricing/usd.ts'
import type { AttemptDeps, MadeAttemptNote } from '../pipeline/routing/attempt-targets.ts'
import type { TargetDeps } from '../pipeline/routing/list-targets.ts'
import { repeatListener } from './open-observation.ts'
import type { Parts } from './open-parts.ts'

/** How requests of every kind find their upstreams, and go from one to the next. */
export type RoutingDeps = TargetDeps & AttemptDeps

/** Makes them from the parts. */
export function routingDeps({ upstreams, observation, log, attempts, clock }: Parts): RoutingDeps {
  return {
    upstreamOf: ({ upstream: name }) => {
      const upstream = upstreams.get(name)
      if (upstream === undefined) throw new InvariantError(`A model names the unknown upstream ${name}`)
      return upstream
    },
    random: Math.random,
    onBusy: () => observation.metrics?.overload.refused('upstream'),
    onRepeat: repeatListener(observation, log),
    onAttempts: (requestId, made) => attempts.note(requestId, made.map(attemptRow), clock.now()),
    pause: (milliseconds) => pauseFor(milliseconds),
  }
}

const attemptRow = ({ cost, ...attempt }: MadeAttemptNote) => ({
  ...attempt,
  cost: cost === null ? null : costAtPar(cost),
})
