/** All that is known of one request of any account, for pages and commands. */
import { parseCredits } from '@svc/contract'
import type { Receipt } from '@svc/contract/log/receipt'
import type { AttemptStore, NotedAttempt } from '../../money/billing/attempt-log.ts'
import type { FoundCharge } from '../../money/billing/find-charge.ts'
import type { RequestRows } from '../../money/ledger/request-rows.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'

export interface FindRequestDeps {
  readonly findCharge: (requestId: string) => Promise<FoundCharge | null>
  /** What is added where a request is not found: that it may be archived. */
  readonly archivedHint: (requestId: string) => Promise<string>
  /** Its hold and its transfers. */
  readonly findRows: (requestId: string) => Promise<RequestRows>
  readonly attempts: Pick<AttemptStore, 'list'>
  /** @throws {ServiceError} where there is none. */
  readonly makeReceipt: (requestId: string) => Promise<Receipt>
}

/** An attempt; `endedAt` is null for one that was the only one, and went as the record says. */
export interface ShownAttempt extends Omit<NotedAttempt, 'endedAt'> {
  readonly endedAt: number | null
}

export interface FoundRequest extends RequestRows {
  readonly charge: FoundCharge
  readonly attempts: readonly ShownAttempt[]
  /** Null with the code of why there is none. */
  readonly receipt: Receipt | null
  readonly receiptProblem: string | null
}

/** Finds it. @returns null when there is none. */
export async function findRequest(deps: FindRequestDeps, requestId: string): Promise<FoundRequest | null> {
  const charge = await deps.findCharge(requestId)
  if (charge === null) return null
  const [rows, noted, receipt] = await Promise.all([
    deps.findRows(charge.id),
    deps.attempts.list(charge.id),
    receiptOf(deps, charge),
  ])
  const attempts = noted.length > 0 ? noted : onlyAttempt(charge)
  return { charge, ...rows, attempts: withKnownCost(attempts, charge), ...receipt }
}

/**
 * Attempts are noted before the books are closed: what the upstream reports late, or never and the list says, is in the
 * record alone. Where one attempt has no cost of its own, the rest of what the record has is its cost.
 */
function withKnownCost(attempts: readonly ShownAttempt[], { operator }: FoundCharge): readonly ShownAttempt[] {
  const whole = operator.credits_cost === null ? null : parseCredits(JSON.stringify(operator.credits_cost))
  const unknown = attempts.filter(({ cost }) => cost === null)
  // An answer comes before failures, of which most bill nothing.
  const owner = unknown.find(({ failure }) => failure === null) ?? (unknown.length === 1 ? unknown[0] : undefined)
  if (whole === null || owner === undefined) return attempts
  const rest = attempts.reduce((left, { cost }) => left - (cost ?? 0n), BigInt(whole))
  return rest > 0n ? attempts.map((attempt) => (attempt === owner ? { ...attempt, cost: rest } : attempt)) : attempts
}

/** A request whose only attempt went well has no row of it: its record says the same. */
function onlyAttempt({ operator, ...record }: FoundCharge): readonly ShownAttempt[] {
  const { upstream, generation_id: generationId } = operator
  if (record.state !== 'final' || upstream === null) return []
  const upstreamModel = record.upstream_model ?? record.model
  const failure = record.status === 'error' ? record.error_code : null
  return [{ upstream, upstreamModel, failure, generationId, cost: null, endedAt: null }]
}

async function receiptOf(
  { makeReceipt }: FindRequestDeps,
  { id, state }: FoundCharge,
): Promise<Pick<FoundRequest, 'receipt' | 'receiptProblem'>> {
  if (state !== 'final') return { receipt: null, receiptProblem: 'receipt_pending' }
  try {
    return { receipt: await makeReceipt(id), receiptProblem: null }
  } catch (error) {
    if (error instanceof ServiceError) return { receipt: null, receiptProblem: error.code }
    throw error
  }
}
