import type { Hex } from './assets.ts'
import { ChainUnavailableError, RpcRefusalError } from './chain-unavailable.ts'
import type { JsonRpc } from './json-rpc.ts'

/** Who signed what. */
export interface SignedMessage {
  readonly address: Hex
  readonly message: string
  readonly signature: Hex
}

/** Tells whether an account that is no contract has signed a message. Nothing is asked of a chain. */
export async function isSignedByKey({ address, message, signature }: SignedMessage): Promise<boolean> {
  const { recoverMessageAddress } = await import('viem')
  try {
    return (await recoverMessageAddress({ message, signature })).toLowerCase() === address
  } catch {
    return false
  }
}

/**
 * Tells whether a contract, also one that is not there yet, calls a signature its own on this chain. Source: ERC-1271,
 * ERC-6492.
 *
 * @throws {ChainUnavailableError} when the provider cannot answer.
 */
export async function isSignedByContract(
  rpc: JsonRpc,
  { address, message, signature }: SignedMessage,
): Promise<boolean> {
  const { createPublicClient, custom } = await import('viem')
  let outage: ChainUnavailableError | null = null
  const request = async ({ method, params }: { readonly method: string; readonly params?: unknown }) => {
    try {
      return await rpc.request(method, (params ?? []) as readonly unknown[])
    } catch (error) {
      // The library takes every failure for a "no", so an outage is remembered here.
      if (error instanceof ChainUnavailableError) outage = error
      if (error instanceof RpcRefusalError) throw Object.assign(new Error(error.message), { code: error.code })
      throw error
    }
  }
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const isSigned = await client.verifyMessage({ address, message, signature }).catch(() => false)
  if (outage !== null) throw outage as ChainUnavailableError
  return isSigned
}
