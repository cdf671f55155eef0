/**
 * The ledger's door: what an engine can rely on, so that no single operation can make a batch fail.
 */
import { nanocreditsOf, type Nanocredits, ZERO } from '@svc/contract'
import { storableText } from '../../platform/db/storable-text.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import type { CreditDeposit, RecordCredit } from './credit-operations.ts'
import type { HoldProgress, LedgerOperation, PlacedHold, PlaceHold, SettleHold, UsageFacts } from './operations.ts'

/** A million USD in one operation; sums of two fit a signed 64-bit column with room to spare. */
export const OPERATION_AMOUNT_MAX = 1_000_000_000_000_000_000n
/** A cost whose charge is still within the limit. The margin is a fifth. */
export const COST_MAX = (OPERATION_AMOUNT_MAX * 5n) / 6n
/** Units of output that one request can ask for at most. */
export const OPERATION_UNITS_MAX = 1_000_000_000

const ID_LENGTH_MAX = 200
const NAME_LENGTH_MAX = 500
const TEXT_LENGTH_MAX = 20_000

/** What was put right in an operation, by name; reported so that an operator may find the mistake. */
export type OnCorrected = (holdId: string, corrected: readonly string[]) => void

/**
 * Returns the operation with its texts made storable on both engines: well-formed, without NUL, and no longer than a
 * limit.
 *
 * What ends a hold is never refused for its values: a count or a duration that cannot be is left out, an amount is
 * brought into its range. The work is done, and no one can change these values any more.
 *
 * @throws {InvariantError} when an id cannot be one, or when what is asked for before any work is out of range.
 */
export function checkOperation<Operation extends LedgerOperation>(
  operation: Operation,
  onCorrected: OnCorrected = () => undefined,
): Operation {
  const now = timeOf(operation.now)
  return checked(now === operation.now ? operation : { ...operation, now }, onCorrected) as Operation
}

function checked(operation: LedgerOperation, onCorrected: OnCorrected): LedgerOperation {
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
      return checkedSettle(operation, onCorrected)
    case 'credit':
      return checkedCredit(operation)
    case 'deposit':
      return checkedDeposit(operation)
    case 'journal':
      assertId(operation.processId)
      return {
        ...operation,
        leaseUntil: timeOf(operation.leaseUntil),
        entries: operation.entries.map(checkedProgress),
      }
  }
}

// What is in order is returned as it is: a copy of every operation is a measurable part of a request.

function checkedPlace(operation: PlaceHold): PlaceHold {
  const model = storable(operation.model, NAME_LENGTH_MAX)
  const { fixed, perUnit } = boundOf(operation)
  const isSame = model === operation.model && fixed === operation.fixed && perUnit === operation.perUnit
  return isSame ? operation : { ...operation, fixed, perUnit, model }
}

/** The bound of a hold. One above the limit is too dear for every balance, so the limit replaces it. */
function boundOf({ fixed, perUnit }: { readonly fixed: Nanocredits; readonly perUnit: Nanocredits }) {
  return {
    fixed: bound('fixed', fixed),
    perUnit: bound('perUnit', perUnit),
  }
}

function checkedSettle(operation: SettleHold, onCorrected: OnCorrected): SettleHold {
  assertId(operation.holdId)
  const charge = believable(operation.charge, OPERATION_AMOUNT_MAX)
  const cost = believable(operation.cost, COST_MAX)
  const lost = believable(operation.lost, cost)
  const end = endOf(operation.end, charge, cost)
  const wrong = COUNTS.filter((name) => operation.facts[name] !== null && countOrNull(operation.facts[name]) === null)
  const facts = storableFacts(wrong.length === 0 ? operation.facts : withoutCounts(operation.facts, wrong))
  const placed = operation.placed === null ? null : storablePlaced(operation.placed)
  const isSameAmount = charge === operation.charge && cost === operation.cost && lost === operation.lost
  const isSame = isSameAmount && end === operation.end
  if (!isSame) onCorrected(operation.holdId, [...wrong, 'charge, cost, lost or end'])
  else if (wrong.length > 0) onCorrected(operation.holdId, wrong)
  const isSameText = facts === operation.facts && placed === operation.placed
  return isSame && isSameText ? operation : { ...operation, end, charge, cost, lost, facts, placed }
}

function storablePlaced(placed: PlacedHold): PlacedHold {
  const model = storable(placed.model, NAME_LENGTH_MAX)
  const placedAt = timeOf(placed.placedAt)
  return model === placed.model && placedAt === placed.placedAt ? placed : { ...placed, model, placedAt }
}

/** Only a captured hold has a charge, and one with a known cost does not expire. */
function endOf(end: SettleHold['end'], charge: bigint, cost: bigint): SettleHold['end'] {
  if (charge > 0n) return 'captured'
  return end === 'expired' && cost > 0n ? 'released' : end
}

const COUNTS = ['promptTokens', 'completionTokens', 'cachedTokens', 'reasoningTokens', 'latencyMs'] as const

function withoutCounts(facts: UsageFacts, names: readonly (typeof COUNTS)[number][]): UsageFacts {
  return { ...facts, ...Object.fromEntries(names.map((name) => [name, null])) }
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
  return {
    ...entry,
    promptTokens: countOrNull(entry.promptTokens) ?? 0,
    completionTokens: countOrNull(entry.completionTokens) ?? 0,
    charge: believable(entry.charge, OPERATION_AMOUNT_MAX),
    cost: believable(entry.cost, COST_MAX),
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

function bound(name: string, amount: Nanocredits): Nanocredits {
  const cut = amount > OPERATION_AMOUNT_MAX ? nanocreditsOf(OPERATION_AMOUNT_MAX) : amount
  assertAmount(name, cut)
  return cut
}

/** Brings an amount that a price list or an upstream claims into its range: a hold must be able to end in any case. */
function believable(amount: Nanocredits, max: bigint): Nanocredits {
  if (amount < 0n) return ZERO
  return amount > max ? nanocreditsOf(max) : amount
}

/** A clock can show any time; a row takes none before the epoch. */
function timeOf(time: number): number {
  return Math.min(Math.max(Math.trunc(time) || 0, 0), Number.MAX_SAFE_INTEGER)
}

/** Null for what is no count: a fraction, less than nothing, or beyond what a number can tell exactly. */
function countOrNull(count: number | null): number | null {
  return count !== null && Number.isSafeInteger(count) && count >= 0 ? count : null
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
