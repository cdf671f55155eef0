/**
 * Room `chain`: what a chain says about a transaction. It decides from facts that it has read which transfers came to
 * given addresses and how final they are. It knows no accounts, no database and no ledger; its invariant is that what
 * it has not seen in a block of the chain does not exist.
 */

/** Robinhood Chain and its test network. Source: spec 3.3. */
export const CHAIN_IDS = [4663, 46630] as const
export type ChainId = (typeof CHAIN_IDS)[number]

/** What may be deposited. Source: spec 3.3. */
export const ASSETS = ['USDG', 'ETH'] as const
export type Asset = (typeof ASSETS)[number]

/** Decimals of each asset: pinned, and compared with the token's own at the start. */
export const ASSET_DECIMALS: Readonly<Record<Asset, number>> = { USDG: 6, ETH: 18 }

/** The test network: what it pays is worth nothing. */
export const TESTNET_CHAIN_ID = 46630

/** An address or a hash as lower-case hex text. */
export type Hex = `0x${string}`
