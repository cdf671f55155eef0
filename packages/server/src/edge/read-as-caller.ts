import type { Endpoint } from '@svc/contract'
import type { Freshness } from '../access/keys/authenticate-key.ts'
import type { Caller } from '../access/keys/caller.ts'
import { findCaller, type RouteCall } from './route.ts'
import type { RouteKit } from './route-kit.ts'

/** A body that came within this time, in milliseconds, came at once: no news of a key is lost by the cache. */
const AT_ONCE_MS = 1_000

/** How a body is read, and what becomes of one whose key may not ask any more. */
interface BodySource<Body> {
  readonly read: () => Promise<Body>
  readonly drop: (body: Body) => unknown
}

/**
 * Reads a body, and returns the caller as their key is once the body is there. A sender decides how long a body takes;
 * a key that is narrowed, revoked or runs out meanwhile is treated as in a request that begins now. Every body that is
 * sent with a key is read through here.
 *
 * @param asked.freshness `cached` where a hold follows, which checks the key's row; `fresh` where none does. A body that
 *   came at once costs no read of the database where it is `cached` and the key is in use.
 * @throws {ServiceError} what `read` throws; 401, 403 for a key that may not ask any more.
 */
export async function readAsCaller<Body>(
  deps: Pick<RouteKit, 'authenticator' | 'clock' | 'limits'>,
  call: RouteCall,
  { endpoint, freshness }: { readonly endpoint: Endpoint; readonly freshness: Freshness },
  { read, drop }: BodySource<Body>,
): Promise<{ readonly caller: Caller; readonly body: Body }> {
  const begunAt = deps.clock.elapsed()
  const body = await read()
  const isLate = deps.clock.elapsed() - begunAt > AT_ONCE_MS
  try {
    return { caller: await findCaller(deps, call, endpoint, isLate ? 'fresh' : freshness), body }
  } catch (error) {
    await drop(body)
    throw error
  }
}
