/**
 * How a batch crosses to the SQLite writer thread and how its results come back: one text each way, fields in a row.
 *
 * A copy of structured values names every member of every operation and costs several times as much as the text. The
 * operations of ordinary requests have a form of their own here; all others are JSON.
 */
import { nanocreditsOf, type Nanocredits } from '@svc/contract/credits'
import { InvariantError } from '../errors/invariant-error.ts'
import type {
  ExtendHold,
  HoldEnd,
  HoldFlush,
  HoldPolicy,
  LedgerOperation,
  LedgerResult,
  PlaceHold,
  SettleHold,
  UsageFacts,
} from './operations.ts'

/** Between two fields. No text of an operation has it: `checkOperation` sees to that. */
const SEPARATOR = '\0'
/** Stands for null, and before a text that begins with it. */
const NULL = '\u0001'

type Field = string | number | bigint

function fieldOf(text: string | null): string {
  if (text === null) return NULL
  return text.startsWith(NULL) ? NULL + text : text
}

function countField(count: number | null): Field {
  return count ?? NULL
}

/** Writes a batch whose operations have passed `checkOperation`. */
export function writeBatchText(operations: readonly LedgerOperation[]): string {
  const fields: Field[] = [operations.length]
  for (const operation of operations) writeOperation(fields, operation)
  return fields.join(SEPARATOR)
}

function writeOperation(fields: Field[], operation: LedgerOperation): void {
  switch (operation.kind) {
    case 'place':
      fields.push('place', operation.holdId, operation.accountId, operation.keyId, fieldOf(operation.teamBudgetId))
      fields.push(fieldOf(operation.keyBudgetId), operation.processId, operation.type, operation.model)
      fields.push(operation.stream ? 1 : 0, String(operation.fixed), String(operation.perUnit), operation.units)
      fields.push(operation.policy, operation.firstUnits, operation.flush, operation.now)
      return
    case 'extend':
      fields.push('extend', operation.holdId, String(operation.fixed), String(operation.perUnit))
      fields.push(operation.targetUnits, operation.now)
      return
    case 'settle':
      fields.push('settle', operation.holdId, operation.end, String(operation.charge), String(operation.cost))
      fields.push(operation.now)
      return writeFacts(fields, operation.facts)
    default:
      fields.push('other', JSON.stringify(operation, replaceBigInt))
  }
}

function writeFacts(fields: Field[], facts: UsageFacts): void {
  fields.push(fieldOf(facts.upstream), fieldOf(facts.upstreamModel), facts.status, fieldOf(facts.errorCode))
  fields.push(countField(facts.promptTokens), countField(facts.completionTokens), countField(facts.cachedTokens))
  fields.push(countField(facts.reasoningTokens), fieldOf(facts.basis), facts.estimated ? 1 : 0)
  fields.push(fieldOf(facts.pricing), fieldOf(facts.generationId), countField(facts.latencyMs))
}

/**
 * Reads what `writeBatchText` wrote.
 * @throws {InvariantError} when it is not that: nothing of such a batch may be applied.
 */
export function readBatchText(text: string): readonly LedgerOperation[] {
  return readAll(text, readOperation)
}

function readAll<Item>(text: string, read: (reader: FieldReader) => Item): readonly Item[] {
  const reader = new FieldReader(text)
  const items = Array.from({ length: reader.count() }, () => read(reader))
  if (!reader.isAtEnd) throw new InvariantError('a batch for the writer thread is not what was written')
  return items
}

function readOperation(reader: FieldReader): LedgerOperation {
  switch (reader.text()) {
    case 'place':
      return readPlace(reader)
    case 'extend':
      return readExtend(reader)
    case 'settle':
      return readSettle(reader)
    default:
      return JSON.parse(reader.text(), reviveBigInt) as LedgerOperation
  }
}

