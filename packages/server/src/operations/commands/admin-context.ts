/**
 * Room `admin`: what an operator does from a terminal, beside a running gateway or without one. It turns words into
 * calls and answers into text, and decides nothing about money.
 */
import type { AccountRequest, CreatedAccount } from '../../access/accounts/create-account.ts'
import type { AccountDetails, AccountPage, AccountSummary } from '../../access/accounts/list-accounts.ts'
import type { AccountStatus, SetStatusResult } from '../../access/accounts/set-account-status.ts'
import type { CloseAccountResult } from '../../access/accounts/close-account.ts'
import type { Decision, DecideDepositResult, DepositVerdictRequest } from '../../deposits/decide-deposit.ts'
import type { Deposit, DepositState } from '../../deposits/deposit.ts'
import type { CreatedKey, KeyRequest } from '../../access/keys/create-key.ts'
import type { AccountLimits } from '../../access/keys/request-limits.ts'
import type { KeyFilter, KeySummary } from '../../access/keys/list-keys.ts'
import type { RevokeKeyResult } from '../../access/keys/revoke-key.ts'
import type { ArchiveRequest, ArchiveResult } from '../../money/archive/archive-requests.ts'
import type { Overview } from '../../money/billing/read-overview.ts'
import type { Recovery } from '../../money/ledger-log/recover-log.ts'
import type { ArchivedRequest } from '../../money/ledger/archived-request.ts'
import type { InvoiceForm } from '../../money/reconciliation/read-invoice.ts'
import type { EndedReconciliation } from '../../money/reconciliation/reconciliation-runs.ts'
import type { AuditReport } from '../../money/ledger/audit.ts'
import type { ArchiveFileTable } from '../../platform/db/archive-schema.ts'
import type { MailPage, MailRecord } from '../../platform/mail/manage-outbox.ts'
import type { Erasure, EraseResult } from '../actions/erase-account.ts'
import type { FoundRequest } from '../actions/find-request.ts'
import type { GoLiveResult } from '../actions/go-live.ts'
import type { CreditRequest, RecordedCredit } from '../actions/record-credit.ts'
import type { Refund, RefundRequest } from '../actions/refund-request.ts'
import type { ChangeLimitsResult, LimitsAction } from '../actions/change-account-limits.ts'
import type { ResetFactorAction, ResetFactorResult } from '../actions/reset-factor.ts'
import type { AccountAction } from '../actions/set-account-state.ts'

export interface DepositFilter {
  /** Continue after this one. */
  readonly after?: string
  readonly limit: number
  readonly state?: DepositState
  readonly account?: string
}

/** What was done to the schema of a store. */
export interface Migrated {
  /** A folder, or the address of a database without its password. */
  readonly store: string
  /** Names of what was applied, or would be, in their order. */
  readonly migrations: readonly string[]
}

export interface ReconcileWish {
  readonly upstream: string
  /** UTC, such as `2026-03-31`. */
  readonly day: string
  /** A CSV file; null asks the upstream. */
  readonly file: string | null
  readonly form: InvoiceForm
  /** The folder of the archive; null reads the database alone. */
  readonly archive: string | null
}

