/** The streams that a key may have open at once. */
import type { Caller } from '../access/keys/caller.ts'
import type { RouteKit } from './route-kit.ts'

type SlotDeps = Pick<RouteKit, 'limits'>

/**
 * Works as one of the caller's streams, whose place is given back at every end.
 * @throws {ServiceError} `rate_limit_exceeded` when it has as many as it may have, before the work begins.
 */
export async function asStream<Result>(
  deps: SlotDeps,
  { keyId, limits }: Caller,
  work: () => Promise<Result>,
): Promise<Result> {
  const { most, setFor } = limits.streamsAtOnce
  const giveBack = await deps.limits.streams.take(keyId, most, setFor)
  try {
    return await work()
  } finally {
    giveBack()
  }
}
