/** The facts of what the ledger has just booked, from the rows that it still has in memory. */
import { randomBytes } from 'node:crypto'
import type { LedgerRecord, OperatorRecord } from '@svc/contract/log/ledger-entry'
import { entryOf, type EndedRequest, type LoggedBatch } from '../ledger/logged-batch.ts'
import type { CreditRow } from '../ledger/sqlite-ledger-rows.ts'
import { digestOfOperator, digestOfRecord, type EntryFacts, SALTS_BYTES } from './entry-facts.ts'

/** The facts of a batch, in the order of its entries. */
export function factsOfLogged({ entries, ended, credits }: LoggedBatch): readonly EntryFacts[] {
  const facts = new Map<string, EntryFacts>()
  const salts = randomBytes((ended.length + credits.length) * SALTS_BYTES)
  let at = 0
  const nextSalts = (): Uint8Array => salts.subarray(at, (at += SALTS_BYTES))
  for (const request of ended) {
    const known = factsOfRequest(request, nextSalts())
    facts.set(known.entryJson, known)
  }
  for (const credit of credits) {
    const known = factsOfCredit(credit, nextSalts())
    facts.set(known.entryJson, known)
  }
  return (JSON.parse(entries) as readonly string[]).flatMap((entry) => facts.get(JSON.stringify(entry)) ?? [])
}

function factsOfRequest({ hold, ending, teamId }: EndedRequest, salts: Uint8Array): EntryFacts {
  const isCorrection = hold.storedState === 'expired'
  const isBooked = ending.charge > 0n || ending.writeOff > 0n
  return {
    entryJson: JSON.stringify(entryOf(isCorrection ? 'correction' : 'request', hold.holdId)),
    accountJson: JSON.stringify(hold.accountId),
    kind: ending.charge > 0n ? 'charge' : 'free',
    revision: isCorrection ? 2 : 1,
    amount: -ending.charge,
    bookedAt: isBooked ? (hold.endedAt ?? ending.createdAt) : ending.createdAt,
    reasonJson: 'null',
    recordDigest: digestOfRecord(recordOf({ hold, ending, teamId })),
    operatorDigest: digestOfOperator(salts, operatorRecordOf({ hold, ending, teamId })),
    salts,
  }
}

/** Members in the order of their names. */
function recordOf({ hold, ending: { facts, charge, createdAt }, teamId }: EndedRequest): LedgerRecord {
  return {
    basis: facts.basis,
    cached_tokens: facts.cachedTokens,
    charge: charge.toString(),
    completion_tokens: facts.completionTokens,
    error_code: facts.errorCode,
    estimated: facts.estimated,
    key_id: hold.keyId,
    latency_ms: facts.latencyMs,
    model: hold.model,
    pricing: facts.pricing,
    prompt_tokens: facts.promptTokens,
    reasoning_tokens: facts.reasoningTokens,
    recorded_at: createdAt,
    request_id: hold.holdId,
    started_at: hold.placedAt,
    status: facts.status,
    stream: hold.stream,
    team_id: teamId,
    type: hold.type,
    upstream_model: facts.upstreamModel,
    version: 1,
  }
}

/** Members in the order of their names. Without a transfer there is nothing to book, and no margin. */
function operatorRecordOf({ ending: { facts, charge, writeOff, cost, margin } }: EndedRequest): OperatorRecord {
  return {
    cost: cost.toString(),
    generation_id: facts.generationId,
    margin: charge > 0n || writeOff > 0n ? margin.toString() : '0',
    upstream: facts.upstream,
    version: 1,
    write_off: writeOff.toString(),
  }
}

function factsOfCredit(credit: CreditRow, salts: Uint8Array): EntryFacts {
  return {
    entryJson: JSON.stringify(entryOf('transfer', credit.transferId)),
    accountJson: JSON.stringify(credit.accountId),
    kind: credit.kind,
    revision: 1,
    amount: credit.amount,
    bookedAt: credit.createdAt,
    reasonJson: JSON.stringify(credit.reason),
    recordDigest: '',
    operatorDigest: '',
    salts,
  }
}
