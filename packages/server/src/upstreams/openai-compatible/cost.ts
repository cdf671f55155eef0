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

function usdAt(text: Buffer, path: readonly string[]): AttoUsd | null {
  const digits = numberText(text, path)
  return digits === null ? null : parseUsd(digits)
}

/**
 * The digits of the cost. If the key appears once, a search from the end of the text finds them; the value shows that
 * it is the right key. Otherwise the whole text is read.
 */
function feeAt(text: Buffer, path: readonly string[], value: number): AttoUsd | null {
  const digits = loneNumberText(text, 'cost')
  return digits !== null && Number(digits) === value ? parseUsd(digits) : usdAt(text, [...path, 'cost'])
}

/**
 * Adds what a provider bills on a key of the operator's own to what the router bills for passing the request on.
 *
 * @returns null when the provider's part is not known: the fee alone is not what the answer has cost.
 */
export function addOwnKeyCost(fee: AttoUsd | null, provider: AttoUsd | null): AttoUsd | null {
  return provider === null ? null : attoUsdOf((fee ?? 0n) + provider)
}

function reportedCost(source: () => Buffer, { usage, path }: FoundUsage): AttoUsd | null {
  const fee = typeof usage['cost'] === 'number' ? feeAt(source(), path, usage['cost']) : null
  if (usage['is_byok'] === true) {
    return addOwnKeyCost(fee, usdAt(source(), [...path, 'cost_details', 'upstream_inference_cost']))
  }
  if (typeof usage['cost'] === 'number') return fee
  const ticks = usage['cost_in_usd_ticks']
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks) || ticks < 0) return null
  return attoUsdOf(BigInt(ticks) * ATTO_USD_PER_TICK)
}

/**
 * Reads the cost of an answer. More than nothing is believed whatever the upstream is; nothing only from one that is
 * known to report its costs, since other servers fill the field with a zero that says nothing.
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
