/**
 * Makes a store of test money one of live money: everything that test money or an open door has given ends, while
 * accounts, teams and people stay. Source: decision 0105 (test and live money never meet).
 */
import { nanocreditsOf } from '@svc/contract'
import { type AccountStore, closeAccount } from '../../access/accounts/close-account.ts'
import { OPERATION_AMOUNT_MAX } from '../../money/ledger/check-operation.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { type JournalDeps, keepJournal, type Operator } from '../../access/operators/journal.ts'
import type { StoreKind } from '../../access/operators/store-kind.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { GoLiveStore, OpenWork } from './go-live-store.ts'
import type { OperationsDeps } from './operations-deps.ts'

export interface GoLiveDeps extends JournalDeps, Pick<OperationsDeps, 'ledger'> {
  readonly accounts: Pick<AccountStore, 'find' | 'close'>
  readonly store: GoLiveStore
  /** Whether a gateway serves the store. */
  readonly isServed: () => Promise<boolean>
  readonly readKind: () => Promise<StoreKind | null>
  readonly demo: { readonly accountId: string; readonly email: string }
}

export type GoLiveResult =
  | { readonly kind: 'live'; readonly accounts: number; readonly credits: bigint; readonly keys: number }
  /** It is live already, or no gateway has served it. */
  | { readonly kind: 'not_a_test_store' }
  /** A gateway left something that its next start settles. */
  | ({ readonly kind: 'work_is_open' } & OpenWork)
  | { readonly kind: 'is_served' }

/**
 * Ends the test mode of a store. Nothing is changed unless everything is at rest; where it is interrupted, the store is
 * still a test store, and doing it again goes on.
 */
export async function goLive(deps: GoLiveDeps, by: Operator): Promise<GoLiveResult> {
  if ((await deps.readKind()) !== 'test') return { kind: 'not_a_test_store' }
  if (await deps.isServed()) return { kind: 'is_served' }
  const open = await deps.store.countOpenWork()
  if (open.holds + open.jobs > 0) return { kind: 'work_is_open', ...open }
  return keepJournal(deps, by, { action: 'store.go_live' }, { work: () => endTestMode(deps), outcomeOf: () => 'done' })
}

async function endTestMode({ accounts, ledger, store, clock, demo }: GoLiveDeps): Promise<GoLiveResult> {
  // Keys end with all others below.
  await closeAccount({ store: accounts, revokeKeys: () => Promise.resolve(), clock }, demo.accountId)
  const accountIds = new Set<string>()
  let credits = 0n
  for (let page = await store.listBalances(); page.length > 0; page = await store.listBalances()) {
    for (const { accountId, posted } of page) {
      const now = clock.now()
      const reason = 'Test credits end with the sandbox'
      // What is more than one operation moves is taken by the next.
      const taken = posted < OPERATION_AMOUNT_MAX ? posted : OPERATION_AMOUNT_MAX
      const amount = nanocreditsOf(-taken)
      const operation = { kind: 'credit', source: 'adjustment', transferId: createId(now), accountId, amount } as const
      const result = await ledger.submit({ ...operation, reason, now })
      if (result.kind !== 'credited') throw new InvariantError(`test credits were not taken: ${result.kind}`)
      accountIds.add(accountId)
      credits += taken
    }
  }
  const keys = await store.endTestMode(demo.email, clock.now())
  return { kind: 'live', accounts: accountIds.size, credits, keys }
}
