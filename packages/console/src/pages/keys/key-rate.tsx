import type { Exact, TeamKey } from '@svc/contract'
import { rateText } from '../../ui/limit-text.ts'

/** How often a key may ask, and by whose word. */
export function KeyRate({ target }: { readonly target: Exact<TeamKey> }) {
  const { requests_per_minute: own, requests_per_minute_in_force: inForce } = target
  if (own === null) return <>{rateText(inForce)}, as the team</>
  if (own <= inForce) return <>{rateText(own)}</>
  return (
    <>
      {rateText(inForce)}
      <span className="text-soft">
        : what the team may now, which is less than the {own.toLocaleString()} of this key
      </span>
    </>
  )
}
