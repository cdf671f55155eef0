import { formatCredits, type Nanocredits } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { OPERATION_AMOUNT_MAX } from '../../money/ledger/check-operation.ts'
import type { CreditFacts, CreditResult } from '../../money/ledger/credit-operations.ts'
import {
  actingOperator,
  keepJournal,
  noOperator,
  type ActionOutcome,
  type Operator,
} from '../../access/operators/journal.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { OperationsDeps } from './operations-deps.ts'

/** Most characters of a reason: it appears in the account's statement. */
export const REASON_LENGTH_MAX = 500
const ID_FORM = /^[\w.:-]{1,100}$/

export interface CreditRequest {
  readonly source: 'grant' | 'adjustment'
  readonly accountId: string
  /** Above 0 for a grant; an adjustment below 0 takes away. Never 0. */
  readonly amount: Nanocredits
  /** In words for the account's owner. */
  readonly reason: string
  /** Name of the effect: the same twice is one. Null makes one up, so that a repeat is a second effect. */
  readonly id: string | null
}

export interface RecordedCredit {
  readonly transferId: string
  readonly result: Exclude<CreditResult, { kind: 'id_taken' | 'not_operator' | 'too_large' }>
}

const OUTCOMES: Readonly<Record<CreditResult['kind'], ActionOutcome>> = {
  credited: 'done',
  already_credited: 'unchanged',
  id_taken: 'refused',
  insufficient: 'refused',
  unknown_account: 'refused',
  not_operator: 'refused',
  too_large: 'refused',
}

/**
 * Gives credits or corrects a balance, never below what is held, with an entry in the journal.
 *
 * @throws {ServiceError} `invalid_value` for words, a name or an amount that cannot be, `id_already_used` where the name
 * is that of another credit, `role_denied` for who is no operator any more.
 */
export async function recordCredit(
  deps: Pick<OperationsDeps, 'ledger' | 'journal' | 'clock'>,
  by: Operator,
  request: CreditRequest,
): Promise<RecordedCredit> {
  const { source, accountId, amount, id } = request
  const reason = parseReason(request.reason)
  if (id !== null && !ID_FORM.test(id)) {
    const rule = 'An id has 1 to 100 letters, digits, dots, colons, hyphens or underscores.'
    throw new ServiceError('invalid_value', rule, { param: 'id' })
  }
  if (amount === 0n || (source === 'grant' && amount < 0n)) {
    const rule = source === 'grant' ? 'A grant is more than 0 credits.' : 'An adjustment is not 0 credits.'
    throw new ServiceError('invalid_value', rule, { param: 'credits' })
  }
  if (amount > OPERATION_AMOUNT_MAX || amount < -OPERATION_AMOUNT_MAX) {
    const rule = `One ${source} moves at most ${formatCredits(OPERATION_AMOUNT_MAX)} credits.`
    throw new ServiceError('invalid_value', rule, { param: 'credits' })
  }
  const now = deps.clock.now()
  const operatorId = actingOperator(by)
  // A name of the operator's gets a prefix, so that it can never be the id of a request or of a deposit.
  const transferId = id === null ? createId(now) : `${source}:${id}`
  const result = await keepJournal(
    deps,
    by,
    {
      action: source === 'grant' ? 'credits.grant' : 'credits.adjust',
      ...{ accountId, subject: transferId, reason, details: { credits: formatCredits(amount) } },
    },
    {
      work: () =>
        deps.ledger.submit({ kind: 'credit', transferId, source, accountId, amount, reason, operatorId, now }),
      outcomeOf: ({ kind }) => OUTCOMES[kind],
    },
  )
  if (result.kind === 'not_operator') throw noOperator()
  if (result.kind === 'id_taken') throw idTaken(request, result.by, reason)
  if (result.kind === 'too_large') {
    const rule = `A balance holds at most ${formatCredits(result.most)} credits. Nothing was recorded.`
    throw new ServiceError('invalid_value', rule, { param: 'credits' })
  }
  return { transferId, result }
}

/** Names what differs from the credit that has the name. */
function idTaken({ id, accountId, amount }: CreditRequest, by: CreditFacts, reason: string): ServiceError {
  const differences = [
    ...(by.accountId === accountId ? [] : [`for account ${by.accountId} (not ${accountId})`]),
    ...(by.amount === amount ? [] : [`for ${formatCredits(by.amount)} credits (not ${formatCredits(amount)})`]),
    ...(by.reason === reason ? [] : [`with the reason ${JSON.stringify(by.reason)} (not ${JSON.stringify(reason)})`]),
  ]
  const text =
    `The id ${id} was used before ${differences.join(' and ')}. Nothing was recorded. ` +
    'Repeat that credit unchanged, or give this one an id of its own.'
  return new ServiceError('id_already_used', text, { param: 'id' })
}

/** @throws {ServiceError} when there are no words, or too many. */
export function parseReason(text: string): string {
  const reason = text.trim()
  if (reason !== '' && reason.length <= REASON_LENGTH_MAX) return reason
  throw new ServiceError('invalid_value', `Give a reason of 1 to ${REASON_LENGTH_MAX} characters.`, { param: 'reason' })
}
