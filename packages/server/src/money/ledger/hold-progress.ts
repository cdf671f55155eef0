import { nanocreditsOf } from '@svc/contract/credits'
import type { HoldProgress } from './operations.ts'

interface StoredProgress extends Omit<HoldProgress, 'holdId' | 'charge' | 'cost' | 'most' | 'card'> {
  readonly charge: string
  readonly cost: string
  readonly most?: string
  readonly card?: { readonly input: string; readonly output: string } | null
}

/** Writes progress as the JSON text that the hold row keeps. Amounts are text, since JSON numbers are not exact. */
export function formatHoldProgress(progress: HoldProgress): string {
  const { holdId: _, charge, cost, most, card, ...facts } = progress
  const amounts = { charge: charge.toString(), cost: cost.toString(), most: most?.toString() }
  const prices = card == null ? card : { input: card.input.toString(), output: card.output.toString() }
  return JSON.stringify({ ...amounts, card: prices, ...facts })
}

/** Reads what `formatHoldProgress` wrote. */
export function parseHoldProgress(holdId: string, text: string): HoldProgress {
  const { most, card, ...stored } = JSON.parse(text) as StoredProgress
  return {
    ...stored,
    holdId,
    charge: nanocreditsOf(BigInt(stored.charge)),
    cost: nanocreditsOf(BigInt(stored.cost)),
    ...(most === undefined ? {} : { most: nanocreditsOf(BigInt(most)) }),
    ...(card === undefined ? {} : { card: card === null ? null : cardOf(card) }),
  }
}

function cardOf({ input, output }: NonNullable<StoredProgress['card']>): NonNullable<HoldProgress['card']> {
  return { input: nanocreditsOf(BigInt(input)), output: nanocreditsOf(BigInt(output)) }
}
