import type { Hex } from '../../chain/assets.ts'
import type { Outflow } from '../outflow.ts'
import { authorizationNonce, signEtherSweep, validBeforeOf } from './sign-sweep.ts'
import type { SweepBlock } from './sweep-chain.ts'
import type { SweepDeps } from './sweep-deps.ts'

export type OutflowEnd = 'final' | 'failed' | 'moving'

/**
 * Follows an outflow to its end: final once it has left in a final block, failed once it never can.
 *
 * One that was planned and never signed has not left. One that was signed is dead only when the chain says so: the use
 * and the end of its authorization decide, not the silence of a provider.
 *
 * @param childKey of its address; null when the address is not of this key.
 */
export async function followOutflow(
  deps: SweepDeps,
  finalized: SweepBlock,
  outflow: Outflow,
  childKey: Hex | null,
): Promise<OutflowEnd> {
  const { txHash } = outflow
  if (outflow.state === 'planned' || txHash === null) return fail(deps, outflow)
  const receipt = await deps.chain.findReceipt(txHash)
  if (receipt !== null && receipt.blockNumber > finalized.number) return 'moving'
  if (receipt === null || (!receipt.isSuccess && outflow.asset === 'USDG')) {
    return outflow.asset === 'USDG' ? followToken(deps, finalized, outflow) : sendAgain(deps, outflow, childKey)
  }
  const place = { state: 'final', blockNumber: receipt.blockNumber, blockHash: receipt.blockHash } as const
  // A payment that the treasury refused moved nothing and cost its fee all the same.
  const ether = { fee: receipt.fee, amount: receipt.isSuccess ? outflow.amount : 0n }
  const change = { ...place, ...(outflow.asset === 'ETH' ? ether : {}) }
  await deps.outflows.change(outflow.outflowId, ['sent'], change, deps.clock.now())
  return 'final'
}

/** Any sender may submit an authorization that was seen, so its use and not our own transaction decides. */
async function followToken(deps: SweepDeps, finalized: SweepBlock, outflow: Outflow): Promise<OutflowEnd> {
  const nonce = await authorizationNonce(outflow)
  if (await deps.chain.isAuthorizationUsed(outflow.address, nonce, finalized)) {
    const change = { state: 'final', blockNumber: finalized.number, blockHash: finalized.hash } as const
    await deps.outflows.change(outflow.outflowId, ['sent'], change, deps.clock.now())
    return 'final'
  }
  return finalized.time >= validBeforeOf(outflow) ? fail(deps, outflow) : 'moving'
}

/**
 * A payment that no node knows is sent once more. Signed for the same outflow and nonce it is the same transaction, so
 * it cannot be paid twice.
 */
async function sendAgain({ chain, keys }: SweepDeps, outflow: Outflow, childKey: Hex | null): Promise<OutflowEnd> {
  if (childKey === null) return 'moving'
  const nonce = await chain.readNonce(outflow.address, 'latest')
  const again = await signEtherSweep({ chainId: chain.chainId, outflow, treasury: keys.treasury, childKey, nonce })
  if (again.txHash !== outflow.txHash) {
    throw new Error('the payment is not known, and it cannot be signed again as it was: compare the address by hand')
  }
  await chain.broadcast(again.signed)
  return 'moving'
}

async function fail({ outflows, clock }: SweepDeps, { outflowId }: Outflow): Promise<OutflowEnd> {
  await outflows.change(outflowId, ['planned', 'sent'], { state: 'failed' }, clock.now())
  return 'failed'
}
