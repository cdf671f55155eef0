/**
 * The ledger's door: what an engine can rely on, so that no single operation can make a batch fail.
 */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import { storableText } from '../db/storable-text.ts'
import { InvariantError } from '../errors/invariant-error.ts'
import type {
  CreditDeposit,
  HoldProgress,
  LedgerOperation,
  PlaceHold,
  RecordCredit,
  SettleHold,
  UsageFacts,
} from './operations.ts'

/** A million USD in one operation; sums of two fit a signed 64-bit column with room to spare. */
export const OPERATION_AMOUNT_MAX = 1_000_000_000_000_000_000n
/** A cost whose charge is still within the limit. The margin is a fifth. */
const COST_MAX = (OPERATION_AMOUNT_MAX * 5n) / 6n
/** Units of output that one request can ask for at most. */
export const OPERATION_UNITS_MAX = 1_000_000_000

const ID_LENGTH_MAX = 200
const NAME_LENGTH_MAX = 500
const TEXT_LENGTH_MAX = 20_000

/**
 * Returns the operation with its texts made storable on both engines: well-formed, without NUL, and no longer than a
 * limit.
 *
 * @throws {InvariantError} when an amount, a count or an id is out of range, or the parts contradict each other.
 */
export function checkOperation<Operation extends LedgerOperation>(operation: Operation): Operation {
  return checked(operation) as Operation
}

function checked(operation: LedgerOperation): LedgerOperation {
  assertCount('now', operation.now, Number.MAX_SAFE_INTEGER)
  switch (operation.kind) {
    case 'place':
      assertId(operation.holdId)
      assertCount('units', operation.units, OPERATION_UNITS_MAX)
      assertCount('firstUnits', operation.firstUnits, OPERATION_UNITS_MAX)
      assert(operation.units > 0 || operation.policy === 'exact', 'only an exact hold can have no units')
      assert(operation.firstUnits > 0 || operation.policy !== 'stepwise', 'a stepwise hold has a first step')
      return checkedPlace(operation)
    case 'extend':
      assertId(operation.holdId)
      assertCount('targetUnits', operation.targetUnits, OPERATION_UNITS_MAX)
      return { ...operation, ...boundOf(operation) }
    case 'settle':
      return checkedSettle(operation)
    case 'credit':
      return checkedCredit(operation)
    case 'deposit':
      return checkedDeposit(operation)
    case 'journal':
      assertId(operation.processId)
      assertCount('leaseUntil', operation.leaseUntil, Number.MAX_SAFE_INTEGER)
      return { ...operation, entries: operation.entries.map(checkedProgress) }
  }
}

// What is in order is returned as it is: a copy of every operation is a measurable part of a request.

function checkedPlace(operation: PlaceHold): PlaceHold {
  const model = storable(operation.model, NAME_LENGTH_MAX)
  const { fixed, perUnit } = boundOf(operation)
  const isSame = model === operation.model && fixed === operation.fixed && perUnit === operation.perUnit
  return isSame ? operation : { ...operation, fixed, perUnit, model }
}

/** The bound of a hold. One that is dearer than the limit is too dear for every balance, so the limit stands for it. */
function boundOf({ fixed, perUnit }: { readonly fixed: Nanocredits; readonly perUnit: Nanocredits }) {
  return {
    fixed: believable('fixed', fixed, OPERATION_AMOUNT_MAX),
    perUnit: believable('perUnit', perUnit, OPERATION_AMOUNT_MAX),
  }
}

function checkedSettle(operation: SettleHold): SettleHold {
  const { facts } = operation
  assertId(operation.holdId)
  const charge = believable('charge', operation.charge, OPERATION_AMOUNT_MAX)
  const cost = believable('cost', operation.cost, COST_MAX)
  const lost = believable('lost', operation.lost, cost)
  assert(operation.end === 'captured' || operation.charge === 0n, 'only a captured hold has a charge')
  assert(operation.lost <= operation.cost, 'what is lost is a part of the cost')
  assert(operation.end !== 'expired' || operation.cost === 0n, 'a hold with a known cost does not expire')
  for (const count of [facts.promptTokens, facts.completionTokens, facts.cachedTokens, facts.reasoningTokens]) {
    if (count !== null) assertCount('tokens', count, Number.MAX_SAFE_INTEGER)
  }
  if (facts.latencyMs !== null) assertCount('latencyMs', facts.latencyMs, Number.MAX_SAFE_INTEGER)
  const stored = storableFacts(facts)
  const isSame = charge === operation.charge && cost === operation.cost && lost === operation.lost && stored === facts
  return isSame ? operation : { ...operation, charge, cost, lost, facts: stored }
}

