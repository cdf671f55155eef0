/**
 * Room `sweeping`: what came to deposit addresses is moved to the treasury. It holds private keys, so it runs in a
 * process of its own and knows neither the gateway nor its edge. Invariant: nothing is sent before it is recorded, and
 * what is recorded is sent at most once.
 */
import type { ChainId, Hex } from '../../chain/assets.ts'

/** A block as far as sweeping cares. */
export interface SweepBlock {
  readonly number: number
  readonly hash: Hex
  /** Seconds since the epoch. */
  readonly time: number
}

export interface SweepReceipt {
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly isSuccess: boolean
  /** Wei that the sender paid. */
  readonly fee: bigint
}

/** What sweeping asks of a chain. Every method throws when the provider does not answer. */
export interface SweepChain {
  readonly chainId: ChainId
  readonly token: Hex
  readFinalized(): Promise<SweepBlock>
  /** Balances at a block; smallest units. */
  readBalances(address: Hex, block: SweepBlock): Promise<{ readonly USDG: bigint; readonly ETH: bigint }>
  /** Transactions that an address has sent: by the newest block, or with those that wait for a block. */
  readNonce(address: Hex, block: 'latest' | 'pending'): Promise<number>
  /** Whether a token authorization was used by that block. */
  isAuthorizationUsed(authorizer: Hex, nonce: Hex, block: SweepBlock): Promise<boolean>
  /** The separator of the token's domain, for typed signatures. Source: EIP-712. */
  readDomainSeparator(): Promise<Hex>
  findReceipt(txHash: Hex): Promise<SweepReceipt | null>
  /** The most that a unit of gas may cost for the next minutes, in wei. */
  readGasPrice(): Promise<bigint>
  /** Hands a signed transaction over. One that is known already does no harm. */
  broadcast(signed: Hex): Promise<void>
}
