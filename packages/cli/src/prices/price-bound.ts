/** What a request costs at most, and what was multiplied. */
import { nanocreditsFrom, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

export interface PriceBound {
  readonly credits: Nanocredits
  /** What was counted, by names for programs: `output_tokens_at_most`, `seconds` … */
  readonly counted: Readonly<Record<string, number>>
  /** The same for people, and what else they should know. */
  readonly note: string
}

/** @param credits of one, as decimal text. */
export function times(credits: string, count: number): bigint {
  return nanocreditsFrom(credits) * BigInt(count)
}

export function boundOf(amount: bigint, counted: PriceBound['counted'], note: string): PriceBound {
  return { credits: nanocreditsOf(amount), counted, note }
}

/** "3 pictures", "1 picture". */
export function counted(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`
}

export function wrongUsage(message: string, advice: string): CommandError {
  return new CommandError(message, { advice, exitCode: exitCodes.wrongUsage })
}
