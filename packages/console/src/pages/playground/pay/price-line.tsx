import { ApiError, formatCredits, formatUsd, nanocreditsFrom, shortDecimal, usdShown } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useTeam } from '../../../api/session.ts'
import { balanceQuery } from '../../../api/team.ts'
import { Credits } from '../../../ui/credits.tsx'
import { useSettled } from '../../../ui/use-settled.ts'
import { type PriceRange, priceQuery } from './request-price.ts'
import type { RequestSize } from './request-size.ts'

const MEANING = 'What this request can cost'

/** What a click will cost, shown before it. @param requests that it sends. */
export function PriceLine({ requests }: { readonly requests: readonly RequestSize[] }) {
  const wanted = JSON.stringify(requests)
  const settled = useSettled(wanted)
  const { data, error, isPlaceholderData } = useQuery(priceQuery(JSON.parse(settled) as readonly RequestSize[]))
  if (error instanceof ApiError && error.is('model_not_found')) {
    return <span className="text-[12px] text-soft">Charged by what the upstream reports</span>
  }
  if (data === undefined || error !== null) return <span className="text-[12px] text-soft">costs …</span>
  return <Range range={data} isOld={isPlaceholderData || settled !== wanted} />
}

/** @param isOld while the price of what is asked for now is on its way. */
function Range({ range, isOld }: { readonly range: PriceRange; readonly isOld: boolean }) {
  const [low, likely, high] = [formatCredits(range.low), formatCredits(range.likely), formatCredits(range.high)]
  const [shortLow, shortLikely, shortHigh] = [shortDecimal(low), shortDecimal(likely), shortDecimal(high)]
  const [low$, high$] = [usdShown(formatUsd(range.low), 'exact'), usdShown(formatUsd(range.high), 'exact')]
  const dollars = range.low === range.high ? low$ : `${low$} to ${high$}`
  return (
    <span role="group" aria-label={MEANING} aria-busy={isOld} className="figures text-[12px] text-soft">
      costs{' '}
      <span data-testid="price" title={`${MEANING}: ${low} to ${high} credits, ${dollars}`}>
        {shortLow === shortHigh ? shortHigh : `about ${shortLikely}, at most ${shortHigh}`} credits
      </span>
      <Shortfall of={range} />
    </span>
  )
}

/** Said before the request is sent: what is available may cut the answer short, or refuse it. */
function Shortfall({ of: { likely } }: { readonly of: PriceRange }) {
  const team = useTeam()
  const { data } = useQuery(balanceQuery(team.id))
  if (data === undefined || nanocreditsFrom(data.credits_available) >= likely) return null
  return (
    <span className="text-warning">
      , <Credits value={data.credits_available} withUnit={false} isBalance /> available
    </span>
  )
}
