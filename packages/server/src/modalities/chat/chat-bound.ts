/** What a chat can cost at most, by the tokens that it can have. Pure. */
import { nanocreditsOf } from '@svc/contract'
import type { Bound } from '../../pipeline/paid-work.ts'
import { boundRoute } from '../../pricing/hold-bound.ts'
import type { ChatPrice } from '../../pricing/price.ts'
import type { OutputLimit } from './chat-limits.ts'

/**
 * The bound of one chat: its prompt, and so many tokens of output at so much each.
 *
 * @param prices of every upstream that may serve it; at least one.
 * @param promptTokens at most.
 */
export function boundTokens(
  prices: readonly ChatPrice[],
  promptTokens: number,
  output: Pick<OutputLimit, 'tokens' | 'beside'>,
  choices: number,
): Pick<Bound, 'fixed' | 'perUnit' | 'units'> {
  const { fixed, perOutputToken } = boundRoute(prices, promptTokens)
  return {
    fixed,
    perUnit: nanocreditsOf(perOutputToken * BigInt(choices)),
    units: output.tokens + output.beside,
  }
}
