/** What the books say of a request that was settled. */
export interface BookedCharge {
  readonly charge: bigint
  readonly writeOff: bigint
  /** Whether another process has settled it by what it knew, since the one that worked on it was gone. */
  readonly isSwept: boolean
}
