/** The streams that a key may have open at once. */
import type { Caller } from '../keys/caller.ts'
import type { EdgeDeps } from './edge.ts'

type SlotDeps = Pick<EdgeDeps, 'limits'>

/**
 * Works as one of the caller's streams.
 * @throws {ServiceError} `rate_limit_exceeded` when it has as many as it may have, before the work begins.
 */
export function asStream<Result>(
  deps: SlotDeps,
  { keyId, limits }: Caller,
  work: () => Promise<Result>,
): Promise<Result> {
  const { most, setFor } = limits.streamsAtOnce
  return deps.limits.streams.within(keyId, work, most, setFor)
}

/**
 * Takes a place for one of the caller's streams.
 * @returns the function that gives it back.
 * @throws {ServiceError} `rate_limit_exceeded` when it has as many as it may have.
 */
export function takeStream(deps: SlotDeps, { keyId, limits }: Caller): () => void {
  const { most, setFor } = limits.streamsAtOnce
  return deps.limits.streams.take(keyId, most, setFor)
}
