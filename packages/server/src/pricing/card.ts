/**
 * The rate card: what featured aliases are sold at, margin included.
 */
import { formatCredits, nanocreditsOf, parseCredits, type Nanocredits } from '@svc/contract'
import type { AttoUsd, CardRate, TokenPrices } from './price.ts'
import { costCoveredBy } from './usd.ts'

/** How the printed card is read: credits per million tokens, or the same digits per thousand. Source: spec 2.14. */
export type CardUnit = 'per_1m' | 'per_1k'

const TOKENS_PER_UNIT: Readonly<Record<CardUnit, bigint>> = { per_1m: 1_000_000n, per_1k: 1_000n }

/**
 * Reads one number of the card as nanocredits per token, exactly. `0.24` per million is 240.
 *
 * @param text credits as the card prints them.
 * @returns null when the text is no such number, is negative, or is not a whole number of nanocredits per token.
 */
export function parseCardNumber(text: string, unit: CardUnit): Nanocredits | null {
  const credits = parseCredits(text)
  if (credits === null || credits < 0n) return null
  const tokens = TOKENS_PER_UNIT[unit]
  if (credits % tokens !== 0n) return null
  return nanocreditsOf(credits / tokens)
}

/** Prints a rate in nanocredits per token as credits per million tokens. */
export function formatPerMillion(rate: Nanocredits): string {
  return formatCredits(rate * 1_000_000n)
}

/**
 * Upstream prices under which a card row is exact: each price ÷ 1.2, rounded down, so that cost × 1.2 never exceeds
 * the card. These are the prices of an alias in the sandbox.
 */
export function costPricesOfCard(card: CardRate): TokenPrices {
  const input: AttoUsd = costCoveredBy(card.input)
  const output: AttoUsd = costCoveredBy(card.output)
  return { input, output, cachedInput: null, cacheWrite: null, request: null, tiers: [] }
}
