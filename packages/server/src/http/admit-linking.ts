import type { Linker } from '../deposits/link-wallet.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller } from '../keys/caller.ts'
import type { EdgeDeps } from './edge.ts'

/**
 * Counts a call that gives or reads a message of a wallet: the one writes a row, the other may ask the chain.
 *
 * @throws {ServiceError} `rate_limit_exceeded`.
 */
export function admitLinking({ limits }: EdgeDeps, { keyId }: Caller): void {
  const waitMs = limits.wallets.take(keyId)
  if (waitMs === null) return
  throw new ServiceError('rate_limit_exceeded', 'Too many wallets with this key.', {
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  })
}

/** Who links: a message that one key was given is worth nothing from another. */
export function linkerOf({ accountId, keyId }: Caller): Linker {
  return { accountId, session: `key:${keyId}` }
}
