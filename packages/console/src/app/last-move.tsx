import { exactText, formatCredits, nanocreditsFrom, nanocreditsOf } from '@svc/contract'
import { clsx } from 'clsx'
import { useEffect, useRef, useState } from 'react'
import { toast } from '../ui/toasts.tsx'

interface LastMoveProps {
  readonly credits: string | undefined
  /** Whether less than the team's threshold is left. */
  readonly isLow: boolean
  readonly threshold: string | null
}

/** How long the last change of the balance is shown below it. Source: own choice. */
const MOVE_MS = 8_000

/**
 * What has just been charged or added, to the last digit: a balance of 100,000 credits does not show a charge of a
 * thousandth. Holds move what is available and come back, so this goes by what is posted. What arrives, and a balance
 * that falls below its threshold, is told besides.
 */
export function LastMove({ credits, isLow, threshold }: LastMoveProps) {
  const before = useRef(credits)
  const [moved, setMoved] = useState<{ readonly by: bigint } | null>(null)
  useEffect(() => {
    const by = credits === undefined || before.current === undefined ? 0n : differenceOf(before.current, credits)
    before.current = credits
    if (by !== 0n) setMoved({ by })
    if (by > 0n) toast.news(`${exactText(formatCredits(nanocreditsOf(by)))} credits have arrived.`)
  }, [credits])
  const wasLow = useRef(isLow)
  useEffect(() => {
    if (isLow && !wasLow.current) toast.news(`Less than ${exactText(threshold ?? '')} credits are left.`)
    wasLow.current = isLow
  }, [isLow, threshold])
  useEffect(() => {
    if (moved === null) return undefined
    const timer = setTimeout(() => setMoved(null), MOVE_MS)
    return () => clearTimeout(timer)
  }, [moved])
  return (
    <span
      role="status"
      aria-label="Last change of the balance"
      className={clsx(
        'figures pointer-events-none absolute top-full right-0 mt-3 rounded border border-line bg-raised px-2.5 py-1',
        'text-[13px] leading-5 whitespace-nowrap shadow-[0_4px_12px_rgb(0_0_0/0.12)] empty:hidden',
        moved !== null && moved.by > 0n ? 'text-success' : 'text-text',
      )}
    >
      {moved !== null && moveText(moved.by)}
    </span>
  )
}

/** In words: a number of its own beside the balance says not what it is. */
function moveText(by: bigint): string {
  const credits = exactText(formatCredits(nanocreditsOf(by < 0n ? -by : by)))
  return by < 0n ? `Last charge ${credits} credits` : `${credits} credits added`
}

function differenceOf(before: string, after: string): bigint {
  return nanocreditsFrom(after) - nanocreditsFrom(before)
}
