import { formatCredits, MARGIN_BPS } from '@svc/contract'
import type { Charged } from '../money/billing/settlement.ts'
import type { SettlementListener } from '../money/billing/settlement-listener.ts'
import { noteCharge } from './access-log.ts'
import type { RouteCall } from './route.ts'

/** The header, or the trailer behind an audio file, that says `pending` where a charge is not in the books yet. */
export const CHARGE_STATE = 'x-svc-charge-state'

/**
 * Says in the headers of an answer, and in the access log, what the request was charged.
 * @returns the headers.
 *
 * Source: spec 2.8.
 */
export function setChargeHeaders({ request, reply }: RouteCall, charged: Charged): Readonly<Record<string, string>> {
  const credits = formatCredits(charged.charge)
  noteCharge(request, credits)
  const pending = charged.isPending ? { [CHARGE_STATE]: 'pending' } : {}
  const headers = { 'x-svc-credits-charged': credits, 'x-svc-margin-bps': String(MARGIN_BPS), ...pending }
  reply.headers(headers)
  return headers
}

/** Dependencies that settle jobs, for one request: its line of the access log has what they charge. */
export function notingCharges<Deps extends { readonly onSettled?: SettlementListener | undefined }>(
  deps: Deps,
  { request }: RouteCall,
): Deps {
  let sum = 0n
  return {
    ...deps,
    onSettled: (hold, settlement, settled) => {
      deps.onSettled?.(hold, settlement, settled)
      sum += settled.charge
      if (settled.charge > 0n) noteCharge(request, formatCredits(sum))
    },
  }
}
