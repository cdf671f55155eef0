import type { Asset, ChainId, Hex } from './assets.ts'
import type { AssetPrice, BlockRef, ChainHead, ChainTransfer, TransactionFacts } from './chain-facts.ts'

/**
 * A chain that cannot be asked, or whose answers cannot be believed, now. Nothing was decided; the same question may be
 * asked again.
 */
export class ChainUnavailableError extends Error {
  readonly retryAfterSeconds: number

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ChainUnavailableError'
    this.retryAfterSeconds = options.retryAfterSeconds ?? 10
  }
}

/** The port to one chain. Every method throws {@link ChainUnavailableError} when the chain cannot answer. */
export interface ChainReader {
  readonly chainId: ChainId
  /** Throws also when the head is old or finality does not move. */
  readHead(): Promise<ChainHead>
  readTransaction(txHash: Hex, head: ChainHead): Promise<TransactionFacts>
  /** Whether a second provider tells the same of a transaction. Null where there is no second one. */
  confirmTransaction(txHash: Hex, block: BlockRef, transfers: readonly ChainTransfer[]): Promise<boolean | null>
  /**
   * The price of an asset at a block's time.
   *
   * @returns null when the feed has no usable answer for that time.
   */
  findPrice(asset: Asset, block: BlockRef): Promise<AssetPrice | null>
  /** Balances at a block, in the order of the addresses; smallest units. */
  readBalances(asset: Asset, addresses: readonly Hex[], block: BlockRef): Promise<readonly bigint[]>
  /** Hashes of transactions that moved USDG to one of the addresses, oldest first; both bounds are included. */
  findTokenTransactions(addresses: readonly Hex[], from: number, to: number): Promise<readonly Hex[]>
  /** Hashes of the transactions of a block range that may have paid ETH to one of the addresses, oldest first. */
  findNativeTransactions(addresses: readonly Hex[], from: number, to: number): Promise<readonly Hex[]>
  findBlock(number: number): Promise<BlockRef | null>
}