function storableFacts(facts: UsageFacts): UsageFacts {
  const upstream = storableOrNull(facts.upstream, NAME_LENGTH_MAX)
  const upstreamModel = storableOrNull(facts.upstreamModel, NAME_LENGTH_MAX)
  const errorCode = storableOrNull(facts.errorCode, NAME_LENGTH_MAX)
  const generationId = storableOrNull(facts.generationId, NAME_LENGTH_MAX)
  const pricing = storableOrNull(facts.pricing, TEXT_LENGTH_MAX)
  const isSame =
    upstream === facts.upstream &&
    upstreamModel === facts.upstreamModel &&
    errorCode === facts.errorCode &&
    generationId === facts.generationId &&
    pricing === facts.pricing
  return isSame ? facts : { ...facts, upstream, upstreamModel, errorCode, generationId, pricing }
}

function checkedCredit(operation: RecordCredit): RecordCredit {
  assertId(operation.transferId)
  const { amount, source } = operation
  assertAmount('amount', amount < 0n ? -amount : amount)
  assert(amount > 0n || (source === 'adjustment' && amount < 0n), `a ${source} cannot be ${amount}`)
  return { ...operation, reason: storable(operation.reason, TEXT_LENGTH_MAX) }
}

function checkedDeposit(operation: CreditDeposit): CreditDeposit {
  for (const id of [operation.txHash, operation.ordinal, operation.blockHash]) assertId(id)
  assertCount('chainId', operation.chainId, Number.MAX_SAFE_INTEGER)
  assertAmount('amount', operation.amount)
  assert(operation.amount > 0n, 'a deposit is worth something')
  return { ...operation, reason: storable(operation.reason, TEXT_LENGTH_MAX) }
}

function checkedProgress(entry: HoldProgress): HoldProgress {
  assertId(entry.holdId)
  assertCount('promptTokens', entry.promptTokens, Number.MAX_SAFE_INTEGER)
  assertCount('completionTokens', entry.completionTokens, Number.MAX_SAFE_INTEGER)
  return {
    ...entry,
    charge: believable('charge', entry.charge, OPERATION_AMOUNT_MAX),
    cost: believable('cost', entry.cost, COST_MAX),
    pricing: storableOrNull(entry.pricing, TEXT_LENGTH_MAX),
    upstream: storableOrNull(entry.upstream, NAME_LENGTH_MAX),
    upstreamModel: storableOrNull(entry.upstreamModel, NAME_LENGTH_MAX),
    generationId: storableOrNull(entry.generationId, NAME_LENGTH_MAX),
  }
}

function assert(isTrue: boolean, message: string): void {
  if (!isTrue) throw new InvariantError(message)
}

function assertAmount(name: string, amount: bigint): void {
  if (amount < 0n || amount > OPERATION_AMOUNT_MAX) throw new InvariantError(`${name} is out of range: ${amount}`)
}

/**
 * Cuts an amount that a price list or an upstream claims to the limit: a hold must be able to end whatever they say.
 */
function believable(name: string, amount: Nanocredits, max: bigint): Nanocredits {
  const cut = amount > max ? nanocreditsOf(max) : amount
  assertAmount(name, cut)
  return cut
}

function assertCount(name: string, count: number, max: number): void {
  if (!Number.isSafeInteger(count) || count < 0 || count > max) {
    throw new InvariantError(`${name} is out of range: ${count}`)
  }
}

function assertId(id: string): void {
  if (id.length === 0 || id.length > ID_LENGTH_MAX || id !== storable(id, ID_LENGTH_MAX)) {
    throw new InvariantError('an id of a money operation is empty, too long or not plain text')
  }
}

function storableOrNull(text: string | null, lengthMax: number): string | null {
  return text === null ? null : storable(text, lengthMax)
}

function storable(text: string, lengthMax: number): string {
  return storableText(text.length > lengthMax ? text.slice(0, lengthMax) : text)
}
