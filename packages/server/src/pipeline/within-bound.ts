/** What a request asks for, compared with what is held for it, and written within that. */
import { type JsonBody, scanMembers, textStart } from '../platform/json/json-body.ts'
import { writtenNumber } from '../upstreams/work-fields/written-number.ts'
import { unsupportedField } from './field-errors.ts'
import type { AskedWork, BoundedKind, Span } from './work-reader.ts'

/** What is held for. */
export interface WorkBound {
  /** Tokens of output for each answer. */
  readonly tokens: number
  readonly answers: number
}

/** The number that a field asks for; infinite where it asks for no end, or for what cannot be read. */
function askedNumber(kind: BoundedKind, value: unknown): number {
  const number = writtenNumber(value) ?? Infinity
  const isNoEnd = kind === 'limit' ? number <= 0 : number < 0 && endless.has(kind)
  return isNoEnd ? Infinity : number
}

/** Fields in which less than nothing means no end. */
const endless: ReadonlySet<BoundedKind> = new Set(['beside', 'unknown output'])

function mostOf(kind: BoundedKind, { tokens, answers }: WorkBound): number {
  return kind === 'answers' || kind === 'unknown answers' ? answers : tokens
}

/**
 * Compares what is asked for with what is held for.
 *
 * @throws {ServiceError} `unsupported_parameter` for a field that asks for more and is none that can be exchanged.
 */
export function refuseBeyond({ fields }: AskedWork, bound: WorkBound): void {
  for (const { path, kind, value, isListed } of fields) {
    const isExchanged = kind === 'limit' || kind === 'budget' || kind === 'beside'
    if (isExchanged && !isListed) continue
    const most = mostOf(kind, bound)
    if (askedNumber(kind, value) <= most) continue
    throw unsupportedField(path, `asks for more than the ${most} that this request holds credits for.`)
  }
}

/**
 * Writes the body with every limit within what is held for; the same body where all are. Every other byte stays as it
 * was.
 *
 * @param work as it was read of this body.
 * @throws {ServiceError} as `refuseBeyond`.
 */
export function withinBound(body: JsonBody, work: AskedWork, bound: WorkBound): JsonBody {
  refuseBeyond(work, bound)
  const beyond = work.fields.flatMap(({ kind, value, span, isListed }) =>
    span === null || isListed || !isBeyond(kind, value, bound) ? [] : [span],
  )
  if (beyond.length === 0) return body
  const text = exchange(body.text, beyond, Buffer.from(String(bound.tokens)))
  return { text, value: JSON.parse(text.toString('utf8')) as JsonBody['value'], members: scanMembers(text) }
}

/** Replaces values in one pass: there may be thousands of them. A value within another goes with it. */
function exchange(text: Buffer, spans: readonly Span[], written: Buffer): Buffer {
  const parts: Buffer[] = []
  let copied = textStart(text)
  for (const { start, end } of spans.toSorted((left, right) => left.start - right.start)) {
    if (start < copied) continue
    parts.push(text.subarray(copied, start), written)
    copied = end
  }
  return Buffer.concat([...parts, text.subarray(copied)])
}

function isBeyond(kind: BoundedKind, value: unknown, { tokens }: WorkBound): boolean {
  if (kind === 'limit' || kind === 'beside') return askedNumber(kind, value) > tokens
  // A budget of none, or of the model's own choice, ends within the limit.
  return kind === 'budget' && (writtenNumber(value) ?? 0) > tokens
}

/** Tokens that the model may make beside the limit, of those that a request asks for. */
export function besideTokens({ fields, besideTokens: predicted }: AskedWork, tokens: number): number {
  const asked = fields
    .filter(({ kind }) => kind === 'beside')
    .map(({ kind, value }) => Math.min(askedNumber(kind, value), tokens))
  // Not `Math.max(...)`: a request can have more fields than a call has arguments.
  return predicted + asked.reduce((most, each) => Math.max(most, each), 0)
}
