/**
 * Room `admin`: what an operator does from a terminal, beside a running gateway or without one. It turns words into
 * calls and answers into text, and decides nothing about money.
 */
import type { AccountRequest, CreatedAccount } from '../accounts/create-account.ts'
import type { AccountDetails, AccountPage, AccountSummary } from '../accounts/list-accounts.ts'
import type { AccountStatus, SetStatusResult } from '../accounts/set-account-status.ts'
import type { CreatedKey, KeyRequest } from '../keys/create-key.ts'
import type { KeyFilter, KeySummary } from '../keys/list-keys.ts'
import type { RevokeKeyResult } from '../keys/revoke-key.ts'
import type { AuditReport } from '../ledger/audit.ts'
import type { CreditResult, RecordCredit } from '../ledger/operations.ts'

/** Everything that the commands can do, on a database that is open. */
export interface AdminContext {
  now(): number
  createAccount(request: AccountRequest): Promise<CreatedAccount | null>
  listAccounts(page: AccountPage): Promise<readonly AccountSummary[]>
  findAccount(accountId: string): Promise<AccountDetails | null>
  setAccountStatus(accountId: string, status: AccountStatus): Promise<SetStatusResult>
  /** Ids that a key may be limited to, as far as they are known without asking an upstream. */
  listKnownModels(): Promise<readonly string[]>
  /** @throws {ConfigError} when production has no pepper. */
  createKey(request: KeyRequest): Promise<CreatedKey>
  listKeys(filter: KeyFilter): Promise<readonly KeySummary[]>
  revokeKey(keyId: string): Promise<RevokeKeyResult>
  credit(operation: RecordCredit): Promise<CreditResult>
  /** Checks every invariant of the books. */
  audit(): Promise<AuditReport>
  close(): Promise<void>
}
