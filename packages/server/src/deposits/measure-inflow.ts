import type { Asset, ChainId, Hex } from '../chain/assets.ts'
import type { ChainHead } from '../chain/chain-facts.ts'
import type { ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import type { FinalInflow } from '../money/ledger/credit-operations.ts'
import type { OutflowStore } from './outflow.ts'

export interface InflowQuestion {
  readonly chainId: ChainId
  readonly address: Hex
  readonly asset: Asset
}

export interface MeasuredInflow extends FinalInflow {
  /** Whether a payment of ours is on its way: then more may have come than can be said. */
  readonly isMoving: boolean
}

/**
 * Measures all that ever came to an address: its balance at the final block and what we moved away ourselves. No one
 * else can spend from it, so a mistake in reading transactions cannot make credits.
 *
 * @returns null where the provider lacks the state.
 * @throws {ChainUnavailableError} for an impossible balance.
 */
export async function measureInflow(
  { outflows }: { readonly outflows: Pick<OutflowStore, 'sumOf'> },
  { view, head }: { readonly view: ChainView; readonly head: ChainHead },
  question: InflowQuestion,
): Promise<MeasuredInflow | null> {
  const blockNumber = head.finalized.number
  const found = await view.findBalances(question.asset, [question.address], blockNumber)
  const balance = found?.[0]
  if (balance === undefined) return null
  if (balance === null) throw new ChainUnavailableError(`${view.name} answered an impossible balance`)
  const { settled, isMoving } = await outflows.sumOf({ ...question, block: blockNumber })
  return { amount: balance + settled, blockNumber, isMoving }
}
