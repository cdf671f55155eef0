import { formatDecimal } from '../pricing/usd.ts'
import type { Asset } from './assets.ts'
import type { AssetPrice } from './chain-facts.ts'

/** One answer of a price feed. */
export interface FeedRound {
  readonly roundId: bigint
  /** USD for one whole unit in 10⁻⁸; may be any number, since a feed can be wrong. */
  readonly answer: bigint
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
}

/** Decimals of the feeds' answers: compared with the feeds' own at the start. Source: the feeds' directory. */
export const FEED_DECIMALS = 8

/**
 * The feeds answer at least once a day, and one hour is for what can delay an answer. A tighter bound would refuse
 * quiet hours, in which no answer is due. Source: the feeds' heartbeat, decision 0028.
 */
const ROUND_AGE_MAX_MS = (86_400 + 3_600) * 1_000

/** Prices beyond these are a feed's mistake, in 10⁻⁸ USD. Source: decision 0028. */
const BANDS: Readonly<Record<Asset, { readonly min: bigint; readonly max: bigint }>> = {
  ETH: { min: 100n * 10n ** 8n, max: 100_000n * 10n ** 8n },
  USDG: { min: 5n * 10n ** 7n, max: 15n * 10n ** 7n },
}

/** From this price on a dollar of the token is a dollar, in 10⁻⁸ USD. Source: decision 0028. */
const PAR_FROM = 99_500_000n

export type RoundVerdict = 'usable' | 'empty' | 'later' | 'stale' | 'beyond belief'

/** Says whether a round can price a deposit of that time. */
export function judgeRound(asset: Asset, round: FeedRound, timeMs: number): RoundVerdict {
  if (round.answer <= 0n || round.updatedAt <= 0) return 'empty'
  if (round.updatedAt > timeMs) return 'later'
  if (timeMs - round.updatedAt > ROUND_AGE_MAX_MS) return 'stale'
  const { min, max } = BANDS[asset]
  return round.answer >= min && round.answer <= max ? 'usable' : 'beyond belief'
}

/** The price that a usable round gives. The token counts as one dollar unless its price has clearly left it. */
export function priceFromRound(asset: Asset, round: FeedRound): AssetPrice {
  if (asset === 'USDG' && round.answer >= PAR_FROM) return { usd: '1', round: 'par', time: round.updatedAt }
  return { usd: formatDecimal(round.answer, FEED_DECIMALS), round: round.roundId.toString(), time: round.updatedAt }
}
