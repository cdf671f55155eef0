import type { Asset, ChainId, Hex } from '../chain/assets.ts'

/** What left one of our addresses, by our own doing. Recorded as `planned` before it is sent. */
export interface Outflow {
  readonly outflowId: string
  readonly chainId: ChainId
  readonly asset: Asset
  readonly address: Hex
  readonly txHash: Hex | null
  /** Smallest units, without the fee. */
  readonly amount: bigint
  /** Wei that the address itself paid for it; 0 where another account pays. */
  readonly fee: bigint
  readonly state: 'planned' | 'sent' | 'final' | 'failed'
  readonly blockNumber: number | null
  readonly blockHash: Hex | null
}

/** What has left an address, and whether something is leaving it now. */
export interface OutflowTotal {
  /** Smallest units that left in final blocks up to the one that was asked for, fees included. */
  readonly settled: bigint
  /** Whether something was planned or sent whose end is not known at that block. */
  readonly isMoving: boolean
}

export interface OutflowStore {
  insert(outflow: Outflow, now: number): Promise<void>
  /**
   * Changes an outflow that is in one of the states.
   *
   * @returns false when it is in none of them.
   */
  change(
    outflowId: string,
    from: readonly Outflow['state'][],
    change: Partial<Pick<Outflow, 'state' | 'txHash' | 'amount' | 'fee' | 'blockNumber' | 'blockHash'>>,
    now: number,
  ): Promise<boolean>
  find(outflowId: string): Promise<Outflow | null>
  /** Those whose end is not known yet, oldest first. */
  listMoving(chainId: ChainId, limit: number): Promise<readonly Outflow[]>
  /** @param block a final block: what left later is not counted, and counts as moving. */
  sumOf(question: OutflowQuestion): Promise<OutflowTotal>
}

export interface OutflowQuestion {
  readonly chainId: ChainId
  readonly asset: Asset
  readonly address: Hex
  readonly block: number
}
