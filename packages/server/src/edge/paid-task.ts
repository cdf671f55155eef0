/** A paid request as the edge hands it over: who asks for what, under which id, and what they have agreed to pay. */
import { CREDITS_MAX, parseCredits, type Nanocredits } from '@svc/contract'
import type { Caller } from '../access/keys/caller.ts'
import type { PaidTask } from '../pipeline/paid-work.ts'
import { type Quote, QUOTE_HEADER } from '../pipeline/quote.ts'
import { QUOTE_FORM } from '../pipeline/sealed-quote.ts'
import { MAX_CREDITS_HEADER, type Terms } from '../pipeline/terms.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { RouteKit } from './route-kit.ts'
import type { RouteCall } from './route.ts'

type TermsDeps = Pick<RouteKit, 'quotes' | 'clock'>

/**
 * Makes the task of a paid request. Call it inside the idempotent run: the headers that it reads are not in the hash of
 * the body, so a bad one must release the Idempotency-Key.
 *
 * @throws {ServiceError} 400 for a header that is malformed or a quote that has expired, 404 for a quote of another key.
 */
export function paidTask<Call>(deps: TermsDeps, { request }: RouteCall, caller: Caller, call: Call): PaidTask<Call> {
  const most = request.headers[MAX_CREDITS_HEADER]
  const quote = request.headers[QUOTE_HEADER]
  const terms = most === undefined && quote === undefined ? null : readTerms(deps, caller, { most, quote })
  return { caller, call, requestId: request.id, terms }
}

/**
 * The model, by its id in the catalog, of the quote that a request is sent with; null without one. A quote that is
 * wrong or over is refused where its task is made.
 */
export function quotedModel(
  { quotes }: Pick<TermsDeps, 'quotes'>,
  { request }: RouteCall,
  { keyId }: Caller,
): string | null {
  const text = String(request.headers[QUOTE_HEADER] ?? '').trim()
  return QUOTE_FORM.test(text) ? (quotes.open(keyId, text)?.model ?? null) : null
}

/**
 * Reads the most that each request may cost that one call asks for; null for what they cost.
 *
 * @throws {ServiceError} 400 for what is no amount, and for a quote: it is for one request.
 */
export function readMaximum({ headers }: RouteCall['request']): Nanocredits | null {
  if (headers[QUOTE_HEADER] !== undefined) {
    const message = `Unsupported parameter: '${QUOTE_HEADER}' is for one request.`
    throw new ServiceError('unsupported_parameter', message, { param: QUOTE_HEADER })
  }
  const most = headers[MAX_CREDITS_HEADER]
  return most === undefined ? null : readAmount(String(most))
}

type Header = string | readonly string[] | undefined

function readTerms(deps: TermsDeps, caller: Caller, headers: { readonly most: Header; readonly quote: Header }): Terms {
  const most = headers.most === undefined ? null : readAmount(String(headers.most))
  const quote = headers.quote === undefined ? null : readQuote(deps, caller, String(headers.quote))
  const quoted = quote?.most ?? CREDITS_MAX
  return { most: most !== null && most < quoted ? most : quoted, quote }
}

function readAmount(text: string): Nanocredits {
  const amount = parseCredits(text.trim())
  if (amount === null || amount < 0n) throw malformed(MAX_CREDITS_HEADER, 'credits as a decimal, such as 5 or 0.25')
  return amount
}

function readQuote({ quotes, clock }: TermsDeps, { keyId }: Caller, text: string): Quote {
  const written = text.trim()
  if (!QUOTE_FORM.test(written)) throw malformed(QUOTE_HEADER, 'the quote_id of a quote')
  const quote = quotes.open(keyId, written)
  const param = QUOTE_HEADER
  if (quote === null) throw new ServiceError('quote_not_found', 'This key has no such quote.', { param })
  if (quote.expiresAt > clock.now()) return quote
  const message = 'The quote has expired: ask for a new one. You were not charged.'
  throw new ServiceError('quote_expired', message, { param, shouldRetry: false })
}

function malformed(param: string, expected: string): ServiceError {
  return new ServiceError('invalid_value', `Invalid value for '${param}': expected ${expected}.`, { param })
}
