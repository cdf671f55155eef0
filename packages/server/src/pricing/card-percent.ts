import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { ChatPrice } from './price.ts'

function part(amount: Nanocredits, percent: number): Nanocredits {
  return nanocreditsOf((amount * BigInt(percent) + 99n) / 100n)
}

/**
 * A price whose card is so many percent of what it was, rounded up to a nanocredit for each token. What an upstream
 * costs, and the margin on it, stays: a charge is never less.
 *
 * @param percent a whole number from 1 to 100.
 */
export function withCardPercent(price: ChatPrice, percent: number): ChatPrice {
  if (price.card === null || percent === 100) return price
  const { input, output } = price.card
  return { ...price, card: { input: part(input, percent), output: part(output, percent) } }
}
