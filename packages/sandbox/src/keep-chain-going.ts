import { askNode, pushPrices } from './place-contracts.ts'

/** How often a local chain is looked at, in milliseconds. */
const LOOK_MS = 1_000
/** Blocks on top of the last one with transactions before the chain rests: then it is final. */
const EMPTY_BLOCKS = 3
/** How often the feeds answer anew while the chain moves, in milliseconds: the product takes an answer for a day. */
const PRICES_MS = 6 * 3_600_000

interface NodeBlock {
  readonly number: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

/**
 * Makes blocks on a local chain until what it holds is final, and then lets it rest: an unused chain costs
 * nothing and does not grow.
 *
 * @returns what ends it.
 */
export async function keepChainGoing(url: string): Promise<() => void> {
  await pushPrices(url)
  let pricesAt = performance.now()
  let isStopped = false
  let empty = 0
  let last = ''
  const look = async (): Promise<void> => {
    const block = (await askNode(url, 'eth_getBlockByNumber', ['latest', false])) as NodeBlock
    if (block.transactions.length > 0) empty = 0
    else if (block.number !== last) empty++
    last = block.number
    if (empty >= EMPTY_BLOCKS) return
    if (performance.now() - pricesAt > PRICES_MS) {
      pricesAt = performance.now()
      await pushPrices(url)
    }
    await askNode(url, 'evm_mine')
  }
  const again = (): void => {
    if (isStopped) return
    // A chain that does not answer now may do so later; its caller reports it.
    const timeout = setTimeout(
      () =>
        void look()
          .catch(() => undefined)
          .then(again),
      LOOK_MS,
    )
    timeout.unref()
  }
  again()
  return () => {
    isStopped = true
  }
}
