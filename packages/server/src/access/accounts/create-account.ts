/**
 * Room `accounts`: holders of credits and their teams. It knows nothing of keys or of how credits move; what it
 * needs of both is passed in. Invariant: an account, its balance and its first team come into being together.
 */
import type { Nanocredits } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { AccountStore } from './account-store.ts'

/** Characters of an account's name at most. Source: decision 0011 (keys), as for the name of a key. */
export const ACCOUNT_NAME_LENGTH_MAX = 64

export interface CreateAccountDeps {
  readonly store: Pick<AccountStore, 'insert'>
  readonly clock: Clock
}

export interface AccountRequest {
  /** What people call the account: 1 to 64 characters after trimming. Its team gets the same name. */
  readonly name: string
  /** What the team may spend at most, in each period or in all; absent or null for no cap. */
  readonly teamCap?: { readonly limit: Nanocredits; readonly period: BudgetPeriod } | null
  /** For accounts whose id is known beforehand; made otherwise. */
  readonly accountId?: string
}

export interface CreatedAccount {
  readonly accountId: string
  readonly teamId: string
}

/**
 * Makes an account with a balance of 0 and a team.
 *
 * @returns null when the id that was asked for is taken.
 * @throws {ServiceError} `invalid_value` when the name or the cap makes no sense.
 */
export async function createAccount(deps: CreateAccountDeps, request: AccountRequest): Promise<CreatedAccount | null> {
  const now = deps.clock.now()
  const name = parseAccountName(request.name)
  const { teamCap = null } = request
  if (teamCap !== null && teamCap.limit <= 0n) {
    throw new ServiceError('invalid_value', 'A team’s cap must be more than 0 credits.', { param: 'team_cap' })
  }
  const accountId = request.accountId ?? createId(now)
  const teamId = createId(now)
  const isNew = await deps.store.insert({
    accountId,
    name,
    teamId,
    teamName: name,
    teamBudget:
      teamCap === null
        ? null
        : {
            budgetId: createId(now),
            limit: teamCap.limit,
            period: teamCap.period,
          },
    createdAt: now,
  })
  return isNew ? { accountId, teamId } : null
}

function parseAccountName(text: string): string {
  const name = text.trim()
  if (name === '') throw new ServiceError('invalid_value', 'An account needs a name.', { param: 'name' })
  if ([...name].length > ACCOUNT_NAME_LENGTH_MAX || /\p{Cc}/u.test(name)) {
    const rule = `An account’s name has at most ${ACCOUNT_NAME_LENGTH_MAX} characters and no control characters.`
    throw new ServiceError('invalid_value', rule, { param: 'name' })
  }
  return name
}
