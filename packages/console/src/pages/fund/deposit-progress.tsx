import type { ClaimReply, Exact } from '@svc/contract'
import { clsx } from 'clsx'
import { Check, CircleAlert } from 'lucide-react'
import type { Deposit } from '../../api/funding.ts'
import { ExactTime } from '../../ui/time.tsx'
import { whyItWaits } from './why-it-waits.ts'

/** What is known of a payment on its way. */
export interface Progress {
  readonly status: Deposit['status'] | 'pending'
  readonly reason: Exact<ClaimReply>['reason']
  readonly eta_seconds: number | null
  /** Seconds since the epoch; null until it is in a block. */
  readonly seenAt: number | null
  readonly finalAt: number | null
  readonly creditedAt: number | null
}

export function progressOf(deposit: Deposit): Progress {
  const { status, reason, eta_seconds, created, final_at: finalAt, credited_at: creditedAt } = deposit
  return { status, reason, eta_seconds, seenAt: created, finalAt: finalAt ?? creditedAt, creditedAt }
}

const STEPS = [
  ['Seen', 'seenAt'],
  ['Final', 'finalAt'],
  ['Credited', 'creditedAt'],
] as const

/** The way of a payment from its block to the balance, with the time of each step and why the next one waits. */
export function DepositProgress({ progress }: { readonly progress: Progress }) {
  const next = STEPS.findIndex(([, at]) => progress[at] === null)
  const isStopped = progress.status === 'rejected'
  return (
    <div className="flex flex-col gap-3">
      <ol className="grid grid-cols-3 gap-2" aria-label="Progress">
        {STEPS.map(([name, key], index) => {
          const at = progress[key]
          const isNext = index === next && !isStopped
          return (
            <li key={name} className="flex min-w-0 flex-col gap-1.5" aria-current={isNext ? 'step' : undefined}>
              <span
                aria-hidden
                className={clsx(
                  'h-1 rounded-full',
                  at !== null && 'bg-accent',
                  at === null && (isNext ? 'animate-pulse bg-accent/45' : 'bg-line'),
                )}
              />
              <span className={clsx('flex items-center gap-1 font-medium', at === null && !isNext && 'text-soft')}>
                {at !== null && <Check size={14} className="text-accent" aria-hidden />}
                {name}
              </span>
              <span className="text-[12px] text-soft">
                {at === null ? isNext ? 'waiting' : '–' : <ExactTime seconds={at} />}
              </span>
            </li>
          )
        })}
      </ol>
      <p role="status" className="flex items-start gap-2 text-soft">
        {(isStopped || progress.status === 'under_review') && (
          <CircleAlert size={16} className="mt-0.5 shrink-0 text-warning" aria-hidden />
        )}
        {whyItWaits(progress)}
      </p>
    </div>
  )
}
