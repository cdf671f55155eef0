import { z } from 'zod'
import { isLoopback } from './reach.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'Write an address as 0x and 40 hex digits.')
  .transform((text) => text.toLowerCase())

const usd = z
  .string({ error: 'Write the amount as text in quotes, such as "500".' })
  .regex(/^\d{1,9}(\.\d{1,6})?$/, 'Write the amount in USD as a plain decimal, such as "500".')

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

const chainSchema = z.strictObject({
  token: address.optional().describe('Address of USDG; known for the main network.'),
  eth_feed: address.optional().describe('Price feed of ETH in USD; known for the main network.'),
  token_feed: address.optional().describe('Price feed of USDG in USD; known for the main network.'),
  eth_usd: usd.optional().describe('A fixed price of one ETH in USD, for a test network without a feed.'),
  second_price: secondPriceSchema
    .optional()
    .describe('A source of the price of ETH that is independent of the feed: both must agree within 2 %.'),
  multicall: address.optional().describe('A contract that reads many balances at once; used where it is there.'),
  head_age_max_ms: z
    .int()
    .min(1_000)
    .max(86_400_000)
    .optional()
    .describe('The chain is unavailable when its newest block is older; 60,000 by default.'),
  finality_age_max_ms: z
    .int()
    .min(1_000)
    .max(604_800_000)
    .optional()
    .describe('The chain is unavailable when its last final block is older; 3,600,000 by default.'),
})

export type DepositChainEntry = z.output<typeof chainSchema>

/** The part `deposits` of the configuration file. */
export const depositsSchema = z.strictObject({
  auto_limit_usd: usd.optional().describe('A deposit worth more waits for an operator; 10000 by default.'),
  second_opinion_usd: usd
    .optional()
    .describe('A deposit worth more is not credited on the word of one provider; 500 by default.'),
  second_price_usd: usd
    .optional()
    .describe('A deposit in ETH worth more is not credited on the word of one source of prices; 500 by default.'),
  blocked_senders: z.array(address).max(10_000).optional().describe('Addresses whose deposits wait for an operator.'),
  watch_ms: z.int().min(100).max(600_000).optional().describe('How often the chain is looked at; 3,000 by default.'),
  chains: z.strictObject({ 4663: chainSchema.optional(), 46630: chainSchema.optional() }).optional(),
})
