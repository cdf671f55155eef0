import { z } from 'zod'
import type { Environment } from './environment.ts'
import { filePart, orNull } from './file-part.ts'
import { isLoopback } from './reach.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'Write an address as 0x and 40 hex digits.')
  .transform((text) => text.toLowerCase())

const usd = z
  .string({ error: 'Write the amount as text in quotes, such as "500".' })
  .regex(/^\d{1,9}(\.\d{1,6})?$/, 'Write the amount in USD as a plain decimal, such as "500".')

/** Multicall3, at the address that all its deployments have. */
const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11'

const secondPriceSchema = z.union([
  z.strictObject({ feed: address.describe('A price feed of another operator, with 8 decimals.') }),
  z.strictObject({
    pool: address.describe(
      'A pool of the token and wrapped ETH that keeps a history of prices, as Uniswap v3 has them.',
    ),
  }),
  z.strictObject({
    url: z
      .string()
      .max(500)
      .refine(isTickerUrl, 'Write an https:// address; http:// only for this machine.')
      .describe('Where an exchange or a price service answers with JSON. Asked once a minute.'),
    pointer: z
      .string()
      .max(200)
      .regex(/^(\/([^~/]|~[01])*)+$/, 'Write a JSON pointer, such as "/data/amount".')
      .describe('Where the answer has the USD for one ETH, as a number or as text.'),
  }),
])

function isTickerUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

/** The second source of the price of ETH. */
type SecondPriceConfig =
  | { readonly kind: 'feed' | 'pool'; readonly address: string }
  | { readonly kind: 'ticker'; readonly url: string; readonly pointer: string }

function secondPriceOf(entry: z.output<typeof secondPriceSchema>): SecondPriceConfig {
  if ('feed' in entry) return { kind: 'feed', address: entry.feed }
  if ('pool' in entry) return { kind: 'pool', address: entry.pool }
  return { kind: 'ticker', ...entry }
}

const chainSchema = filePart({
  token: orNull(address).describe('Address of USDG; known for the main network.'),
  eth_feed: orNull(address).describe('Price feed of ETH in USD; known for the main network.'),
  token_feed: orNull(address).describe('Price feed of USDG in USD; known for the main network.'),
  eth_usd: orNull(usd).describe('A fixed price of one ETH in USD, for a test network without a feed.'),
  second_price: orNull(secondPriceSchema.transform(secondPriceOf)).describe(
    'A source of the price of ETH that is independent of the feed: both must agree within 2 %.',
  ),
  multicall: address
    .prefault(MULTICALL)
    .describe('A contract that reads many balances at once; used where it is there.'),
  head_age_max_ms: z
    .int()
    .min(1_000)
    .max(86_400_000)
    .default(60_000)
    .describe('The chain is unavailable when its newest block is older.'),
  finality_age_max_ms: z
    .int()
    .min(1_000)
    .max(604_800_000)
    .default(3_600_000)
    .describe('The chain is unavailable when its last final block is older.'),
})

export type DepositChainEntry = z.output<typeof chainSchema>

/** The part `deposits` of the configuration file. */
export const depositsSchema = filePart({
  auto_limit_usd: usd.default('10000').describe('A deposit worth more waits for an operator.'),
  second_opinion_usd: usd.default('500').describe('A deposit worth more is not credited on the word of one provider.'),
  second_price_usd: usd
    .default('500')
    .describe('A deposit in ETH worth more is not credited on the word of one source of prices.'),
  blocked_senders: z.array(address).max(10_000).default([]).describe('Addresses whose deposits wait for an operator.'),
  watch_ms: z.int().min(100).max(600_000).default(3_000).describe('How often the chain is looked at.'),
  chains: z.strictObject({ 4663: chainSchema.prefault({}), 46630: chainSchema.prefault({}) }).prefault({}),
})

/** How deposits are taken. Source: decisions 0028 and 0029. */
export interface DepositsConfig extends Omit<z.output<typeof depositsSchema>, 'chains'> {
  /** An address for each account, or one treasury that linked wallets pay to. */
  readonly mode: Environment['SVC_DEPOSIT_MODE']
  /** USD as decimal text: what comes to less waits until more has come. */
  readonly minimumUsd: string
  /** The chains that are read; never empty. */
  readonly chains: readonly DepositChainConfig[]
}

/** One chain. Addresses are in lower case. */
export interface DepositChainConfig extends DepositChainEntry {
  readonly chainId: 4663 | 46630
  /** In order of preference. They may hold keys: never logged. */
  readonly rpcUrls: readonly string[]
  /** Extended public key of the addresses; null in the treasury mode. */
  readonly xpub: string | null
  readonly treasury: string | null
}
