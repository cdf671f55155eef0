/**
 * The tables, as both engines have them. Column types are those that reads return.
 *
 * Times are integer milliseconds since the epoch, given by the gateway and never by the database. Money is nanocredits
 * in `bigint`. Ids are UUIDv7 text, so that order by id is order by time.
 */
import type { UsageStatus } from '@svc/contract'
import type { Generated } from 'kysely'
import type { ArchiveFileTable, ArchivedBudgetTable, ArchivedUsageTable } from './archive-schema.ts'
import type {
  AddressInflowTable,
  ChainCursorTable,
  ChainFactTable,
  ChainRetryTable,
  DepositAddressTable,
  DepositDecisionTable,
  DepositMatchTable,
  DepositTable,
  LinkedWalletTable,
  OutflowTable,
  PriceSampleTable,
  RetiredAddressTable,
  TaskLeaseTable,
  WalletChallengeTable,
} from './deposit-schema.ts'
import type { HoldExtensionTable, HoldTable, ProcessLeaseTable } from './hold-schema.ts'
import type { ApiKeyTable, KeyReaderTable, TeamKeyHolderView } from './key-schema.ts'
import type { BillingDetailsTable, InvoiceSeriesTable, InvoiceTable } from './invoice-schema.ts'
import type {
  LedgerLogAccountTable,
  LedgerLogBatchTable,
  LedgerLogKeyTable,
  LedgerLogPendingTable,
  LedgerLogTable,
  LedgerLogTileTable,
} from './log-schema.ts'
import type { MailGateTable, MailOutboxTable, MailSuppressionTable } from './mail-schema.ts'
import type { RequestTimingTable } from './timing-schema.ts'
import type {
  AnnouncementTable,
  AuditRunTable,
  DeviceRequestTable,
  FirstRunTokenTable,
  GatewaySettingTable,
  OperatorActionTable,
  OperatorTable,
  FactorTables,
  SignInAttemptTable,
  SignInUserTable,
  StoreKindTable,
  TeamAlertTable,
  TeamInvitationTable,
  TeamMemberTable,
} from './people-schema.ts'
import type { ReconciliationTable, RequestAttemptTable } from './reconciliation-schema.ts'
import type {
  BatchLineTable,
  BatchTable,
  IdempotentRequestTable,
  ResponseStorageTable,
  StoredFileTable,
  StoredResponseTable,
  VideoJobTable,
} from './work-schema.ts'

/** Holder of one balance; a team's credit pool. */
export interface AccountTable {
  account_id: string
  name: string
  status: 'active' | 'suspended'
  created_at: number
  /** Set once the account was closed for good; it is suspended then. */
  closed_at: Generated<number | null>
  /** Set once nothing that names a person is left of it; it is closed then. */
  erased_at: Generated<number | null>
}

/** One row per account. `posted - held >= 0` is a constraint. System accounts have no row. */
export interface BalanceTable {
  account_id: string
  posted: bigint
  held: bigint
}

export interface TeamTable {
  team_id: string
  account_id: string
  /** The team's spending cap; null when it has none. */
  budget_id: string | null
  name: string
  created_at: number
  /** Set on the team that was made with a person; one each. */
  personal_user_id: Generated<string | null>
  /** How long a key still works after a member who has seen its secret lost the right to handle it. */
  rotation_overlap_ms: Generated<number>
}

/**
 * A cap on spending, holds included. Belongs to a team or to a key; mirrored keys share one.
 * `limit_nanocredits` null means that spending is only counted. It is counted in `budget_window`.
 */
export interface BudgetTable {
  budget_id: string
  limit_nanocredits: bigint | null
  period: 'none' | 'daily' | 'weekly' | 'monthly'
}

/** What a budget has counted in the period that began at `window_start`; no row before its first hold. */
export interface BudgetWindowTable {
  budget_id: string
  window_start: number
  spent: bigint
  reserved: bigint
}

/** Limits of one account, where they are not those of the configuration; null for these. */
export interface AccountLimitTable {
  account_id: string
  /** Of each of its keys. */
  requests_per_minute: number | null
  /** Of all its keys together. */
  account_requests_per_minute: number | null
  /** Of each of its keys. */
  streams_at_once: number | null
  changed_at: number
}

/**
 * One immutable row per money event; its columns are the sides of the double entry.
 * `charge + write_off = cost + margin` for settlements; `funding` alone for credits.
 */
