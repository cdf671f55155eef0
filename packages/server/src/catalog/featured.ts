/**
 * The featured aliases: short names with a price of their own, the rate card.
 */
import { z } from 'zod'
import { InvariantError } from '../errors/invariant-error.ts'
import { parseCardNumber, type CardUnit } from '../pricing/card.ts'
import type { CardRate } from '../pricing/price.ts'
import { readDataFile } from './data-file.ts'
import type { ModelType } from './model.ts'

export interface FeaturedAlias {
  readonly alias: string
  readonly type: ModelType
  readonly card: CardRate
  /** The upstream id that it leads to, unless a route says otherwise. */
  readonly model: string
  /** Served by confidential-compute providers only. */
  readonly confidential: boolean
}

const decimal = z.string().regex(/^\d+(\.\d+)?$/)

const schema = z.object({
  aliases: z.array(
    z.object({
      alias: z.string().min(1),
      type: z.enum(['text', 'image']),
      card_input: decimal,
      card_output: decimal,
      model: z.string().min(1),
      confidential: z.boolean().default(false),
    }),
  ),
})

/**
 * Loads the rate card, in its printed order.
 *
 * @param unit how the printed numbers are read. Source: spec 2.14, decision 0003.
 * @throws {InvariantError} when the file is damaged.
 */
export function loadFeatured(unit: CardUnit): readonly FeaturedAlias[] {
  return readDataFile('featured.json', schema).aliases.map((row) => ({
    alias: row.alias,
    type: row.type,
    card: { input: cardNumber(row.card_input, unit), output: cardNumber(row.card_output, unit) },
    model: row.model,
    confidential: row.confidential,
  }))
}

function cardNumber(text: string, unit: CardUnit): CardRate['input'] {
  const rate = parseCardNumber(text, unit)
  if (rate === null) throw new InvariantError(`"${text}" on the rate card is not a whole number of nanocredits per token.`)
  return rate
}