/** Everything that the commands can do, on a database that is open. */
export interface AdminContext {
  now(): number
  /** What the commands work on, for people: a folder, or the address of a database without its password. */
  readonly store: string
  createAccount(request: AccountRequest): Promise<CreatedAccount | null>
  listAccounts(page: AccountPage): Promise<readonly AccountSummary[]>
  findAccount(accountId: string): Promise<AccountDetails | null>
  /** Everything that belongs to an account as one JSON document, in pieces; null where there is none. */
  exportAccount(
    input: Pick<AccountAction, 'accountId'> & { readonly reason: string },
  ): Promise<AsyncGenerator<string, void, undefined> | null>
  setAccountStatus(input: AccountAction & { readonly status: AccountStatus }): Promise<SetStatusResult>
  closeAccount(input: AccountAction): Promise<CloseAccountResult>
  /** Removes what names people from an account. */
  eraseAccount(input: Erasure): Promise<EraseResult>
  /** Removes the second factor of a person. */
  resetFactor(input: ResetFactorAction): Promise<ResetFactorResult>
  /** What holds for the keys of an account. */
  readAccountLimits(accountId: string): Promise<AccountLimits>
  changeAccountLimits(input: LimitsAction): Promise<ChangeLimitsResult>
  /** Ids that a key may be limited to, as far as they are known without asking an upstream. */
  listKnownModels(): Promise<readonly string[]>
  /** @throws {ConfigError} when production has no pepper. */
  createKey(request: KeyRequest): Promise<CreatedKey>
  listKeys(filter: KeyFilter): Promise<readonly KeySummary[]>
  /**
   * Gives a key a limit of its own; null for its team's. Returns false when there is no such key.
   *
   * @throws {ServiceError} `invalid_value` above what the team's keys may have, `key_not_found` when it has ended.
   */
  limitKey(keyId: string, requestsPerMinute: number | null): Promise<boolean>
  /** Revokes a key, and what was mirrored through it. */
  revokeKey(keyId: string): Promise<RevokeKeyResult>
  /**
   * Makes a successor; the old key works beside it for the overlap.
   *
   * @throws {ServiceError} `key_not_found` when there is no such key, or it has ended.
   */
  rotateKey(keyId: string, overlapMs: number): Promise<CreatedKey>
  /** Newest first. */
  listDeposits(filter: DepositFilter): Promise<readonly Deposit[]>
  findDeposit(depositId: string): Promise<{ deposit: Deposit; decisions: readonly Decision[] } | null>
  /** Whether deposits come from chains on the gateway's own machine. */
  readonly hasLocalChains: boolean
  decideDeposit(request: DepositVerdictRequest): Promise<DecideDepositResult>
  listMail(page: MailPage): Promise<readonly MailRecord[]>
  /** Returns false when no such email waits. */
  hurryMail(mailId: string): Promise<boolean>
  /** Returns false when the address was suppressed before. @throws {ConfigError} when production has no secret. */
  suppressRecipient(address: string): Promise<boolean>
  /** @throws {ServiceError} `invalid_value` for words or a name that cannot be. */
  credit(request: CreditRequest): Promise<RecordedCredit>
  /** What is added where a request is not found: that it may be archived. */
  archivedHint(requestId: string): Promise<string>
  /** @throws {ServiceError} @throws {ArchiveFileError} as `archiveRequests`. */
  archiveRequests(request: ArchiveRequest): Promise<ArchiveResult>
  /** The files of the archive, oldest requests first. */
  listArchive(): Promise<readonly ArchiveFileTable[]>
  /** One archived request; null where no file has it. @throws {ArchiveFileError} */
  findArchived(folder: string, requestId: string): Promise<ArchivedRequest | null>
  /** Any request by its id, with all that is known of it; null when there is none. */
  findRequest(requestId: string): Promise<FoundRequest | null>
  /** What was earned and lost, of requests that began in a span of time. */
  readOverview(span: { readonly from: number; readonly to: number }): Promise<Overview>
  /**
   * Reconciles a day with what an upstream has billed, and keeps what it found.
   *
   * @throws {ReconciliationError} as `reconcile`.
   */
  reconcile(wish: ReconcileWish): Promise<EndedReconciliation>
  /** @throws {ServiceError} as `refundRequest`. */
  refund(request: RefundRequest): Promise<Refund>
  /** Ends the test money of a store, so that real upstreams may serve it. */
  goLive(): Promise<GoLiveResult>
  /**
   * Checks every invariant of the books.
   *
   * @param checkpoints files with checkpoints of the ledger log.
   * @param archive the folder of the archive; null audits without it.
   */
  audit(checkpoints: readonly string[], archive: string | null): Promise<AuditReport>
  /**
   * Makes a key of the ledger log in place of a lost one.
   *
   * @throws {ServiceError} `invalid_value` for a reason that a checkpoint cannot state. @throws {ConfigError} for a file.
   */
  replaceLogKey(request: LogRecoveryRequest): Promise<Recovery>
  /** Lets a new ledger log go on with the leaves that are left. @throws as `replaceLogKey`. */
  beginNewLog(request: LogRecoveryRequest & { readonly checkpoints: readonly string[] }): Promise<Recovery>
  close(): Promise<void>
}

/** Why the log or its key is replaced, and where the new key goes. */
export interface LogRecoveryRequest {
  readonly reason: string
  /** A file; null for that of the gateway. */
  readonly keyFile: string | null
}
