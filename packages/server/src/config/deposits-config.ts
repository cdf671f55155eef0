/** How deposits are taken. Source: decisions 0028 and 0029. */
export interface DepositsConfig {
  /** An address for each account, or one treasury that linked wallets pay to. */
  readonly mode: 'address' | 'treasury'
  /** USD as decimal text: what comes to less waits until more has come. */
  readonly minimumUsd: string
  /** USD as decimal text: what is worth more waits for an operator. */
  readonly autoLimitUsd: string
  /** USD as decimal text: what is worth more is not credited on the word of one provider. */
  readonly secondOpinionUsd: string
  /** USD as decimal text: ETH that is worth more is not credited on the word of one source of prices. */
  readonly secondPriceUsd: string
  /** Senders, in lower case, whose deposits wait for an operator. */
  readonly blockedSenders: readonly string[]
  /** How often the chain is looked at. */
  readonly watchMs: number
  /** The chains that are read; never empty. */
  readonly chains: readonly DepositChainConfig[]
}

/** One chain. Addresses are in lower case. */
export interface DepositChainConfig {
  readonly chainId: 4663 | 46630
  /** In order of preference. They may hold keys: never logged. */
  readonly rpcUrls: readonly string[]
  /** Extended public key of the addresses; null in the treasury mode. */
  readonly xpub: string | null
  readonly treasury: string | null
  readonly token: string | null
  /** Price feeds; null where there is none. */
  readonly ethFeed: string | null
  readonly tokenFeed: string | null
  /** USD for one ETH as decimal text, where there is no feed. */
  readonly fixedEthUsd: string | null
  /** A source of the price of ETH that is independent of the feed; null where there is none. */
  readonly secondPrice: SecondPriceConfig | null
  /** A contract that reads many balances at once; used where it is there. */
  readonly multicall: string
  /** A newest block that is older makes the chain unavailable. */
  readonly headAgeMaxMs: number
  /** A final block that is older makes the chain unavailable. */
  readonly finalityAgeMaxMs: number
}

/** The second source of the price of ETH. */
export type SecondPriceConfig =
  | { readonly kind: 'feed' | 'pool'; readonly address: string }
  | { readonly kind: 'ticker'; readonly url: string; readonly pointer: string }
