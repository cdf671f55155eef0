/** What a maximum is made of: quantities at a price each. */
import { type Nanocredits, nanocreditsOf, type QuoteUnit } from '@svc/contract'

/** So many units at so much each; what it comes to is exactly their product. */
export interface BoundLine {
  readonly unit: QuoteUnit
  /** A whole number. */
  readonly quantity: number
  /** Selling price of one unit, margin included, rounded up to the nanocredit. */
  readonly perUnit: Nanocredits
}

export function amountOf({ quantity, perUnit }: BoundLine): Nanocredits {
  return nanocreditsOf(perUnit * BigInt(quantity))
}

/** What all lines come to. */
export function sumOfLines(lines: readonly BoundLine[]): Nanocredits {
  return nanocreditsOf(lines.reduce((sum, line) => sum + amountOf(line), 0n))
}

/**
 * The lines as they are told: those of one unit at one price are one line, and what there is none of, or what costs
 * nothing, has no line, unless all of it is free.
 */
export function tidyLines(lines: readonly BoundLine[]): readonly BoundLine[] {
  const merged = new Map<string, BoundLine>()
  for (const line of lines.filter(({ quantity }) => quantity > 0)) {
    const name = `${line.unit} ${line.perUnit}`
    merged.set(name, { ...line, quantity: line.quantity + (merged.get(name)?.quantity ?? 0) })
  }
  const all = [...merged.values()]
  const priced = all.filter(({ perUnit }) => perUnit > 0n)
  return priced.length === 0 ? all : priced
}