export interface TransferTable {
  transfer_id: string
  account_id: string
  kind: 'capture' | 'write_off' | 'grant' | 'adjustment' | 'deposit'
  hold_id: string | null
  funding: bigint
  charge: bigint
  write_off: bigint
  cost: bigint
  margin: bigint
  reason: string | null
  created_at: number
}

/** View: the signed sides of each transfer. The sides of one transfer sum to zero. */
export interface LedgerEntryView {
  transfer_id: string
  /** An account's id, or a system account such as `system:margin`. */
  account: string
  amount: bigint
  created_at: number
}

/** One row per ended request; the id is the hold's and the request's. */
export interface UsageRecordTable {
  usage_id: string
  account_id: string
  team_id: string | null
  key_id: string
  created_at: number
  /** When the hold was placed: the request's start. */
  started_at: number
  type: string
  model: string
  upstream: string | null
  upstream_model: string | null
  status: UsageStatus
  error_code: string | null
  stream: number
  prompt_tokens: number | null
  completion_tokens: number | null
  cached_tokens: number | null
  reasoning_tokens: number | null
  charge: bigint
  write_off: bigint
  cost: bigint
  basis: string | null
  estimated: number
  pricing: string | null
  generation_id: string | null
  latency_ms: number | null
}

/** Totals of usage per UTC day, written in the capture's transaction. */
export interface UsageDailyTable {
  key_id: string
  /** Days since the epoch, UTC, of the request's start: a record counts on the day that its `started_at` lies in. */
  day: number
  type: string
  model: string
  account_id: string
  requests: number
  charge: bigint
  prompt_tokens: number
  completion_tokens: number
}

export interface Schema extends FactorTables {
  sign_in_user: SignInUserTable
  sign_in_attempt: SignInAttemptTable
  device_request: DeviceRequestTable
  operator: OperatorTable
  operator_action: OperatorActionTable
  first_run_token: FirstRunTokenTable
  gateway_setting: GatewaySettingTable
  announcement: AnnouncementTable
  team_member: TeamMemberTable
  team_invitation: TeamInvitationTable
  team_alert: TeamAlertTable
  account: AccountTable
  balance: BalanceTable
  team: TeamTable
  budget: BudgetTable
  budget_window: BudgetWindowTable
  api_key: ApiKeyTable
  key_reader: KeyReaderTable
  team_key_holder: TeamKeyHolderView
  account_limit: AccountLimitTable
  hold: HoldTable
  hold_extension: HoldExtensionTable
  transfer: TransferTable
  ledger_entry: LedgerEntryView
  usage_record: UsageRecordTable
  usage_daily: UsageDailyTable
  request_timing: RequestTimingTable
  process_lease: ProcessLeaseTable
  /** What a record was before the true outcome took the place of an expired one. */
  replaced_record: UsageRecordTable
  archive_file: ArchiveFileTable
  archived_usage: ArchivedUsageTable
  archived_budget: ArchivedBudgetTable
  ledger_log_pending: LedgerLogPendingTable
  ledger_log: LedgerLogTable
  ledger_log_key: LedgerLogKeyTable
  ledger_log_batch: LedgerLogBatchTable
  ledger_log_tile: LedgerLogTileTable
  ledger_log_account: LedgerLogAccountTable
  deposit_address: DepositAddressTable
  linked_wallet: LinkedWalletTable
  wallet_challenge: WalletChallengeTable
  deposit: DepositTable
  deposit_decision: DepositDecisionTable
  deposit_match: DepositMatchTable
  outflow: OutflowTable
  address_inflow: AddressInflowTable
  retired_address: RetiredAddressTable
  store_kind: StoreKindTable
  chain_cursor: ChainCursorTable
  chain_fact: ChainFactTable
  chain_retry: ChainRetryTable
  price_sample: PriceSampleTable
  task_lease: TaskLeaseTable
  mail_outbox: MailOutboxTable
  mail_suppression: MailSuppressionTable
  mail_gate: MailGateTable
  video_job: VideoJobTable
  idempotent_request: IdempotentRequestTable
  response_storage: ResponseStorageTable
  stored_response: StoredResponseTable
  audit_run: AuditRunTable
  request_attempt: RequestAttemptTable
  reconciliation: ReconciliationTable
  invoice: InvoiceTable
  invoice_series: InvoiceSeriesTable
  billing_details: BillingDetailsTable
  stored_file: StoredFileTable
  batch: BatchTable
  batch_line: BatchLineTable
}
