/**
 * The facts of what the ledger has just booked, from the rows that it has in memory. Made at once: what is kept until it
 * is put down is small, and the rows themselves go as soon as they are written.
 */
import { randomBytes } from 'node:crypto'
import { type Booked, entryOf, type EndedRequest } from '../ledger/logged-batch.ts'
import type { CreditRow } from '../ledger/sqlite-ledger-rows.ts'
import { digestOfOperator, digestOfRecord, type EntryFacts, SALTS_BYTES } from './entry-facts.ts'

/** The facts of a batch, in its order. */
export function factsOfLogged(booked: readonly Booked[]): readonly EntryFacts[] {
  return booked.map((each) => ('hold' in each ? factsOfRequest(each, nextSalts()) : factsOfCredit(each, nextSalts())))
}

/** Salts that are made at once: a few bytes cost as much as a thousand. */
const SALTS_AT_ONCE = 256
let salts: Uint8Array = new Uint8Array()

function nextSalts(): Uint8Array {
  if (salts.length === 0) salts = randomBytes(SALTS_AT_ONCE * SALTS_BYTES)
  const own = salts.subarray(0, SALTS_BYTES)
  salts = salts.subarray(SALTS_BYTES)
  return own
}

function factsOfRequest(request: EndedRequest, salts: Uint8Array): EntryFacts {
  const { hold, ending } = request
  const isCorrection = hold.storedState === 'expired'
  const isBooked = ending.charge > 0n || ending.writeOff > 0n
  return {
    entryJson: JSON.stringify(entryOf(isCorrection ? 'correction' : 'request', hold.holdId)),
    accountJson: textJson(hold.accountId),
    kind: ending.charge > 0n ? 'charge' : 'free',
    revision: isCorrection ? 2 : 1,
    amount: -ending.charge,
    bookedAt: isBooked ? (hold.endedAt ?? ending.createdAt) : ending.createdAt,
    reasonJson: 'null',
    recordDigest: digestOfRecord(recordJson(request)),
    operatorDigest: digestOfOperator(salts, operatorJson(request)),
    salts,
  }
}

/** A `LedgerRecord` as canonical JSON: members by name. Written out, since this is done for each request. */
function recordJson({ hold, ending: { facts, charge, createdAt }, teamId }: EndedRequest): string {
  return (
    `{"basis":${textJson(facts.basis)},"cached_tokens":${facts.cachedTokens},"charge":"${charge}",` +
    `"completion_tokens":${facts.completionTokens},"error_code":${textJson(facts.errorCode)},` +
    `"estimated":${facts.estimated},"key_id":${textJson(hold.keyId)},"latency_ms":${facts.latencyMs},` +
    `"model":${textJson(hold.model)},"pricing":${ownTextJson(facts.pricing)},"prompt_tokens":${facts.promptTokens},` +
    `"reasoning_tokens":${facts.reasoningTokens},"recorded_at":${createdAt},"request_id":${ownTextJson(hold.holdId)},` +
    `"started_at":${hold.placedAt},"status":${textJson(facts.status)},"stream":${hold.stream},` +
    `"team_id":${textJson(teamId)},"type":${textJson(hold.type)},"upstream_model":${textJson(facts.upstreamModel)},` +
    `"version":1}`
  )
}

/** An `OperatorRecord` likewise. Without a transfer there is nothing to book, and no margin. */
function operatorJson({ ending: { facts, charge, writeOff, cost, margin } }: EndedRequest): string {
  return (
    `{"cost":"${cost}","generation_id":${ownTextJson(facts.generationId)},` +
    `"margin":"${charge > 0n || writeOff > 0n ? margin : 0n}","upstream":${textJson(facts.upstream)},"version":1,` +
    `"write_off":"${writeOff}"}`
  )
}

/** A text that no other request has. */
function ownTextJson(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text)
}

/** Texts as JSON that most requests have in common, such as models and keys. */
const WRITTEN = new Map<string, string>()
/** Texts that are kept at most; beyond it all are forgotten. Source: own choice. */
const WRITTEN_MAX = 2_000

function textJson(text: string | null): string {
  if (text === null) return 'null'
  const known = WRITTEN.get(text)
  if (known !== undefined) return known
  const written = JSON.stringify(text)
  if (WRITTEN.size >= WRITTEN_MAX) WRITTEN.clear()
  WRITTEN.set(text, written)
  return written
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
