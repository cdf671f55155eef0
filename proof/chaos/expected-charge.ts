/**
 * What an answer may cost, calculated from the upstream's invoice and the rate card, apart from the gateway's
 * own arithmetic.
 */
import { readFileSync } from 'node:fs'
import type { InvoiceLine } from './invoice-upstream.ts'

/**
 * The aliases that the clients ask for; one has a high card, the other a low one, so that either side of the
 * price decides.
 */
export const ALIASES = ['svc-gpt', 'svc-reasoner'] as const

interface Card {
  readonly input: bigint
  readonly output: bigint
}

interface FeaturedRow {
  readonly alias: string
  readonly model: string
  readonly card_input: string
  readonly card_output: string
}

export interface ChargeOracle {
  /** What a whole answer costs to the digit; null where the upstream leaves the gateway to estimate. */
  exact(line: InvoiceLine): bigint | null
  /** The most that any ending of it may cost. */
  most(line: InvoiceLine): bigint
}

const NANOCREDITS_PER_USD = 1_000_000_000_000n
const COST_DECIMALS = 18

function decimal(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
}

/** The card by the upstream's model. Credits per million tokens are thousands of nanocredits per token. */
function readCards(): ReadonlyMap<string, Card> {
  const file = new URL('../../packages/server/data/featured.json', import.meta.url)
  const { aliases } = JSON.parse(readFileSync(file, 'utf8')) as { readonly aliases: readonly FeaturedRow[] }
  return new Map(
    aliases
      .filter(({ alias }) => (ALIASES as readonly string[]).includes(alias))
      .map((row) => [row.model, { input: decimal(row.card_input, 3), output: decimal(row.card_output, 3) }]),
  )
}

/** Cost × 1.2, rounded up to a nanocredit. */
function chargeByCost({ plan }: InvoiceLine): bigint {
  const dividend = decimal(plan.costText, COST_DECIMALS) * NANOCREDITS_PER_USD * 12n
  const divisor = 10n ** BigInt(COST_DECIMALS) * 10n
  return (dividend + divisor - 1n) / divisor
}

/** Reads the rate card. */
export function createChargeOracle(): ChargeOracle {
  const cards = readCards()
  const byCard = ({ model, plan }: InvoiceLine): bigint => {
    const card = cards.get(model)
    if (card === undefined) throw new Error(`the upstream was asked for ${model}, which no client asked for`)
    return BigInt(plan.promptTokens) * card.input + BigInt(plan.completionTokens) * card.output
  }
  const larger = (left: bigint, right: bigint): bigint => (left > right ? left : right)
  return {
    exact(line) {
      if (line.plan.behaviour !== 'whole') return null
      return larger(byCard(line), line.plan.reportsCost ? chargeByCost(line) : 0n)
    },
    most: (line) => larger(byCard(line), chargeByCost(line)),
  }
}
