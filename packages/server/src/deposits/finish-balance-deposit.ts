import type { ChainHead } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import type { Deposit } from './deposit.ts'
import { finishDeposits } from './finish-deposits.ts'
import type { SettleDeps } from './settle-deps.ts'

/**
 * Prices and credits a deposit that is known by the balance of its address alone. It was measured at a final block, so
 * there is no transaction to look at; its address must still have received that much.
 */
export async function finishBalanceDeposit(
  deps: SettleDeps,
  { reader, view, head }: { readonly reader: ChainReader; readonly view: ChainView; readonly head: ChainHead },
  deposit: Deposit,
): Promise<void> {
  const block = await view.findBlock(deposit.blockNumber)
  if (block === null || block.number > head.finalized.number) return
  if (block.hash !== deposit.blockHash) {
    const change = { state: 'reversed', reason: 'reorg' } as const
    await deps.deposits.change(deposit, ['seen', 'confirming'], change, deps.clock.now())
    return
  }
  if (deposit.state === 'reversed') return
  await finishDeposits(deps, { reader, view, head, txHash: deposit.txHash, block }, [deposit], [])
}
