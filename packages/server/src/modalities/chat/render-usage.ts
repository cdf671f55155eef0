/** The usage object of a chat, with the charge in USD. */
import { type Nanocredits, usdJson } from '@svc/contract'
import type { DecidedCharge } from '../../pipeline/token-charge.ts'

/**
 * The usage object for the client. `cost` is what the client pays, in USD, as programs written for other gateways read
 * it.
 * @param wire the upstream's own counts with their details; null when they are ours.
 */
export function renderUsage(
  wire: Readonly<Record<string, unknown>> | null,
  decided: DecidedCharge,
  charge: Nanocredits,
): Record<string, unknown> {
  const { usage } = decided
  const counted = {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
  }
  return { ...(wire ?? counted), cost: usdJson(charge) }
}
