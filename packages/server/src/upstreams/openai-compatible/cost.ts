/** What an upstream says that an answer has cost, read from the digits of its JSON. */
import { loneNumberText, numberText } from '../../platform/json/json-body.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { attoUsdOf, parseUsd } from '../../pricing/usd.ts'
import type { Dialect } from './dialect.ts'

/** A usage object, and where it is in the text. */
export interface FoundUsage {
  readonly usage: Readonly<Record<string, unknown>>
  readonly path: readonly string[]
}

/**
 * One USD is 10¹⁰ of these ticks at the upstream that counts its cost in them. Source: that upstream's cost tracking
 * page.
 */
const ATTO_USD_PER_TICK = 100_000_000n

/** @param value what the text has at the path: a number, or a text that says one. */
function usdAt(text: () => Buffer, path: readonly string[], value: unknown): AttoUsd | null {
  if (typeof value === 'string') return parseUsd(value)
  const digits = typeof value === 'number' ? numberText(text(), path) : null
  return digits === null ? null : parseUsd(digits)
}

/**
 * The digits of the cost. If the key appears once, a search from the end of the text finds them; the value shows that
 * it is the right key. Otherwise the whole text is read.
 */
function feeAt(text: () => Buffer, path: readonly string[], value: unknown): AttoUsd | null {
  const digits = typeof value === 'number' ? loneNumberText(text(), 'cost') : null
  return digits !== null && Number(digits) === value ? parseUsd(digits) : usdAt(text, [...path, 'cost'], value)
}

/**
 * Adds what a provider bills on a key of the operator's own to what the router bills for passing the request on.
 *
 * @returns null when the provider's part is not known: the fee alone is not what the answer has cost.
 */
export function addOwnKeyCost(fee: AttoUsd | null, provider: AttoUsd | null): AttoUsd | null {
  return provider === null ? null : attoUsdOf((fee ?? 0n) + provider)
}

const INFERENCE_COST = 'upstream_inference_cost'

function reportedCost(source: () => Buffer, { usage, path }: FoundUsage): AttoUsd | null {
  const { cost, cost_details: details } = usage
  // Its parts, and their sum, which has the fee of a search that no tokens tell of. Source: Perplexity's API reference.
  const sum: unknown = Reflect.get(Object(cost), 'total_cost')
  if (sum !== undefined) return usdAt(source, [...path, 'cost', 'total_cost'], sum)
  const fee = feeAt(source, path, cost)
  if (usage['is_byok'] === true) {
    const inferred = typeof details === 'object' && details !== null ? Object.entries(details) : []
    const value: unknown = inferred.find(([name]) => name === INFERENCE_COST)?.[1]
    return addOwnKeyCost(fee, usdAt(source, [...path, 'cost_details', INFERENCE_COST], value))
  }
  if (fee !== null || typeof cost === 'number') return fee
  const ticks = usage['cost_in_usd_ticks']
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks) || ticks < 0) return null
  return attoUsdOf(BigInt(ticks) * ATTO_USD_PER_TICK)
}

/**
 * Reads the cost of an answer. More than nothing is believed whatever the upstream is; nothing only from one that is
 * known to report its costs, since other servers fill the field with a zero that says nothing. A text that is a number
 * says as much as the number.
 *
 * @param source the JSON text that holds the usage object.
 * @returns null when the cost is not known.
 *
 * Source: decision 0018 (upstream adapters); OpenRouter's API reference, usage accounting.
 */
export function readCost(
  source: () => Buffer,
  found: FoundUsage,
  dialect: Pick<Dialect, 'reportsCost'>,
): AttoUsd | null {
  const cost = reportedCost(source, found)
  return cost === 0n && !dialect.reportsCost ? null : cost
}
