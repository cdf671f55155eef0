import { nanocreditsOf } from '@svc/contract/credits'
import type { HoldProgress } from './operations.ts'

/** Writes progress as the JSON text that the hold row keeps. Amounts are text, since JSON numbers are not exact. */
export function formatHoldProgress(progress: HoldProgress): string {
  const { holdId: _, charge, cost, ...facts } = progress
  return JSON.stringify({ charge: charge.toString(), cost: cost.toString(), ...facts })
}

/** Reads what `formatHoldProgress` wrote. */
export function parseHoldProgress(holdId: string, text: string): HoldProgress {
  const stored = JSON.parse(text) as Omit<HoldProgress, 'holdId' | 'charge' | 'cost'> & { charge: string; cost: string }
  return {
    ...stored,
    holdId,
    charge: nanocreditsOf(BigInt(stored.charge)),
    cost: nanocreditsOf(BigInt(stored.cost)),
  }
}
