/** The most that a caller has agreed to pay, in the text that explains a charge. */
import { formatCredits, type Nanocredits } from '@svc/contract'

/**
 * Adds the agreed maximum to the text of a usage record: without it no reader could see why less was charged than the
 * prices give.
 *
 * @param pricing JSON text of an object; null where nothing is charged.
 */
export function withAgreedMaximum(pricing: string | null, most: Nanocredits): string | null {
  return pricing === null ? null : `${pricing.slice(0, -1)},"credits_at_most":"${formatCredits(most)}"}`
}
