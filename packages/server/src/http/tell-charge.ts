import { formatCredits, MARGIN_BPS, type Nanocredits } from '@svc/contract'
import type { RouteCall } from './route.ts'

/**
 * Says in the headers of an answer, and in the access log, what the request was charged.
 * @returns the headers.
 *
 * Source: spec 2.8.
 */
export function tellCharge({ request, reply }: RouteCall, charge: Nanocredits): Readonly<Record<string, string>> {
  const credits = formatCredits(charge)
  request.facts.creditsCharged = credits
  const headers = { 'x-svc-credits-charged': credits, 'x-svc-margin-bps': String(MARGIN_BPS) }
  reply.headers(headers)
  return headers
}
