/** The streams that a key may have open at once. */
import type { Caller } from '../access/keys/caller.ts'
import type { GiveBack } from '../admission/limits/stream-slots.ts'
import type { RouteKit } from './route-kit.ts'

type SlotDeps = Pick<RouteKit, 'limits'>

/**
 * Works as one of the caller's streams, whose place is given back at every end.
 * @throws {ServiceError} `rate_limit_exceeded` when it has as many as it may have, before the work begins.
 */
export async function asStream<Result>(deps: SlotDeps, caller: Caller, work: () => Promise<Result>): Promise<Result> {
  const giveBack = await takeStream(deps, caller)
  try {
    return await work()
  } finally {
    giveBack()
  }
}

/**
 * Takes a place for one of the caller's streams.
 * @returns the function that gives it back; a promise only where processes share the places.
 * @throws {ServiceError} `rate_limit_exceeded` when it has as many as it may have; a promise rejects with it.
 */
export function takeStream(deps: SlotDeps, { keyId, limits }: Caller): GiveBack | Promise<GiveBack> {
  const { most, setFor } = limits.streamsAtOnce
  return deps.limits.streams.take(keyId, most, setFor)
}
