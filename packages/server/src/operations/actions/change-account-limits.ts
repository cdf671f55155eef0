import type { SetLimits } from '../../access/keys/request-limits.ts'
import { keepJournal, type Operator } from '../../access/operators/journal.ts'
import type { OperationsDeps, Writing } from './operations-deps.ts'

type LimitsDeps = Pick<OperationsDeps, 'journal' | 'clock' | 'limits' | 'accounts'> & Writing<'limits'>

/** Limits that an account shall have, and why. */
export interface LimitsAction {
  readonly accountId: string
  /** Absent: unchanged. Null: reset to the gateway's default. */
  readonly changes: Partial<SetLimits>
  /** In words; null where a command named none. */
  readonly reason: string | null
}

export type ChangeLimitsResult = 'changed' | 'unchanged' | 'unknown_account'

const OUTCOMES = { changed: 'done', unchanged: 'unchanged', unknown_account: 'refused' } as const

const NAMES = {
  requestsPerMinute: 'requests_per_minute',
  accountRequestsPerMinute: 'account_requests_per_minute',
  streamsAtOnce: 'streams_at_once',
} as const satisfies Record<keyof SetLimits, string>

/** What the journal says of a limit that is not set. */
const DEFAULT = 'default'

/** Sets limits of an account's keys, all or none, with an entry in the journal that says what each was and is. */
export async function changeAccountLimits(
  deps: LimitsDeps,
  by: Operator,
  { accountId, changes, reason }: LimitsAction,
): Promise<ChangeLimitsResult> {
  const before = await deps.limits.accountLimitStore.find(accountId)
  const changed = (Object.keys(NAMES) as (keyof SetLimits)[]).filter(
    (name) => changes[name] !== undefined && changes[name] !== before[name],
  )
  const details = Object.fromEntries(
    changed.map((name) => [NAMES[name], { from: before[name] ?? DEFAULT, to: changes[name] ?? DEFAULT }]),
  )
  const work = async (): Promise<ChangeLimitsResult> => {
    if ((await deps.accounts.find(accountId)) === null) return 'unknown_account'
    if (changed.length === 0) return 'unchanged'
    await deps.writesOf(by).limits.set(accountId, changes, deps.clock.now())
    return 'changed'
  }
  return keepJournal(
    deps,
    by,
    { action: 'account.limits', accountId, details, ...(reason === null ? {} : { reason }) },
    { work, outcomeOf: (result) => OUTCOMES[result] },
  )
}
