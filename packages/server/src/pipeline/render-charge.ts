/** How a charge looks on the wire: the `svc` object, and the usage object of an answer without output. */
import { formatCredits, MARGIN_BPS, type Nanocredits, usdJson } from '@svc/contract'
import type { Charged } from '../money/billing/settlement.ts'

/** The charge annotation as JSON text. Source: spec 2.8. */
export function renderSvc({ charge, isPending }: Charged, estimated: boolean, maxTokensApplied: number | null): string {
  const estimate = estimated ? ',"estimated":true' : ''
  const applied = maxTokensApplied === null ? '' : `,"max_tokens_applied":${maxTokensApplied}`
  const pending = isPending ? ',"state":"pending"' : ''
  return `{"credits_charged":${formatCredits(charge)},"margin_bps":${MARGIN_BPS}${estimate}${applied}${pending}}`
}

/** The usage object of an answer without output. */
export function renderPromptUsage(promptTokens: number, charge: Nanocredits): Record<string, unknown> {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens, cost: usdJson(charge) }
}
