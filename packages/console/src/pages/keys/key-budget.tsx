import { nanocreditsFrom, type Exact, type TeamKey } from '@svc/contract'
import { clsx } from 'clsx'
import { Credits } from '../../ui/credits.tsx'
import { Time } from '../../ui/time.tsx'

export const PERIOD_TEXTS = { none: 'in all', daily: 'a day', weekly: 'a week', monthly: 'a month' } as const
const NEARLY_ALL = 0.9

/** How much of a key's budget is gone, and when it begins anew. */
export function KeyBudget({ target }: { readonly target: Exact<TeamKey> }) {
  const { budget_credits: limit, budget_used: used, budget_period: period, budget_resets_at: anew } = target
  if (limit === null) return <span className="text-soft">no limit</span>
  const share = Math.min(1, Number((nanocreditsFrom(used) * 1_000n) / nanocreditsFrom(limit)) / 1_000)
  return (
    <div className="flex flex-col items-end gap-1 whitespace-nowrap">
      <span>
        <Credits value={limit} withUnit={false} /> <span className="text-soft">{PERIOD_TEXTS[period]}</span>
      </span>
      <BudgetBar share={share} className="w-24" />
      {anew !== null && (
        <span className="text-[12px] text-soft">
          renewed <Time seconds={anew} />
        </span>
      )}
    </div>
  )
}

/** @param props.share what is gone, from 0 to 1. */
export function BudgetBar({ share, className }: { readonly share: number; readonly className?: string }) {
  return (
    <span aria-hidden className={clsx('block h-1 overflow-hidden rounded-full bg-line', className)}>
      <span
        className={clsx('block h-full rounded-full', share >= NEARLY_ALL ? 'bg-warning' : 'bg-accent')}
        style={{ width: `${share * 100}%` }}
      />
    </span>
  )
}
