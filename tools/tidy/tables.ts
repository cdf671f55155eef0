import { Visitor } from 'oxc-parser'
import type { Finding } from './finding.ts'
import type { SourceFile } from './source-file.ts'

/** Which room's statements may name a table. A table that is missing here is a finding. */
const OWNERS: Readonly<Record<string, string>> = {
  account: 'access/accounts',
  account_limit: 'access/keys',
  address_inflow: 'deposits',
  announcement: 'access/operators',
  api_key: 'access/keys',
  archive_file: 'money/ledger',
  archived_budget: 'money/ledger',
  archived_usage: 'money/ledger',
  audit_run: 'money/ledger',
  balance: 'money/ledger',
  batch: 'batches',
  batch_line: 'batches',
  billing_details: 'money/invoices',
  budget: 'access/keys',
  budget_window: 'access/keys',
  chain_cursor: 'deposits',
  chain_fact: 'deposits',
  chain_retry: 'deposits',
  deposit: 'deposits',
  deposit_address: 'deposits',
  first_run_token: 'access/operators',
  device_request: 'access/devices',
  gateway_setting: 'access/operators',
  deposit_decision: 'deposits',
  deposit_match: 'deposits',
  hold: 'money/ledger',
  hold_extension: 'money/ledger',
  invoice: 'money/invoices',
  invoice_series: 'money/invoices',
  key_reader: 'access/keys',
  ledger_log: 'money/ledger-log',
  ledger_log_account: 'money/ledger-log',
  ledger_log_batch: 'money/ledger-log',
  ledger_log_key: 'money/ledger-log',
  ledger_log_pending: 'money/ledger-log',
  ledger_log_tile: 'money/ledger-log',
  linked_wallet: 'deposits',
  operator: 'access/operators',
  operator_action: 'access/operators',
  outflow: 'deposits',
  mail_gate: 'platform/mail',
  mail_outbox: 'platform/mail',
  mail_suppression: 'platform/mail',
  idempotent_request: 'admission/idempotency',
  passkey: 'access/sign-in',
  passkey_challenge: 'access/sign-in',
  price_sample: 'deposits',
  proven_session: 'access/sign-in',
  recovery_code: 'access/sign-in',
  second_factor: 'access/sign-in',
  request_timing: 'money/billing',
  process_lease: 'money/ledger',
  rare_call: 'admission/limits',
  rate_bucket: 'admission/limits',
  reconciliation: 'money/reconciliation',
  replaced_record: 'money/ledger',
  request_attempt: 'money/billing',
  response_storage: 'access/teams',
  retired_address: 'deposits',
  sign_in_attempt: 'access/sign-in',
  sign_in_user: 'access/sign-in',
  stored_file: 'uploads',
  store_kind: 'access/operators',
  stored_response: 'admission/idempotency',
  stream_slot: 'admission/limits',
  task_lease: 'deposits',
  team: 'access/accounts',
  team_alert: 'access/teams',
  team_invitation: 'access/teams',
  team_member: 'access/teams',
  transfer: 'money/ledger',
  usage_daily: 'money/ledger',
  usage_record: 'money/ledger',
  video_job: 'modalities/videos',
  wallet_challenge: 'deposits',
}

const QUERY_METHODS = new Set([
  'selectFrom',
  'insertInto',
  'replaceInto',
  'updateTable',
  'deleteFrom',
  'mergeInto',
  'innerJoin',
  'leftJoin',
  'rightJoin',
  'fullJoin',
  'using',
])

/** In text that is SQL at all: what follows a word that a table name follows. */
const SQL = /\b(?:select|insert\s+into|update|delete\s+from|create\s+table)\b/i
const NAMED = /\b(?:from|into|update|join)\s+"?([a-z_]+)"?/gi

/** Tables of the schema without an owner here, and statements about a table that are outside its room. */
export function findTableBreaches(sources: readonly SourceFile[]): Finding[] {
  const schema = sources.find((source) => source.path === 'packages/server/src/platform/db/schema.ts')
  const unknown = [...(schema?.text.matchAll(/^ {2}([a-z_]+): [A-Z]\w+Table$/gm) ?? [])]
    .map((match) => match[1] as string)
    .filter((table) => !(table in OWNERS))
    .map((table) => ({
      path: 'packages/server/src/platform/db/schema.ts',
      message: `table ${table} has no owner in tools/tidy/tables.ts`,
    }))
  const breaches = sources
    .filter((source) => source.room !== null && !source.isTest)
    .flatMap((source) =>
      tablesNamedIn(source)
        .filter((table) => table in OWNERS && OWNERS[table] !== source.room)
        .map((table) => ({ path: source.path, message: `names table ${table}, which belongs to ${OWNERS[table]}` })),
    )
  return [...unknown, ...breaches]
}

function tablesNamedIn(source: SourceFile): string[] {
  const tables = new Set<string>()
  const readSql = (text: string): void => {
    if (SQL.test(text)) for (const [, table = ''] of text.matchAll(NAMED)) tables.add(table.toLowerCase())
  }
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && readSql(value)),
    TemplateLiteral: ({ quasis }) => readSql(quasis.map((part) => part.value.raw).join(' ? ')),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      if (!QUERY_METHODS.has(callee.property.name)) return
      const names = first?.type === 'ArrayExpression' ? first.elements : [first]
      for (const name of names) {
        if (name?.type === 'Literal' && typeof name.value === 'string') tables.add(name.value.split(' ')[0] as string)
      }
    },
  }).visit(source.program)
  return [...tables]
}
