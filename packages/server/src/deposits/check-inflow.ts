import type { Asset, ChainId, Hex } from '../chain/assets.ts'
import type { ChainHead } from '../chain/chain-facts.ts'
import type { ChainView } from '../chain/chain-reader.ts'
import type { Clock } from '../runtime/clock.ts'
import type { DepositStore } from './deposit-store.ts'
import type { InflowStore } from './inflow-store.ts'
import type { OutflowStore } from './outflow.ts'

export interface InflowDeps {
  readonly deposits: Pick<DepositStore, 'listAmounts'>
  readonly outflows: Pick<OutflowStore, 'sumOf'>
  readonly inflows: InflowStore
  readonly clock: Clock
}

export interface InflowQuestion {
  readonly chainId: ChainId
  readonly address: Hex
  readonly asset: Asset
}

export type InflowVerdict =
  /** What was credited and this deposit together came to the address. */
  | { readonly kind: 'covered' }
  /** It cannot be told while a payment of ours is on its way, or while the provider lacks the state. */
  | { readonly kind: 'unknown' }
  /** More would be credited than ever came. */
  | { readonly kind: 'exceeded'; readonly inflow: bigint; readonly credited: bigint }

/**
 * Compares what would be credited for an address with all that ever came to it: its balance at the final block and what
 * we moved away ourselves. Nobody else can spend from it, so a mistake in reading transactions cannot make credits.
 *
 * @param depositId the deposit that is about to be credited.
 */
export async function checkInflow(
  deps: InflowDeps,
  { view, head }: { readonly view: ChainView; readonly head: ChainHead },
  question: InflowQuestion,
  depositId: string,
): Promise<InflowVerdict> {
  const { chainId, address, asset } = question
  const block = head.finalized.number
  const found = await view.findBalances(asset, [address], block)
  const balance = found?.[0]
  if (balance === undefined) return { kind: 'unknown' }
  const { settled, isMoving } = await deps.outflows.sumOf({ ...question, block })
  const inflow = balance + settled
  const rows = await deps.deposits.listAmounts(chainId, address, asset)
  const credited = rows
    .filter((row) => row.state === 'credited' || row.depositId === depositId)
    .reduce((sum, { amount }) => sum + amount, 0n)
  if (credited > inflow) return isMoving ? { kind: 'unknown' } : { kind: 'exceeded', inflow, credited }
  await deps.inflows.note({ ...question, inflow, blockNumber: block }, deps.clock.now())
  return { kind: 'covered' }
}
