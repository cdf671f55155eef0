/** The operator's side of a gateway's database: accounts, credits and keys, and whether the books are in order. */
import { type Nanocredits, nanocreditsOf } from '@svc/contract'
import { createAccountStore } from '../src/access/accounts/account-store.ts'
import { createAccount, type CreatedAccount } from '../src/access/accounts/create-account.ts'
import { createAccountLimitStore } from '../src/access/keys/account-limit-store.ts'
import { createKey, type CreatedKey, type CreateKeyDeps, type KeyRequest } from '../src/access/keys/create-key.ts'
import { createKeyStore } from '../src/access/keys/key-store.ts'
import { logInvariant } from '../src/money/ledger-log/audit-log.ts'
import { runAudit, type AuditReport } from '../src/money/ledger/audit.ts'
import { JOBS_OWNER } from '../src/money/ledger/hold-owner.ts'
import type { Ledger } from '../src/money/ledger/ledger.ts'
import type { Database } from '../src/platform/db/database.ts'
import type { SystemClock } from '../src/platform/runtime/clock.ts'
import { createId } from '../src/platform/runtime/ids.ts'

/** What the books are kept with: that of a gateway in this process, or an opening of their own. */
export interface BooksDeps {
  readonly database: Database
  readonly ledger: Ledger
  readonly clock: SystemClock
}

export interface Balance {
  readonly posted: bigint
  readonly held: bigint
}

export interface GatewayBooks {
  /** Makes an account with a team, and grants it credits. */
  createAccount(name: string, credits: Nanocredits): Promise<CreatedAccount>
  grant(accountId: string, credits: Nanocredits): Promise<void>
  createKey(owner: CreatedAccount, request?: Partial<KeyRequest>): Promise<CreatedKey>
  revokeKey(keyId: string): Promise<void>
  /** Sets what a key may spend, in nanocredits, as an operator's tool would. */
  setKeyBudget(keyId: string, limit: bigint): Promise<void>
  balance(accountId: string): Promise<Balance>
  /** Holds that are open. Those of video jobs are for as long as an upstream has the job. */
  openHolds(): Promise<{ readonly requests: number; readonly jobs: number }>
  /** The invariants that are broken; empty when the books are in order. */
  breaches(): Promise<AuditReport['rows']>
}

/** Makes an account with a team, and grants it credits. */
export async function createFundedAccount(
  deps: BooksDeps,
  name: string,
  credits: Nanocredits,
): Promise<CreatedAccount> {
  const created = await createAccount({ store: createAccountStore(deps.database), clock: deps.clock }, { name })
  if (created === null) throw new Error(`the account ${name} exists already`)
  if (credits > 0n) await grantCredits(deps, created.accountId, credits)
  return created
}

/** Grants an account credits. */
export async function grantCredits(
  { ledger, clock }: BooksDeps,
  accountId: string,
  amount: Nanocredits,
): Promise<void> {
  const now = clock.now()
  const transferId = createId(now)
  await ledger.submit({ kind: 'credit', source: 'grant', transferId, accountId, amount, reason: 'test', now })
}

/** Opens the books. @param keys the secrets and limits that the gateways of this database have. */
export function openBooks(deps: BooksDeps, keys: Pick<CreateKeyDeps, 'peppers' | 'gatewayLimits'>): GatewayBooks {
  const { database, clock } = deps
  const store = createKeyStore(database)
  const keyDeps = { ...keys, accountLimitStore: createAccountLimitStore(database), store, clock }
  return {
    createAccount: (name, credits) => createFundedAccount(deps, name, credits),
    grant: (accountId, credits) => grantCredits(deps, accountId, credits),
    createKey: ({ accountId, teamId }, request = {}) =>
      createKey(keyDeps, { accountId, teamId, name: 'test', ...request }),
    async revokeKey(keyId) {
      await store.revoke(keyId, clock.now())
    },
    async setKeyBudget(keyId, limit) {
      const record = await store.find(keyId)
      if (record === null) throw new Error(`there is no key ${keyId}`)
      const { budgetId } = record
      const update = database.read.updateTable('budget').set({ limit_nanocredits: nanocreditsOf(limit) })
      await database.write([update.where('budget_id', '=', budgetId).compile()])
    },
    balance: (accountId) =>
      database.read
        .selectFrom('balance')
        .select(['posted', 'held'])
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow(),
    async openHolds() {
      const rows = await database.read.selectFrom('hold').select('process_id').where('state', '=', 'held').execute()
      const jobs = rows.filter((row) => row.process_id === JOBS_OWNER).length
      return { requests: rows.length - jobs, jobs }
    },
    breaches: async () => {
      const log = logInvariant({ signers: [], checkpoints: [] })
      return (await runAudit(database, undefined, [log])).rows.filter((row) => row.breaches > 0)
    },
  }
}
