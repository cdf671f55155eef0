/**
 * From the text that a usage record keeps about its prices back to the charge. It reads only what the text says, the
 * margin included, so that a charge can be checked long after its prices have changed. Source: docs/money.md
 * (recomputing a charge).
 */
import { z } from 'zod'
import { MARGIN_BPS, nanocreditsOf, parseCredits, ZERO, type Nanocredits } from './credits.ts'
import { listMediaCost, type MediaLine } from './media-cost.ts'
import { attoUsdOf, type AttoUsd, chargeForCost, costAtPar, parseUsd } from './usd.ts'

/** What a text says that a request costs. */
export interface RecomputedCharge {
  readonly charge: Nanocredits
  /** What the delivered answer cost us, at par, rounded up; 0 when the text names no cost. */
  readonly cost: Nanocredits
  readonly basis: 'card' | 'cost' | 'list'
  /** The margin that the text names, in basis points; null when it names no cost. */
  readonly marginBps: number | null
  readonly isEstimated: boolean
  /** Absent where the text counts no tokens. */
  readonly promptTokens?: number
  readonly completionTokens?: number
  /** Of `promptTokens`; absent where the text does not split them. */
  readonly cachedTokens?: number
}

const count = z.int().nonnegative()
const counts = z.record(z.string(), count)
const amounts = z.record(z.string(), z.string())

/** The text as `chargeChat` and `chargeMedia` write it. */
const pricingText = z.object({
  basis: z.enum(['card', 'cost', 'list']),
  estimated: z.literal(true).optional(),
  prompt_tokens: count.optional(),
  completion_tokens: count.optional(),
  card: z.object({ credits_per_1m_input: z.string(), credits_per_1m_output: z.string() }).optional(),
  tokens: counts.optional(),
  usd_per_token: z.object({ above_input_tokens: count.optional() }).catchall(z.string()).optional(),
  units: z.record(z.string(), z.number().nonnegative()).optional(),
  usd_per_unit: amounts.optional(),
  minimum_usd: z.string().optional(),
  cost_usd: z.string().optional(),
  margin_bps: count.optional(),
})

type PricingText = z.infer<typeof pricingText>

const PROMPT_KINDS = ['input', 'cached_input', 'cache_write', 'cache_write_long', 'audio_input']
const COMPLETION_KINDS = ['output', 'audio_output', 'image_output']
const TOKENS_PER_CARD_UNIT = 1_000_000n

/**
 * Recomputes a charge from its quantities and unit prices, and the cost from the list where the list made it.
 *
 * @returns null when the text is none that this gateway writes, or when its figures contradict each other.
 */
export function recomputeCharge(pricing: string): RecomputedCharge | null {
  const text = parsePricing(pricing)
  if (text === null) return null
  const byCard = cardCharge(text)
  const cost = text.cost_usd === undefined ? null : parseUsd(text.cost_usd)
  const listed = listedCost(text)
  const isByList = text.usd_per_token !== undefined || text.usd_per_unit !== undefined
  const marginBps = text.margin_bps ?? null
  // The larger decides, so at least one of them is there; a cost never counts without the margin.
  if ((byCard === null && cost === null) || (cost !== null && marginBps === null)) return null
  if (isByList && (listed === null || listed !== cost)) return null
  const byCost = cost === null || marginBps === null ? ZERO : chargeForCost(cost, marginBps)
  const cardDecides = byCard !== null && byCard >= byCost
  if (text.basis !== (cardDecides ? 'card' : isByList ? 'list' : 'cost')) return null
  return {
    charge: cardDecides ? byCard : byCost,
    cost: cost === null ? ZERO : costAtPar(cost),
    basis: text.basis,
    marginBps,
    isEstimated: text.estimated === true,
    ...(text.prompt_tokens === undefined ? {} : { promptTokens: text.prompt_tokens }),
    ...(text.completion_tokens === undefined ? {} : { completionTokens: text.completion_tokens }),
    ...(text.tokens === undefined ? {} : { cachedTokens: text.tokens['cached_input'] ?? 0 }),
  }
}

/** Whether a charge was made with a margin that this gateway has never had. */
export function isOtherMargin({ marginBps }: Pick<RecomputedCharge, 'marginBps'>): boolean {
  return marginBps !== null && marginBps !== MARGIN_BPS
}

function parsePricing(text: string): PricingText | null {
  try {
    return pricingText.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

function cardCharge({ card, prompt_tokens: prompt, completion_tokens: completion }: PricingText): Nanocredits | null {
  if (card === undefined || prompt === undefined || completion === undefined) return null
  const input = parseCredits(card.credits_per_1m_input)
  const output = parseCredits(card.credits_per_1m_output)
  if (input === null || output === null) return null
  return nanocreditsOf((BigInt(prompt) * input + BigInt(completion) * output) / TOKENS_PER_CARD_UNIT)
}

/** Null where no list made the cost, or where its quantities are not those of the request. */
function listedCost(text: PricingText): AttoUsd | null {
  return text.usd_per_unit === undefined ? tokenCost(text) : unitCost(text, text.usd_per_unit)
}

function tokenCost({ tokens, usd_per_token: prices, ...text }: PricingText): AttoUsd | null {
  if (tokens === undefined || prices === undefined) return null
  const { above_input_tokens: above, request, ...perToken } = prices
  const sumOf = (kinds: readonly string[]) => kinds.reduce((sum, kind) => sum + (tokens[kind] ?? 0), 0)
  if (sumOf(PROMPT_KINDS) !== text.prompt_tokens || sumOf(COMPLETION_KINDS) !== text.completion_tokens) return null
  if (above !== undefined && text.prompt_tokens <= above) return null
  const { request: requests = 1, ...kinds } = tokens
  const perRequest = request === undefined ? null : parseUsd(request)
  if ((request !== undefined && perRequest === null) || (request === undefined && 'request' in tokens)) return null
  let cost: bigint | null = (perRequest ?? 0n) * BigInt(requests)
  for (const [kind, quantity] of Object.entries(kinds)) {
    // A long write is named where its price differs from that of every write.
    const named = perToken[kind] ?? (kind === 'cache_write_long' ? perToken['cache_write'] : undefined)
    const price = named === undefined ? null : parseUsd(named)
    if (cost === null || price === null) return null
    cost += BigInt(quantity) * price
  }
  return cost === null ? null : attoUsdOf(cost)
}

function unitCost({ units = {}, minimum_usd: least }: PricingText, prices: Record<string, string>): AttoUsd | null {
  const minimum = least === undefined ? null : parseUsd(least)
  const lines: MediaLine[] = []
  for (const unit of new Set([...Object.keys(units), ...Object.keys(prices)])) {
    const perUnit = parseUsd(prices[unit] ?? '')
    const quantity = units[unit]
    if (perUnit === null || quantity === undefined) return null
    lines.push({ unit: unit as MediaLine['unit'], quantity, perUnit })
  }
  return least !== undefined && minimum === null ? null : listMediaCost(lines, minimum)
}
