/**
 * Room `operations`: what an operator does and sees, for pages and commands alike. Every action has its entry in the
 * journal; nothing here shows a prompt or a secret. Source: decision 0046.
 */
import type { AccountStore } from '../../access/accounts/close-account.ts'
import type { DecisionStore, DepositStore } from '../../deposits/decide-deposit.ts'
import type { LimitDeps, AccountLimitStore } from '../../access/keys/account-limits.ts'
import type { KeyStore } from '../../access/keys/list-keys.ts'
import type { Ledger } from '../../money/ledger/ledger.ts'
import type { AnnouncementStore } from '../../access/operators/announcement.ts'
import type { OperatorStore } from '../../access/operators/first-run.ts'
import type { JournalDeps, Operator } from '../../access/operators/journal.ts'
import type { AccountDirectory } from './account-directory-store.ts'

/** What an operator's actions write, but for money and operators: only while their actor is an operator. */
export interface OperatorWrites {
  readonly accounts: AccountStore
  readonly keys: Pick<KeyStore, 'revokeAllOf'>
  readonly limits: Pick<AccountLimitStore, 'set'>
  readonly decisions: Pick<DecisionStore, 'decide'>
  readonly settings: Pick<OperatorStore, 'writeSettings'>
  readonly announcements: Pick<AnnouncementStore, 'insert' | 'withdraw'>
}

/** Gives an action the stores that it writes to. */
export interface Writing<Name extends keyof OperatorWrites> {
  readonly writesOf: (by: Operator) => Pick<OperatorWrites, Name>
}

/** What the actions about accounts, credits and deposits need. */
export interface OperationsDeps extends JournalDeps, Writing<keyof OperatorWrites> {
  readonly accounts: Pick<AccountStore, 'find'>
  readonly directory: AccountDirectory
  readonly keys: Pick<KeyStore, 'list' | 'listSpent'>
  readonly limits: LimitDeps
  readonly ledger: Pick<Ledger, 'submit'>
  readonly deposits: Pick<DepositStore, 'find' | 'list'>
  readonly decisions: Pick<DecisionStore, 'list'>
}
