import type { Endpoint } from '@svc/contract'
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
 * @param asked.known the caller as found before the body, where a hold follows, which checks the key's row: a body that
 *   came at once costs no second look while the cache knows them. Null where none follows: the key's row is read.
 * @throws {ServiceError} what `read` throws; 401, 403 for a key that may not ask any more.
 */
export async function readAsCaller<Body>(
  deps: Pick<RouteKit, 'authenticator' | 'clock' | 'limits'>,
  call: RouteCall,
  { endpoint, known }: { readonly endpoint: Endpoint; readonly known: Caller | null },
  { read, drop }: BodySource<Body>,
): Promise<{ readonly caller: Caller; readonly body: Body }> {
  const begunAt = deps.clock.elapsed()
  const body = await read()
  const isFresh = known === null || deps.clock.elapsed() - begunAt > AT_ONCE_MS
  if (!isFresh && deps.authenticator.isCurrent(known)) return { caller: known, body }
  try {
    return { caller: await findCaller(deps, call, endpoint, isFresh ? 'fresh' : 'cached'), body }
  } catch (error) {
    await drop(body)
    throw error
  }
}
