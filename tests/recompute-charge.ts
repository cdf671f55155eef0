import type { UsageRecordBody } from '@svc/contract'

/** A decimal as a whole number of 10⁻³⁰. */
const DECIMALS = 30

function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS))
}

const ONE = 10n ** BigInt(DECIMALS)
const NANOCREDITS_PER_USD = 1_000_000_000_000n

function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

function byCost(pricing: NonNullable<UsageRecordBody['pricing']>, cost: string): bigint {
  const margin = BigInt(10_000 + (pricing.margin_bps ?? 0))
  return ceilDivide(scaled(cost) * NANOCREDITS_PER_USD * margin, ONE * 10_000n)
}

/** Cost by the list prices that a record names: tokens of each kind × their price, and the price of the request. */
function listCost(pricing: NonNullable<UsageRecordBody['pricing']>): bigint {
  const prices = (pricing.usd_per_token ?? {}) as Readonly<Record<string, string>>
  const tokens = (pricing.tokens ?? {}) as Readonly<Record<string, number>>
  const sum = Object.entries(tokens).map(([kind, count]) => BigInt(count) * scaled(prices[kind] ?? 'none'))
  return sum.reduce((left, right) => left + right, 'request' in tokens ? 0n : scaled(prices['request'] ?? '0'))
}

/** Cost of media by the list prices that a record names: units of each kind × their price, at least the minimum. */
function unitCost(pricing: NonNullable<UsageRecordBody['pricing']>): bigint {
  const prices = pricing.usd_per_unit as Readonly<Record<string, string>>
  const units = (pricing.units ?? {}) as Readonly<Record<string, number>>
  const sum = Object.entries(units).reduce(
    (total, [kind, quantity]) => total + (scaled(String(quantity)) * scaled(prices[kind] ?? 'none')) / ONE,
    0n,
  )
  const minimum = scaled(pricing.minimum_usd ?? '0')
  return sum > minimum ? sum : minimum
}

/**
 * Calculates a charge again from nothing but its usage record, in nanocredits, as a user would: the larger of tokens ×
 * card and cost with the margin, rounded up once. Written apart from the gateway's own arithmetic on purpose.
 */
export function recomputeCharge({ pricing }: Pick<UsageRecordBody, 'pricing'>): bigint {
  if (pricing === null) return 0n
  const { card, cost_usd: cost, prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = pricing
  if (pricing.tokens !== undefined && cost !== undefined && listCost(pricing) !== scaled(cost)) {
    throw new Error(`the list prices of a record do not give its cost: ${JSON.stringify(pricing)}`)
  }
  if (pricing.usd_per_unit !== undefined && cost !== undefined && unitCost(pricing) !== scaled(cost)) {
    throw new Error(`the list prices of a record do not give its cost: ${JSON.stringify(pricing)}`)
  }
  const nanocreditsOf = (perMillion: string): bigint => (scaled(perMillion) * 1_000n) / ONE
  const byCard =
    card === undefined
      ? 0n
      : BigInt(prompt) * nanocreditsOf(card.credits_per_1m_input) +
        BigInt(completion) * nanocreditsOf(card.credits_per_1m_output)
  const byList = cost === undefined ? 0n : byCost(pricing, cost)
  return byCard > byList ? byCard : byList
}
