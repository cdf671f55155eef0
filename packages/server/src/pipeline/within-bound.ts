/** What a request asks for, compared with what is held for it, and written within that. */
import { type JsonBody, scanMembers, spliceMembers } from '../platform/json/json-body.ts'
import { writtenNumber } from '../upstreams/work-fields/written-number.ts'
import { type AskedWork, type BoundedKind, unsupportedField } from './work-guard.ts'

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
 * Writes the body with every limit within what is held for; the same body where all are.
 *
 * @throws {ServiceError} as `refuseBeyond`.
 */
export function withinBound(body: JsonBody, work: AskedWork, bound: WorkBound): JsonBody {
  refuseBeyond(work, bound)
  let { text } = body
  for (const { path, kind, value, isListed } of work.fields) {
    if (isListed || !isBeyond(kind, value, bound)) continue
    text = spliceAt(text, path, String(bound.tokens))
  }
  if (text === body.text) return body
  return { text, value: JSON.parse(text.toString('utf8')) as JsonBody['value'], members: scanMembers(text) }
}

function isBeyond(kind: BoundedKind, value: unknown, { tokens }: WorkBound): boolean {
  if (kind === 'limit' || kind === 'beside') return askedNumber(kind, value) > tokens
  // A budget of none, or of the model's own choice, ends within the limit.
  return kind === 'budget' && (writtenNumber(value) ?? 0) > tokens
}

/** Replaces one value, however deep it is; every other byte stays as it was. */
function spliceAt(text: Buffer, [name = '', ...rest]: readonly string[], written: string): Buffer {
  const members = scanMembers(text)
  const member = members.get(name)
  if (member === undefined) return text
  const inner = text.subarray(member.valueStart, member.valueEnd)
  const exchanged = rest.length === 0 ? written : spliceAt(inner, rest, written).toString('utf8')
  return spliceMembers({ text, value: {}, members }, new Map([[name, exchanged]]))
}

/** Tokens that the model may make beside the limit, of those that a request asks for. */
export function besideTokens({ fields, besideTokens: predicted }: AskedWork, tokens: number): number {
  const asked = fields
    .filter(({ kind }) => kind === 'beside')
    .map(({ kind, value }) => Math.min(askedNumber(kind, value), tokens))
  return predicted + Math.max(0, ...asked)
}
