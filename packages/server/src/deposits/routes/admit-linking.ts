import type { Linker } from '../link-wallet.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { quotaError } from '../../admission/limits/call-quota.ts'
import type { RouteKit } from '../../edge/route-kit.ts'

/**
 * Counts a call that gives or reads a message of a wallet: the one writes a row, the other may ask the chain.
 *
 * @throws {ServiceError} `rate_limit_exceeded`.
 */
export async function admitLinking({ limits }: RouteKit, { keyId }: Caller): Promise<void> {
  const refusal = await limits.wallets.take(keyId)
  if (refusal !== null) throw quotaError(refusal, 'calls about wallets with this key')
}

/** Who links: a message that one key was given is worth nothing from another. */
export function linkerOf({ accountId, keyId }: Caller): Linker {
  return { accountId, session: `key:${keyId}` }
}
