import type { Exception } from './finding.ts'

const TABLES = 'only its own room names a table'
const SERVER = 'packages/server/src'

/** Every place that may break a rule. */
export const exceptions: readonly Exception[] = [
  {
    rule: TABLES,
    path: `${SERVER}/platform/db/migrate.ts`,
    reason: 'A migration spares the gateways that run, which their leases name.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/access/accounts/account-store.ts`,
    reason: 'An account is made in one transaction with its empty balance and the budget of its team.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/balance-store.ts`,
    reason: 'Reads for GET /v1/balance; the ledger writes what they show and has no reads of its own.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/statement-store.ts`,
    reason: 'Reads for the statement of a month: transfers, and what each of them was for.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/usage-store.ts`,
    reason: 'Reads for GET /v1/usage; the ledger writes records and roll-ups within its money operations.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/usage-sums-store.ts`,
    reason: 'Sums of those reads, of records and of days.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/movement-store.ts`,
    reason: 'Reads how the money of one request moved: its hold and its transfer.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/usage-steps.ts`,
    reason: 'Finds the steps in which those reads go through a long history.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/read-overview.ts`,
    reason: 'Adds up records for operators; the span of ids that it reads is that of usage-steps.ts.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/read-billed-requests.ts`,
    reason: 'Reads records beside their attempts, in the steps of usage-steps.ts.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/billing/usage-scope.ts`,
    reason: 'The keys of a team are asked for within those reads.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/sqlite-record-store.ts`,
    reason: 'What a batch has booked is named for the ledger log in the transaction that books it.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger-log/entry-rows-store.ts`,
    reason: 'A leaf is made of the rows that the ledger has booked.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger-log/audit-log-store.ts`,
    reason: 'The audit looks for rows that no leaf was made of.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/access/keys/key-records.ts`,
    reason: 'A member who looks at a key reads the names of those who made and saw it.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/access/keys/acting-member.ts`,
    reason: 'What a member does by their role is written while that role cannot change.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/access/keys/key-store.ts`,
    reason: 'A request learns its key, team and account in one read.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/audit-deposits.ts`,
    reason: 'What deposits say was credited is compared with the transfers.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/audit-invoices.ts`,
    reason: 'What invoices say was charged is compared with the transfers.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/audit-jobs.ts`,
    reason: 'What jobs say that they were charged is compared with the ledger.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/audit-operators.ts`,
    reason: 'What the journal says that operators gave is compared with the transfers.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/audit-references.ts`,
    reason: 'Usage records are compared with the keys, teams, jobs and kept answers that they belong to.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/audit-invariants.ts`,
    reason: 'What a budget says was spent is compared with the usage records.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/sqlite-deposit-store.ts`,
    reason: 'A deposit is compared with what came to its address and credited in one step.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/sqlite-ledger-store.ts`,
    reason:
      'A hold is decided in one step over the account, its team, and the key with its budget; a deposit is marked.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/money/ledger/sqlite-name-store.ts`,
    reason: 'A late charge takes the Idempotency-Key of its request in the transaction that books it.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/operations/actions/account-directory-store.ts`,
    reason: 'An operator finds an account by whatever is known of it: its name, a member, a key.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/operations/actions/account-export-store.ts`,
    reason: 'Everything that belongs to an account goes into one document.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/operations/actions/erasure-store.ts`,
    reason: 'What names people of an account goes in one transaction.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/operations/actions/go-live-store.ts`,
    reason: 'What a sandbox has given in a store ends in one transaction.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/access/teams/invitation-store.ts`,
    reason: 'Who is asked reads the name of the team and of the inviter.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/access/teams/lost-keys.ts`,
    reason: 'What a person loses with a role ends in the transaction that takes it.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/access/teams/team-settings-store.ts`,
    reason: 'A team gives itself a budget, and a balance is compared with what its team has set.',
  },
  {
    rule: TABLES,
    path: `${SERVER}/access/teams/team-store.ts`,
    reason: 'A team is made in one transaction with its account, its empty balance and its owner.',
  },
]
