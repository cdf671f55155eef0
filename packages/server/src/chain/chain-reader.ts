import type { Asset, ChainId, Hex } from './assets.ts'
import type { AssetPrice, BlockRef, ChainHead, FoundTransaction, TransactionFacts } from './chain-facts.ts'
import type { Balances } from './find-balances.ts'
import type { TraceWish } from './traces.ts'
import type { SignedMessage } from './verify-signature.ts'

/**
 * A chain as one provider shows it. Every method throws `ChainUnavailableError` when the provider cannot answer, or
 * contradicts itself.
 */
export interface ChainView {
  /** Names the provider without its address. */
  readonly name: string
  /** Throws also when the chain is another one, its newest block is old, or its finality does not move. */
  readHead(): Promise<ChainHead>
  /** @param head as it was read before: a block counts as final only if it was so then. */
  readTransaction(txHash: Hex, head: ChainHead, wish: TraceWish): Promise<TransactionFacts>
  /**
   * The price of an asset at a block's time, as the chain's own feed had it.
   *
   * @returns null when the feed has no usable answer for that time.
   */
  findPrice(asset: Asset, block: BlockRef, head: ChainHead): Promise<AssetPrice | null>
  /**
   * USD for one ETH at a block's time, as a second source on the chain had it.
   *
   * @returns null when there is none, or it has no usable answer.
   */
  findSecondPrice(block: BlockRef, head: ChainHead): Promise<number | null>
  /** USD for one ETH in the rounds of the feed before one, the newest first; empty where they cannot be read. */
  findEarlierPrices(round: string, head: ChainHead): Promise<readonly number[]>
  /**
   * Balances at a block, in the order of the addresses; smallest units. An impossible one is null.
   *
   * @returns null where the state is gone.
   */
  findBalances(asset: Asset, addresses: readonly Hex[], block: number): Promise<Balances | null>
  /** Transactions that moved the token to one of the addresses, lowest block first; both bounds are included. */
  findTokenTransactions(addresses: readonly Hex[], from: number, to: number): Promise<readonly FoundTransaction[]>
  /** Transactions of one block that may have paid ETH to one of the addresses. */
  findNativeTransactions(addresses: ReadonlySet<Hex>, block: number): Promise<readonly Hex[]>
  findBlock(number: number): Promise<BlockRef | null>
  /** Whether a contract on this chain, also one that is not there yet, calls the signature its own. */
  isSignedByContract(signed: SignedMessage): Promise<boolean>
  /** The address that the token's proxy leads to; null where it is none. */
  findTokenCode(): Promise<Hex | null>
}

/** A chain with all its providers. A provider is believed only after it has passed the check of `checkProvider`. */
export interface ChainReader {
  readonly chainId: ChainId
  /**
   * Asks one provider, and the next when it is unavailable. One piece of work is never answered by two of them.
   *
   * @throws {ChainUnavailableError} when none can answer.
   */
  ask<T>(work: (view: ChainView) => Promise<T>): Promise<T>
  /**
   * Another provider than that one, for a second opinion; null where only one is configured.
   *
   * @throws {ChainUnavailableError} when there are others and none can answer.
   */
  askAnother<T>(than: ChainView, work: (view: ChainView) => Promise<T>): Promise<T | null>
  /**
   * Asks every provider the same, each by itself, resting ones too. For operators, who weigh what each says.
   *
   * @returns in their order: an answer, or why there is none.
   */
  askEach<T>(work: (view: ChainView) => Promise<T>): Promise<readonly ProviderAnswer<T>[]>
  /** Ends every question that is under way, and refuses further ones: a process that stops waits for no provider. */
  stop(): void
  /** What is wrong with each provider that has been found wanting; empty when all is well. For operators. */
  readonly problems: readonly string[]
}

/** What one provider says, or why it says nothing. */
export type ProviderAnswer<T> =
  | { readonly provider: string; readonly answer: T; readonly problem: null }
  | { readonly provider: string; readonly answer: null; readonly problem: string }
