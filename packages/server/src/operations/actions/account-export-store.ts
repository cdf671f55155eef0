import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { inPresentWindow } from '../../platform/db/present-window.ts'

/** Rows as stored, by their columns' names. */
export type ExportRow = Readonly<Record<string, unknown>>

/** One part of an account's data. */
export interface ExportSection {
  readonly name: string
  /** Rows in the order of the column `id`, after that one; `id` itself is for paging alone. */
  page(after: string | null, limit: number): Promise<readonly ExportRow[]>
}

/** What a page of a section asks for. */
interface PageQuery {
  readonly accountId: string
  /** Greater than every id that was read. Empty begins. */
  readonly after: string
  readonly limit: number
  readonly now: number
}

/**
 * Makes what reads everything that belongs to an account. Hashes, sealed answers, and recipients of letters are not
 * read at all.
 */
export function createAccountExport(database: Database): (accountId: string, now: number) => readonly ExportSection[] {
  const readers = [
    ...holderReaders(database),
    ...moneyReaders(database),
    ...storedReaders(database),
    ...depositReaders(database),
    ...invoiceReaders(database),
  ]
  return (accountId, now) =>
    readers.map(([name, read]) => ({
      name,
      page: (after, limit) => read({ accountId, after: after ?? '', limit, now }),
    }))
}

type Reader = readonly [name: string, read: (page: PageQuery) => Promise<readonly ExportRow[]>]

/**
 * Reads a section page by page.
 *
 * @param id what its rows are ordered and told apart by: a column, or an expression.
 * @param select all rows of an account.
 */
function section<Tables, Name extends keyof Tables, Row extends ExportRow>(
  name: string,
  id: string | RawBuilder<string>,
  select: (accountId: string, now: number) => SelectQueryBuilder<Tables, Name, Row>,
): Reader {
  const key = typeof id === 'string' ? sql.ref<string>(id) : id
  return [
    name,
    ({ accountId, after, limit, now }) =>
      select(accountId, now).select(key.as('id')).where(key, '>', after).orderBy(key).limit(limit).execute(),
  ]
}

/** People of an account who are in no other, and do not run the gateway. */
const ownPeople = (accountId: string) => sql<string>`(
  select m.user_id from team_member m join team t on t.team_id = m.team_id
   where t.account_id = ${accountId}
     and not exists (
       select 1 from team_member o join team ot on ot.team_id = o.team_id
        where o.user_id = m.user_id and ot.account_id <> ${accountId})
     and not exists (select 1 from operator p where p.user_id = m.user_id))`

/** A person may be in several teams of one account. */
const memberId = sql<string>`team_member.team_id || ':' || team_member.user_id`

function holderReaders({ read }: Database): readonly Reader[] {
  return [
    section('teams', 'team.team_id', (accountId, now) =>
      read
        .selectFrom('team')
        .leftJoin('budget', 'budget.budget_id', 'team.budget_id')
        .leftJoin('budget_window', inPresentWindow(now))
        .select(['team.team_id', 'team.name', 'team.created_at'])
        .select(['budget.limit_nanocredits', 'budget.period', 'budget_window.spent', 'budget_window.reserved'])
        .where('team.account_id', '=', accountId),
    ),
    section('members', memberId, (accountId) =>
      read
        .selectFrom('team')
        .innerJoin('team_member', 'team_member.team_id', 'team.team_id')
        .innerJoin('sign_in_user', 'sign_in_user.id', 'team_member.user_id')
        .select(['team.team_id', 'team_member.user_id', 'sign_in_user.name'])
        .select(['sign_in_user.email', 'team_member.role', 'team_member.created_at'])
        .where('team.account_id', '=', accountId),
    ),
    // Of people who are in no other account: erasing it removes them. What a device signs with is not read.
    section('passkeys', 'passkey_id', (accountId) =>
      read
        .selectFrom('passkey')
        .select(['passkey_id', 'user_id', 'name', 'rp_id', 'added_at', 'last_used_at'])
        .where('user_id', 'in', ownPeople(accountId)),
    ),
    section('limits', 'account_id', (accountId) =>
      read
        .selectFrom('account_limit')
        .select(['requests_per_minute', 'account_requests_per_minute', 'streams_at_once'])
        .select(['changed_at'])
        .where('account_id', '=', accountId),
    ),
    section('keys', 'api_key.key_id', (accountId, now) =>
      read
        .selectFrom('api_key')
        .innerJoin('budget', 'budget.budget_id', 'api_key.budget_id')
        .leftJoin('budget_window', inPresentWindow(now))
        .select(['api_key.key_id', 'api_key.team_id', 'api_key.name', 'api_key.display'])
        .select(['api_key.rights', 'api_key.models', 'api_key.created_at', 'api_key.created_by'])
        .select(['api_key.requests_per_minute'])
        .select(['api_key.expires_at', 'api_key.revoked_at', 'api_key.last_used_at'])
        .select(['budget.limit_nanocredits', 'budget.period', 'budget_window.spent', 'budget_window.reserved'])
        .where('api_key.account_id', '=', accountId),
    ),
  ]
}

/** An expression, so that the index of the open holds is read and not every hold in the order of its id. */
const heldId = sql<string>`hold_id || ''`

