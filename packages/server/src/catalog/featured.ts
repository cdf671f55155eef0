/**
 * The featured aliases: short names with a price of their own, the rate card.
 */
import type { ModelType } from '@svc/contract'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import { parseCardNumber, type CardUnit } from '../pricing/card.ts'
import type { CardRate } from '../pricing/price.ts'
import { readDataFile } from './data-file.ts'

export interface FeaturedAlias {
  readonly alias: string
  readonly type: ModelType
  readonly card: CardRate
  /** The upstream id that it leads to, unless a route says otherwise. */
  readonly model: string
  /** Served by confidential-compute providers only. */
  readonly confidential: boolean
}

/** The file's form. Card numbers are credits as decimal text. */
export interface FeaturedFile {
  readonly aliases: readonly FeaturedRow[]
}

export interface FeaturedRow {
  readonly alias: string
  readonly type: 'text' | 'image'
  readonly card_input: string
  readonly card_output: string
  readonly model: string
  readonly confidential?: boolean | undefined
}

/**
 * Loads the rate card, in its printed order.
 *
 * @param unit how the printed numbers are read. Source: spec 2.14, decision 0003.
 * @throws {InvariantError} when the file is damaged.
 */
export function loadFeatured(unit: CardUnit): readonly FeaturedAlias[] {
  const file = readDataFile('featured.json') as FeaturedFile
  return file.aliases.map((row) => ({
    alias: row.alias,
    type: row.type,
    card: { input: cardNumber(row.card_input, unit), output: cardNumber(row.card_output, unit) },
    model: row.model,
    confidential: row.confidential ?? false,
  }))
}

function cardNumber(text: string, unit: CardUnit): CardRate['input'] {
  const rate = parseCardNumber(text, unit)
  if (rate === null)
    throw new InvariantError(`"${text}" on the rate card is not a whole number of nanocredits per token.`)
  return rate
}
