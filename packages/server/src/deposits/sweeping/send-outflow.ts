import type { Hex } from '../../chain/assets.ts'
import type { Outflow } from '../outflow.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { addressOfKey, signEtherSweep, signTokenSweep, validBeforeOf, type SignedSweep } from './sign-sweep.ts'
import type { SweepDeps } from './sweep-deps.ts'

/** The next nonce of the relayer, which sends several transactions in one round. */
export interface RelayerNonce {
  next: number
}

/**
 * Records an outflow, signs it, records the hash, and only then sends it: a process that dies in between leaves a row
 * that says what may be on its way.
 */
export async function sendOutflow(
  deps: SweepDeps,
  outflow: Outflow,
  childKey: Hex,
  relayer: RelayerNonce,
): Promise<void> {
  if ((await addressOfKey(childKey)) !== outflow.address) throw new InvariantError('the key is not that of the address')
  await deps.outflows.insert(outflow, deps.clock.now())
  const { txHash, signed } = await sign(deps, outflow, childKey, relayer)
  await deps.outflows.change(outflow.outflowId, ['planned'], { state: 'sent', txHash }, deps.clock.now())
  await deps.chain.broadcast(signed)
  if (outflow.asset === 'USDG') relayer.next++
}

async function sign(
  { chain, keys }: SweepDeps,
  outflow: Outflow,
  childKey: Hex,
  relayer: RelayerNonce,
): Promise<SignedSweep> {
  const { chainId, token } = chain
  const { treasury, relayerKey } = keys
  if (outflow.asset === 'ETH') {
    const nonce = await chain.readNonce(outflow.address, 'latest')
    return signEtherSweep({ chainId, outflow, treasury, childKey, nonce })
  }
  const [domainSeparator, gasPrice] = await Promise.all([chain.readDomainSeparator(), chain.readGasPrice()])
  return signTokenSweep({
    ...{ chainId, token, domainSeparator, outflow, treasury, childKey, relayerKey, gasPrice },
    validBefore: validBeforeOf(outflow),
    relayerNonce: relayer.next,
  })
}