function moneyReaders({ read }: Database): readonly Reader[] {
  return [
    section('open_holds', heldId, (accountId) =>
      read
        .selectFrom('hold')
        .select(['hold_id', 'key_id', 'type', 'model', 'amount', 'placed_at'])
        .where('account_id', '=', accountId)
        .where('state', '=', 'held'),
    ),
    section('fundings', 'transfer_id', (accountId) =>
      read
        .selectFrom('transfer')
        .select(['transfer_id', 'kind', 'funding', 'reason', 'created_at'])
        .where('account_id', '=', accountId)
        .where('hold_id', 'is', null),
    ),
    section('requests', 'usage_id', (accountId) =>
      read
        .selectFrom('usage_record')
        .select(['usage_id as request_id', 'team_id', 'key_id', 'started_at', 'created_at'])
        .select(['type', 'model', 'upstream_model', 'status', 'error_code', 'stream', 'prompt_tokens'])
        .select(['completion_tokens', 'cached_tokens', 'reasoning_tokens', 'charge', 'basis', 'estimated'])
        .select(['pricing', 'latency_ms'])
        .where('account_id', '=', accountId),
    ),
    section('videos', 'job_id', (accountId) =>
      read
        .selectFrom('video_job')
        .select(['job_id', 'key_id', 'model', 'state', 'seconds', 'size', 'created_at', 'ended_at'])
        .select(['error_code', 'charge', 'deleted_at'])
        .where('account_id', '=', accountId),
    ),
  ]
}

/** What the gateway keeps of what was sent and answered. Contents are sealed: files are fetched through the API. */
function storedReaders({ read }: Database): readonly Reader[] {
  return [
    section('files', 'file_id', (accountId) =>
      read
        .selectFrom('stored_file')
        .select(['file_id', 'purpose', 'filename', 'bytes', 'created_at', 'expires_at'])
        .where('account_id', '=', accountId),
    ),
    section('batches', 'batch_id', (accountId) =>
      read
        .selectFrom('batch')
        .select(['batch_id', 'key_id', 'endpoint', 'input_file_id', 'output_file_id'])
        .select(['error_file_id', 'metadata', 'state', 'lines_total', 'lines_completed', 'lines_failed'])
        .select(['created_at', 'ended_at'])
        .where('account_id', '=', accountId),
    ),
    section('stored_responses', 'stored_response.response_id', (accountId) =>
      read
        .selectFrom('stored_response')
        .innerJoin('team', 'team.team_id', 'stored_response.team_id')
        .select(['stored_response.response_id', 'stored_response.team_id'])
        .select(['stored_response.length', 'stored_response.created_at', 'stored_response.expires_at'])
        .where('team.account_id', '=', accountId),
    ),
    section('invitations', 'team_invitation.invitation_id', (accountId) =>
      read
        .selectFrom('team_invitation')
        .innerJoin('team', 'team.team_id', 'team_invitation.team_id')
        .select(['team_invitation.team_id', 'team_invitation.email'])
        .select(['team_invitation.role', 'team_invitation.created_at', 'team_invitation.expires_at'])
        .select(['team_invitation.accepted_at', 'team_invitation.revoked_at'])
        .where('team.account_id', '=', accountId),
    ),
  ]
}

function depositReaders({ read }: Database): readonly Reader[] {
  return [
    section('deposit_addresses', 'address_id', (accountId) =>
      read
        .selectFrom('deposit_address')
        .select(['chain_id', 'address', 'created_at'])
        .where('account_id', '=', accountId),
    ),
    section('wallets', 'wallet_id', (accountId) =>
      read
        .selectFrom('linked_wallet')
        .select(['wallet_id', 'chain_id', 'address', 'proof', 'linked_at', 'unlinked_at'])
        .where('account_id', '=', accountId),
    ),
    section('deposits', 'deposit_id', (accountId) =>
      read
        .selectFrom('deposit')
        .select(['deposit_id', 'chain_id', 'tx_hash', 'ordinal', 'asset', 'address', 'sender'])
        .select(['raw_amount as raw', 'block_number', 'block_hash', 'block_time', 'state', 'credits', 'price'])
        .select(['price_time', 'seen_at', 'credited_at'])
        .where('account_id', '=', accountId),
    ),
    section('letters', 'mail_id', (accountId) =>
      read
        .selectFrom('mail_outbox')
        .select(['mail_id', 'kind', 'state', 'created_at', 'ended_at'])
        .where('account_id', '=', accountId),
    ),
  ]
}

/** Numbers as text of one length, so that they page in their order. */
const invoiceId = sql<string>`substr('000000000' || number, -10)`

function invoiceReaders({ read, engine }: Database): readonly Reader[] {
  const id = engine === 'postgres' ? sql<string>`lpad(number::text, 10, '0')` : invoiceId
  return [
    section('billing_details', 'account_id', (accountId) =>
      read
        .selectFrom('billing_details')
        .select(['name', 'address', 'tax_id', 'updated_at'])
        .where('account_id', '=', accountId),
    ),
    section('invoices', id, (accountId) =>
      read
        .selectFrom('invoice')
        .select(['number', 'month', 'issued_at', 'charge', 'correction_amount', 'document'])
        .where('account_id', '=', accountId),
    ),
  ]
}
