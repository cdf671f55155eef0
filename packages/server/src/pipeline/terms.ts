/**
 * What a caller has agreed to pay for a request beforehand: a maximum of their own, or a quote. The work is bounded by it
 * before anything is held, and its charge is never more, whatever the request costs in the end.
 */
import type { Nanocredits } from '@svc/contract'
import type { Quote } from './quote.ts'

/** The header in which a caller names the most that a request may cost. */
export const MAX_CREDITS_HEADER = 'x-svc-max-credits'

export interface Terms {
  /** The most that is charged, in nanocredits: the smaller of the caller's own maximum and what was quoted. */
  readonly most: Nanocredits
  readonly quote: Quote | null
}
