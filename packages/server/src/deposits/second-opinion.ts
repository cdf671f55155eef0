import type { Asset, Hex } from '../chain/assets.ts'
import type { AssetPrice, BlockRef, ChainTransfer } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import type { DepositFacts } from './deposit-policy.ts'

/** What one provider has reported, to be compared with what another reports. */
export interface Testimony {
  readonly txHash: Hex
  readonly block: BlockRef
  readonly transfers: readonly ChainTransfer[]
  readonly prices: ReadonlyMap<Asset, AssetPrice>
}

/**
 * Asks another provider for the same transaction in the same final block with the same transfers at the same price.
 * `later` when it cannot be asked, or has not come so far yet.
 */
export async function askSecondOpinion(
  reader: ChainReader,
  than: ChainView,
  testimony: Testimony,
): Promise<DepositFacts['opinion']> {
  try {
    return (await reader.askAnother(than, (view) => compare(view, testimony))) ?? 'alone'
  } catch (error) {
    if (error instanceof ChainUnavailableError) return 'later'
    throw error
  }
}

async function compare(view: ChainView, testimony: Testimony): Promise<DepositFacts['opinion']> {
  const { txHash, block, transfers, prices } = testimony
  // A balance is no transaction that another provider could confirm.
  if (transfers.length === 0) return 'alone'
  const head = await view.readHead()
  if (head.finalized.number < block.number) return 'later'
  const isInner = (transfer: ChainTransfer): boolean => transfer.ordinal.startsWith('trace:')
  const facts = await view.readTransaction(txHash, head, transfers.some(isInner) ? 'always' : 'never')
  if (facts.kind !== 'mined' || facts.block.hash !== block.hash) return 'differs'
  if (!facts.isTraced && transfers.some(isInner)) return 'alone'
  const isTold = (transfer: ChainTransfer): boolean => facts.transfers.some((other) => isSame(transfer, other))
  if (!transfers.every(isTold)) return 'differs'
  for (const [asset, price] of prices) {
    const other = await view.findPrice(asset, block, head)
    if (other === null) return 'later'
    if (other.usd !== price.usd || other.round !== price.round) return 'differs'
  }
  return 'agrees'
}

function isSame(one: ChainTransfer, other: ChainTransfer): boolean {
  return (
    one.ordinal === other.ordinal &&
    one.asset === other.asset &&
    one.from === other.from &&
    one.to === other.to &&
    one.amount === other.amount
  )
}
