/** The sum behind a charge, line by line, from what its record says. Every digit is exact. */
import {
  CREDITS_PER_USD,
  formatCredits,
  nanocreditsFrom,
  percentText,
  type Exact,
  type UsageRecordBody,
  trimEndOf,
  usdShown,
} from '@svc/contract'

export interface BillLine {
  readonly what: string
  /** How much of it, and at what price; empty for lines that are sums. */
  readonly how: string
  /** Exact decimal in `unit`. */
  readonly amount: string
  readonly unit: 'USD' | 'credits'
}

const DECIMALS = 30n
const ONE = 10n ** DECIMALS
const NANO = 10n ** 21n

function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(Number(DECIMALS), '0').slice(0, Number(DECIMALS)))
}

function textOf(value: bigint): string {
  const digits = value.toString().padStart(Number(DECIMALS) + 1, '0')
  const fraction = trimEndOf(digits.slice(-Number(DECIMALS)), '0')
  return digits.slice(0, -Number(DECIMALS)) + (fraction === '' ? '' : `.${fraction}`)
}

type Pricing = NonNullable<Exact<UsageRecordBody>['pricing']>

const NAMES: Readonly<Record<string, string>> = {
  prompt: 'Input tokens',
  completion: 'Output tokens',
  input_cache_read: 'Cached input tokens',
  input_cache_write: 'Input tokens written to the cache',
  internal_reasoning: 'Reasoning tokens',
  input_images: 'Input images',
}

function nameOf(kind: string): string {
  const name = NAMES[kind] ?? kind.replaceAll('_', ' ')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function cardLines({ card, prompt_tokens: input = 0, completion_tokens: output = 0 }: Pricing): BillLine[] {
  if (card === undefined) return []
  return [
    ['Input tokens', input, card.credits_per_1m_input] as const,
    ['Output tokens', output, card.credits_per_1m_output] as const,
  ].map(([what, count, price]) => ({
    what,
    how: `${count.toLocaleString()} × ${price} credits per million`,
    amount: textOf((BigInt(count) * scaled(price)) / 1_000_000n),
    unit: 'credits',
  }))
}

function countLines(counts: object | undefined, prices: object | undefined): BillLine[] {
  const priceOf = new Map<string, unknown>(Object.entries(prices ?? {}))
  const lines: BillLine[] = []
  for (const [kind, count] of Object.entries(counts ?? {})) {
    const price = priceOf.get(kind)
    if (typeof count !== 'number' || typeof price !== 'string' || count === 0) continue
    lines.push({
      what: nameOf(kind),
      how: `${count.toLocaleString()} × ${usdShown(price, 'exact')}`,
      amount: textOf((scaled(String(count)) * scaled(price)) / ONE),
      unit: 'USD',
    })
  }
  const request = priceOf.get('request')
  if (typeof request === 'string' && scaled(request) > 0n && !('request' in (counts ?? {}))) {
    lines.push({ what: 'The request', how: `1 × ${usdShown(request, 'exact')}`, amount: request, unit: 'USD' })
  }
  return lines
}

function costLines(pricing: Pricing): BillLine[] {
  const { cost_usd: cost, margin_bps: margin = 0 } = pricing
  if (cost === undefined) return []
  const counted = [
    ...countLines(pricing.tokens, pricing.usd_per_token),
    ...countLines(pricing.units, pricing.usd_per_unit),
  ]
  const marginUsd = (scaled(cost) * BigInt(margin)) / 10_000n
  const isOurs = pricing.estimated === true || counted.length > 0
  const origin = isOurs ? 'by the list prices' : 'as the upstream reported it'
  return [
    ...counted,
    { what: 'Cost', how: origin, amount: cost, unit: 'USD' },
    { what: 'Margin', how: `${percentText(margin)} of the cost`, amount: textOf(marginUsd), unit: 'USD' },
    {
      what: 'In credits',
      how: '1,000 credits are 1 USD',
      amount: textOf((scaled(cost) + marginUsd) * BigInt(CREDITS_PER_USD)),
      unit: 'credits',
    },
  ]
}

/** Empty for a request that was free, or whose record has no prices. The last line is always the charge. */
export function billOf({ pricing, credits_charged: charged }: Exact<UsageRecordBody>): readonly BillLine[] {
  if (pricing === null) return []
  const isByCard = pricing.basis === 'card'
  const lines = isByCard ? cardLines(pricing) : costLines(pricing)
  const exact = isByCard
    ? lines.reduce((sum, { amount }) => sum + scaled(amount), 0n)
    : scaled(lines.at(-1)?.amount ?? '0')
  const charge = nanocreditsFrom(charged) * NANO
  const rounding: BillLine = {
    what: 'Rounding',
    how: 'up, once, to nine decimals',
    amount: textOf(charge - exact),
    unit: 'credits',
  }
  const total: BillLine = { what: 'Charge', how: '', amount: formatCredits(charge / NANO), unit: 'credits' }
  return [...lines, ...(charge > exact && charge - exact < NANO ? [rounding] : []), total]
}

/** What the other rule would have given, where both could be computed; null where there was no choice. */
export function otherRule({ pricing }: Pick<Exact<UsageRecordBody>, 'pricing'>): string | null {
  if (pricing === null || pricing.card === undefined || pricing.cost_usd === undefined) return null
  const byCard = cardLines(pricing).reduce((sum, { amount }) => sum + scaled(amount), 0n)
  const byCost = scaled(costLines(pricing).at(-1)?.amount ?? '0')
  if (byCard === byCost) return 'The rate card and the cost with the margin give the same.'
  return pricing.basis === 'card'
    ? `The cost with the margin is ${textOf(byCost)} credits. The larger of both is charged: here the rate card.`
    : `The rate card gives ${textOf(byCard)} credits. The larger of both is charged: here the cost with the margin.`
}
