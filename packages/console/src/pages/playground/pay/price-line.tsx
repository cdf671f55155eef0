import { formatCredits, formatUsd, shortDecimal } from '@svc/contract'
import type { PriceRange } from './price-ranges.ts'

const MEANING = 'What this request can cost'

/** What a click will cost, told before it. */
export function PriceLine({ range }: { readonly range: PriceRange | null }) {
  if (range === null) return <span className="text-[12px] text-soft">Charged by what the upstream reports</span>
  const [low, high] = [formatCredits(range.low), formatCredits(range.high)]
  const isKnown = range.low === range.high
  const dollars = isKnown ? `$${formatUsd(range.low)}` : `$${formatUsd(range.low)} to $${formatUsd(range.high)}`
  return (
    <span role="group" aria-label={MEANING} className="figures text-[12px] text-soft">
      costs{' '}
      <span data-testid="price" title={`${MEANING}: ${low} to ${high} credits, ${dollars}`}>
        {isKnown ? shortDecimal(low) : `${shortDecimal(low)} – ${shortDecimal(high)}`} credits
      </span>
    </span>
  )
}
