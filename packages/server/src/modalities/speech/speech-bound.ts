/** What a spoken text can cost at most, by its length. Pure. */
import { nanocreditsOf } from '@svc/contract'
import type { Bound } from '../../pipeline/paid-work.ts'
import { amountOf, type BoundLine } from '../../pricing/bound-line.ts'
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

/**
 * What the text is charged at most, by the list at which it is dearest: lists may count in different units.
 *
 * @param lists of every upstream that may serve it; at least one.
 */
export function speechLine(lists: readonly SpeechPrices[], length: TextLength): BoundLine {
  const lines = lists.map((prices): BoundLine => {
    const unit = prices.unit === 'byte' ? 'bytes' : 'characters'
    return { unit, quantity: unitsOf(prices, length), perUnit: chargeForCost(prices.perUnit) }
  })
  return lines.reduce((most, line) => (amountOf(line) > amountOf(most) ? line : most))
}

/** @param lists of every upstream that may serve it; at least one. */
export function boundSpeech(lists: readonly SpeechPrices[], length: TextLength): Bound {
  const { quantity: units, perUnit } = speechLine(lists, length)
  return { fixed: nanocreditsOf(0n), perUnit, units, firstUnits: units, policy: 'exact' }
}
