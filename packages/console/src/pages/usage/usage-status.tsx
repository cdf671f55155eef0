import type { Exact, TeamUsageRecord } from '@svc/contract'
import { clsx } from 'clsx'

type Status = TeamUsageRecord['status']

/** What became of a request, by one word on every page. */
export const STATUS_TEXTS: Readonly<Record<Status, string>> = {
  ok: 'ok',
  incomplete: 'broken off',
  cancelled: 'cancelled',
  error: 'failed',
}

/** The code of what a model or its provider would not answer. */
const REFUSAL = 'content_policy_violation'

const NOTES: Readonly<Partial<Record<Status, string>>> = {
  incomplete: 'The upstream broke off. The part that was delivered is charged.',
  cancelled: 'The caller left. What was delivered is charged, as far as the upstream bills it.',
  error: 'It failed, and is free.',
}

interface UsageStatusProps {
  readonly record: Pick<Exact<TeamUsageRecord>, 'status' | 'error_code'>
}

/** The word, and the code of a failure. */
export function UsageStatus({ record: { status, error_code: code } }: UsageStatusProps) {
  const isRefused = status === 'error' && code === REFUSAL
  return (
    <span
      title={NOTES[status]}
      className={clsx(
        status === 'error' && !isRefused && 'text-danger',
        status === 'incomplete' && 'text-warning',
        (status === 'ok' || status === 'cancelled' || isRefused) && 'text-soft',
      )}
    >
      {isRefused ? 'refused' : STATUS_TEXTS[status]}
      {code !== null && status !== 'ok' && !isRefused && (
        <span className="block font-mono text-[12px] break-all">{code}</span>
      )}
    </span>
  )
}
