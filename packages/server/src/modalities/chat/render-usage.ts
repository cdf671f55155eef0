/** The usage object of a chat, with the charge in USD. */
import { type Nanocredits, usdJson } from '@svc/contract'
import type { DecidedCharge } from '../../pipeline/token-charge.ts'

/**
 * The usage object for the client. `cost` is what the client pays, in USD, as programs written for other gateways read
 * it.
 * @param wire the upstream's own counts with their details; shown where all of them count.
 */
export function renderUsage(
  wire: Readonly<Record<string, unknown>> | null,
  decided: DecidedCharge,
  charge: Nanocredits,
): Record<string, unknown> {
  const { usage, estimated } = decided
  const counted = {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
  }
  return { ...(estimated ? counted : (wire ?? counted)), cost: usdJson(charge) }
}
