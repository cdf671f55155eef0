import type { ChainId } from '../chain/assets.ts'
import type { BlockRef } from '../chain/chain-facts.ts'
import type { ChainView } from '../chain/chain-reader.ts'
import type { WatchStore } from './watch-store.ts'

/** The clock that dates an address and that of the chain may differ by so much. Source: own choice. */
const CLOCK_MARGIN_MS = 3_600_000

export interface WatchStart {
  readonly chainId: ChainId
  readonly view: ChainView
  readonly finalized: BlockRef
}

/**
 * The final block after which a chain is watched for the first time: one from before an address was given out. The
 * watch may begin much later than that, where no provider could be reached or the process did not live so long.
 */
export async function findWatchStart(
  { watch }: { readonly watch: Pick<WatchStore, 'findFirstPayer'> },
  { chainId, view, finalized }: WatchStart,
): Promise<number> {
  const since = await watch.findFirstPayer(chainId)
  if (since === null) return finalized.number
  return findBlockBefore(view, since - CLOCK_MARGIN_MS, finalized)
}

/** The newest block that is not younger than a time, by halving; of blocks that a provider has dropped, the newest. */
async function findBlockBefore(view: ChainView, time: number, last: BlockRef): Promise<number> {
  if (last.time <= time) return last.number
  let [low, high] = [0, last.number]
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    const block = await view.findBlock(middle)
    if (block === null || block.time <= time) low = middle
    else high = middle
  }
  return low
}