function readPlace(reader: FieldReader): PlaceHold {
  return {
    kind: 'place',
    holdId: reader.text(),
    accountId: reader.text(),
    keyId: reader.text(),
    teamBudgetId: reader.textOrNull(),
    keyBudgetId: reader.textOrNull(),
    processId: reader.text(),
    type: reader.text(),
    model: reader.text(),
    stream: reader.flag(),
    fixed: reader.amount(),
    perUnit: reader.amount(),
    units: reader.count(),
    policy: reader.text() as HoldPolicy,
    firstUnits: reader.count(),
    flush: reader.text() as HoldFlush,
    now: reader.count(),
  }
}

function readExtend(reader: FieldReader): ExtendHold {
  return {
    kind: 'extend',
    holdId: reader.text(),
    fixed: reader.amount(),
    perUnit: reader.amount(),
    targetUnits: reader.count(),
    now: reader.count(),
  }
}

function readSettle(reader: FieldReader): SettleHold {
  return {
    kind: 'settle',
    holdId: reader.text(),
    end: reader.text() as HoldEnd,
    charge: reader.amount(),
    cost: reader.amount(),
    now: reader.count(),
    facts: {
      upstream: reader.textOrNull(),
      upstreamModel: reader.textOrNull(),
      status: reader.text() as UsageFacts['status'],
      errorCode: reader.textOrNull(),
      promptTokens: reader.countOrNull(),
      completionTokens: reader.countOrNull(),
      cachedTokens: reader.countOrNull(),
      reasoningTokens: reader.countOrNull(),
      basis: reader.textOrNull() as UsageFacts['basis'],
      estimated: reader.flag(),
      pricing: reader.textOrNull(),
      generationId: reader.textOrNull(),
      latencyMs: reader.countOrNull(),
    },
  }
}

/** Writes the results of a batch. */
export function writeResultsText(results: readonly LedgerResult[]): string {
  const fields: Field[] = [results.length]
  for (const result of results) {
    if (result.kind === 'placed') {
      fields.push('placed', String(result.amount), result.units, countField(result.limit))
    } else if (result.kind === 'settled') {
      fields.push('settled', String(result.charge), String(result.writeOff))
    } else {
      fields.push('other', JSON.stringify(result, replaceBigInt))
    }
  }
  return fields.join(SEPARATOR)
}

/** Reads what `writeResultsText` wrote. @throws {InvariantError} when it is not that. */
export function readResultsText(text: string): readonly LedgerResult[] {
  return readAll(text, readResult)
}

function readResult(reader: FieldReader): LedgerResult {
  switch (reader.text()) {
    case 'placed':
      return { kind: 'placed', amount: reader.amount(), units: reader.count(), limit: reader.countOrNull() }
    case 'settled':
      return { kind: 'settled', charge: reader.amount(), writeOff: reader.amount() }
    default:
      return JSON.parse(reader.text(), reviveBigInt) as LedgerResult
  }
}

/** Takes the fields of a text one after the other. */
class FieldReader {
  readonly #fields: readonly string[]
  #next = 0

  constructor(text: string) {
    this.#fields = text.split(SEPARATOR)
  }

  get isAtEnd(): boolean {
    return this.#next === this.#fields.length
  }

  text(): string {
    return this.#fields[this.#next++] ?? ''
  }

  textOrNull(): string | null {
    const text = this.text()
    if (!text.startsWith(NULL)) return text
    return text === NULL ? null : text.slice(NULL.length)
  }

  count(): number {
    return Number(this.text())
  }

  countOrNull(): number | null {
    const text = this.text()
    return text === NULL ? null : Number(text)
  }

  flag(): boolean {
    return this.text() === '1'
  }

  amount(): Nanocredits {
    return nanocreditsOf(BigInt(this.text()))
  }
}

/** Marks a text as a whole number that JSON would make a float of, or escapes a text that begins with the mark. */
const BIG = '\u0002'

function replaceBigInt(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${BIG}${value}`
  return typeof value === 'string' && value.startsWith(BIG) ? BIG + value : value
}

function reviveBigInt(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(BIG)) return value
  return value.startsWith(BIG, BIG.length) ? value.slice(BIG.length) : BigInt(value.slice(BIG.length))
}
