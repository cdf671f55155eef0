import { formatCredits, nanocreditsOf, parseCredits, type Nanocredits } from '@svc/contract'
import type { Operator } from '../../access/operators/journal.ts'
import type { FoundCharge } from '../../money/billing/find-charge.ts'
import type { BookedTransfer, RequestRows } from '../../money/ledger/request-rows.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { OperationsDeps } from './operations-deps.ts'
import { parseReason, recordCredit, type RecordedCredit } from './record-credit.ts'

/** The name of a request's refund: it has one, so that no request is refunded twice. */
function refundName(requestId: string): string {
  return `refund.${requestId}`
}

/** The id of the transfer of a request's refund. */
export function refundTransferId(requestId: string): string {
  return `adjustment:${refundName(requestId)}`
}

export interface RefundRequest {
  readonly requestId: string
  /** Above 0, at most what was charged; null gives back all of it. */
  readonly amount: Nanocredits | null
  /** In words for the account's owner. */
  readonly reason: string
}

/** What was refunded. */
export interface Refund extends RecordedCredit {
  readonly accountId: string
  readonly amount: Nanocredits
  /** When it was booked, in milliseconds since the epoch: before this call where it is repeated. */
  readonly bookedAt: number
}

export interface RefundDeps extends Pick<OperationsDeps, 'ledger' | 'journal' | 'clock'> {
  readonly findCharge: (requestId: string) => Promise<FoundCharge | null>
  /** What is added where a request is not found. */
  readonly archivedHint: (requestId: string) => Promise<string>
  /** Its transfers, a refund among them. */
  readonly findRows: (requestId: string) => Promise<Pick<RequestRows, 'transfers'>>
}

/**
 * Gives an account back what a request of its own was charged, or a part of it, once. It is an adjustment: what the
 * request counts in budgets and in usage stays, and the refund is a line of the statement that names it.
 *
 * @throws {ServiceError} `usage_not_found`, `invalid_value` for a request that runs or was free, or for more than it was
 *   charged, `id_already_used` where another amount was refunded before, or for another reason: it says when, and by
 *   which transfer.
 */
export async function refundRequest(deps: RefundDeps, by: Operator, request: RefundRequest): Promise<Refund> {
  const { requestId } = request
  const reason = parseReason(request.reason)
  const found = await deps.findCharge(requestId)
  if (found === null) {
    const hint = await deps.archivedHint(requestId)
    const way = hint === '' ? '' : ` A refund of it is an adjustment of its account by hand.`
    throw new ServiceError('usage_not_found', `There is no request ${requestId}.${hint}${way}`, { param: 'request_id' })
  }
  const { account_id: accountId } = found.operator
  if (found.state !== 'final' || accountId === null) {
    throw new ServiceError('invalid_value', 'The request still runs: it can be refunded once it has ended.', {
      param: 'request_id',
    })
  }
  const charged = parseCredits(JSON.stringify(found.credits_charged)) ?? nanocreditsOf(0n)
  if (charged === 0n) throw new ServiceError('invalid_value', 'The request was free.', { param: 'request_id' })
  const amount = request.amount ?? charged
  if (amount <= 0n || amount > charged) {
    const rule = `A refund is more than 0 and at most the ${formatCredits(charged)} credits that were charged.`
    throw new ServiceError('invalid_value', rule, { param: 'credits' })
  }
  const before = async () =>
    (await deps.findRows(found.id)).transfers.find(({ id }) => id === refundTransferId(found.id)) ?? null
  try {
    const recorded = await recordCredit(deps, by, {
      ...{ source: 'adjustment', accountId, amount, id: refundName(found.id) },
      reason: `Refund of request ${found.id}: ${reason}`,
    })
    return { ...recorded, accountId, amount, bookedAt: (await before())?.createdAt ?? deps.clock.now() }
  } catch (error) {
    const isTaken = error instanceof ServiceError && error.code === 'id_already_used'
    const refund = isTaken ? await before() : null
    throw refund === null ? error : refundedBefore(found.id, refund)
  }
}

/** A name of one's own would not help: the request has one refund, and what is to be given back beyond it has none. */
function refundedBefore(requestId: string, { id, funding, createdAt, reason }: BookedTransfer): ServiceError {
  const text =
    `The request ${requestId} was refunded before: ${formatCredits(nanocreditsOf(funding))} credits at ` +
    `${new Date(createdAt).toISOString()} by the transfer ${id} (${reason ?? 'no reason'}). Nothing was recorded. ` +
    'A request is refunded once; what is to be given back beyond that is an adjustment of its account.'
  return new ServiceError('id_already_used', text, { param: 'request_id' })
}
