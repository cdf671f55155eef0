import type { ChainReader } from './chain-reader.ts'
import { ChainUnavailableError } from './chain-unavailable.ts'
import { isSignedByKey, type SignedMessage } from './verify-signature.ts'

/** Who has signed: a key, a contract on the chain that was asked, or neither; or the chain does not answer now. */
export type SignatureProof = 'eoa' | 'contract' | 'wrong_signature' | 'chain_unavailable'

/**
 * Finds out whether an address has signed a message. A key's signature needs no chain.
 *
 * @param reader of the chain on which a contract is asked; absent where the gateway knows none.
 */
export async function proveSignature(reader: ChainReader | undefined, signed: SignedMessage): Promise<SignatureProof> {
  if (await isSignedByKey(signed)) return 'eoa'
  if (reader === undefined) return 'chain_unavailable'
  try {
    // What a contract says is what a provider says that it says, so where there are two, both are asked.
    const isSigned = await reader.ask(async (view) => {
      if (!(await view.isSignedByContract(signed))) return false
      return (await reader.askAnother(view, (other) => other.isSignedByContract(signed))) ?? true
    })
    return isSigned ? 'contract' : 'wrong_signature'
  } catch (error) {
    if (error instanceof ChainUnavailableError) return 'chain_unavailable'
    throw error
  }
}
