import { nanocreditsOf } from '@svc/contract/credits'
import type { HoldProgress } from './operations.ts'

interface StoredProgress extends Omit<HoldProgress, 'holdId' | 'charge' | 'cost' | 'most'> {
  readonly charge: string
  readonly cost: string
  readonly most?: string
}

/** Writes progress as the JSON text that the hold row keeps. Amounts are text, since JSON numbers are not exact. */
export function formatHoldProgress(progress: HoldProgress): string {
  const { holdId: _, charge, cost, most, ...facts } = progress
  const amounts = { charge: charge.toString(), cost: cost.toString(), most: most?.toString() }
  return JSON.stringify({ ...amounts, ...facts })
}

/** Reads what `formatHoldProgress` wrote. */
export function parseHoldProgress(holdId: string, text: string): HoldProgress {
  const { most, ...stored } = JSON.parse(text) as StoredProgress
  return {
    ...stored,
    holdId,
    charge: nanocreditsOf(BigInt(stored.charge)),
    cost: nanocreditsOf(BigInt(stored.cost)),
    ...(most === undefined ? {} : { most: nanocreditsOf(BigInt(most)) }),
  }
}
