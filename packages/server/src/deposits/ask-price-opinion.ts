import type { AssetPrice, BlockRef, ChainHead } from '../chain/chain-facts.ts'
import type { ChainId } from '../chain/assets.ts'
import type { ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import type { DepositStore } from './deposit-store.ts'
import { judgePrice, type PriceOpinion } from './judge-price.ts'

/** A source of the price of ETH beside the chain's feed. */
export interface SecondPrice {
  /** USD for one ETH at a block's time; null where it has no price of then. */
  find(view: ChainView, block: BlockRef, head: ChainHead): Promise<number | null>
  /** Called in every round of the watcher. */
  tick(): Promise<void>
  /** Ends what is under way. */
  stop(): void
}

export interface PriceOpinionDeps {
  /** By chain; a chain without one is missing. */
  readonly secondPrices: ReadonlyMap<ChainId, SecondPrice>
  readonly deposits: Pick<DepositStore, 'findBelievedPrice'>
}

/** Rounds of a price without a feed: set by the operator, or a dollar by its name. */
const NO_FEED = new Set(['fixed', 'par'])

/**
 * Asks what speaks for the price of ETH that the feed has given: a second source, and where that says nothing, what was
 * believed and given before.
 */
export async function askPriceOpinion(
  deps: PriceOpinionDeps,
  { chainId, view, head, block }: { chainId: ChainId; view: ChainView; head: ChainHead; block: BlockRef },
  price: AssetPrice,
): Promise<PriceOpinion> {
  if (NO_FEED.has(price.round)) return 'agrees'
  const source = deps.secondPrices.get(chainId)
  const second = source === undefined ? null : await orNull(source.find(view, block, head))
  const evidence = { usd: Number(price.usd), time: block.time, second, hasSecond: source !== undefined }
  if (second !== null) return judgePrice({ ...evidence, believed: null, rounds: [] })
  const believed = await deps.deposits.findBelievedPrice(chainId)
  const rounds = await orNull(view.findEarlierPrices(price.round, head))
  return judgePrice({ ...evidence, believed, rounds: rounds ?? [] })
}

async function orNull<T>(asked: Promise<T | null>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ChainUnavailableError) return null
    throw error
  }
}
