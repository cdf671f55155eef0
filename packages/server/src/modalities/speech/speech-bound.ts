/** What a spoken text can cost at most, by its length. Pure. */
import { nanocreditsOf } from '@svc/contract'
import type { Bound } from '../../pipeline/paid-work.ts'
import type { SpeechPrices } from '../../pricing/media-price.ts'
import { chargeForCost } from '../../pricing/usd.ts'

/** How long a text is, in the units that it is sold by. */
export interface TextLength {
  readonly characters: number
  /** Of its UTF-8 text. */
  readonly bytes: number
}

/** What of a text is charged: characters, or bytes where the list sells them. */
export function unitsOf({ unit }: SpeechPrices, { bytes, characters }: TextLength): number {
  return unit === 'byte' ? bytes : characters
}

/** Of the list at which a text of this length is dearest. @param lists of every upstream that may serve it. */
export function boundSpeech(lists: readonly SpeechPrices[], length: TextLength): Bound {
  const bounds = lists.map((prices) => ({ perUnit: chargeForCost(prices.perUnit), units: unitsOf(prices, length) }))
  const wholeOf = ({ perUnit, units }: (typeof bounds)[number]): bigint => perUnit * BigInt(units)
  const { perUnit, units } = bounds.reduce((most, bound) => (wholeOf(bound) > wholeOf(most) ? bound : most))
  return { fixed: nanocreditsOf(0n), perUnit, units, firstUnits: units, policy: 'exact' }
}
