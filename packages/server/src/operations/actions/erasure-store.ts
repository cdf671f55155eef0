/** What names people in an account, and its removal. Source: decision 0161 (erasure leaves the books whole). */
import { type CompiledQuery, type RawBuilder, sql, type SqlBool } from 'kysely'
import { type ActingMember, stillMay } from '../../access/keys/acting-member.ts'
import type { Database } from '../../platform/db/database.ts'

/** What an account has begun that is not at its end. */
export interface OpenMatters {
  /** With a hold; videos that are being made count here. */
  readonly requests: number
  readonly batches: number
  /** Payments that were seen and are neither credited nor rejected. */
  readonly deposits: number
}

export interface ErasureStore {
  countOpen(accountId: string): Promise<OpenMatters>
  /** When it was erased, in milliseconds; null for an account that was not. */
  findErased(accountId: string): Promise<number | null>
  /** Whether a person owns every team of an account. */
  ownsAll(accountId: string, userId: string): Promise<boolean>
  /**
   * Removes all that names people from a closed account that has no credits and nothing under way, in one transaction.
   * Doing it again removes what has come since.
   *
   * @param by the member who does it, whose role must still allow it; undefined for an operator.
   * @returns false where the account is not at rest, or the role was lost: then nothing was written.
   */
  erase(accountId: string, now: number, by: ActingMember | undefined): Promise<boolean>
}

/** What stands in place of a name. */
export const ERASED_NAME = 'Erased'

class NotAtRest extends Error {}

/** Makes the store. */
export function createErasureStore(database: Database): ErasureStore {
  const { read } = database
  return {
    async countOpen(accountId) {
      const { rows } = await sql<OpenMatters>`
        select cast((select count(*) from hold where account_id = ${accountId} and state = 'held') as int) as requests,
               cast((select count(*) from batch where account_id = ${accountId} and ended_at is null) as int) as batches,
               cast((select count(*) from deposit where account_id = ${accountId} and ${isPending}) as int)
                 as deposits`.execute(read)
      return rows[0] ?? { requests: 0, batches: 0, deposits: 0 }
    },
    async findErased(accountId) {
      const query = read.selectFrom('account').select('erased_at').where('account_id', '=', accountId)
      return (await query.executeTakeFirst())?.erased_at ?? null
    },
    async ownsAll(accountId, userId) {
      const other = read
        .selectFrom('team')
        .select('team_id')
        .where('account_id', '=', accountId)
        .where(
          sql<SqlBool>`not exists (
            select 1 from team_member m where m.team_id = team.team_id and m.user_id = ${userId} and m.role = 'owner')`,
        )
      return (await other.executeTakeFirst()) === undefined
    },
    async erase(accountId, now, by) {
      const condition = { statement: markErased(database, { accountId, now, by }), unmet: () => new NotAtRest() }
      try {
        const account = { accountId, now }
        await database.write([...peopleRemovals(read, accountId), ...rowErasures(read, account)], condition)
        return true
      } catch (error) {
        if (error instanceof NotAtRest) return false
        throw error
      }
    },
  }
}

type Read = Database['read']

const isPending = sql<SqlBool>`state in ('seen', 'confirming', 'under_review')`

/** Marks the account, where nothing of it is under way. Until the end of the transaction its row is locked. */
function markErased(
  { read }: Database,
  { accountId, now, by }: { readonly accountId: string; readonly now: number; readonly by: ActingMember | undefined },
): CompiledQuery {
  return sql`
    update account set name = ${ERASED_NAME}, erased_at = coalesce(erased_at, cast(${now} as bigint))
     where account_id = ${accountId} and closed_at is not null
       and exists (select 1 from balance where account_id = ${accountId} and posted = 0)
       and not exists (select 1 from hold where account_id = ${accountId} and state = 'held')
       and not exists (select 1 from batch where account_id = ${accountId} and ended_at is null)
       and not exists (select 1 from deposit where account_id = ${accountId} and ${isPending})
       and ${stillMay(by)}`.compile(read)
}

/** People who are in no team of another account and do not run the gateway. */
function leavers(accountId: string): RawBuilder<string> {
  return sql<string>`
    select m.user_id from team_member m join team t on t.team_id = m.team_id
     where t.account_id = ${accountId}
       and not exists (
         select 1 from team_member o join team ot on ot.team_id = o.team_id
          where o.user_id = m.user_id and ot.account_id <> ${accountId})
       and not exists (select 1 from operator p where p.user_id = m.user_id)`
}

/**
 * Those people are removed with their sessions and ways to sign in; of the others their place in the teams. In this
 * order: each statement finds the people by their places.
 */
function peopleRemovals(read: Read, accountId: string): readonly CompiledQuery[] {
  const emails = sql`select u.email from sign_in_user u where u.id in (${leavers(accountId)})`
  return [
    sql`delete from team_invitation where email in (${emails})`,
    sql`delete from mail_outbox where recipient in (${emails})`,
    sql`delete from sign_in_verification where exists (
      select 1 from sign_in_user u where u.id in (${leavers(accountId)})
         and (value like '%' || u.email || '%' or value like '%' || u.id || '%'))`,
    sql`delete from key_reader where user_id in (${leavers(accountId)})`,
    sql`delete from idempotent_request where caller_id in (${leavers(accountId)})`,
    // Sessions, passwords, wallets, passkeys, second factors and places in teams go with the person.
    sql`delete from sign_in_user where id in (${leavers(accountId)})`,
    sql`delete from team_member where team_id in (${teamsOf(accountId)})`,
  ].map((statement) => statement.compile(read))
}

const teamsOf = (accountId: string) => sql`select team_id from team where account_id = ${accountId}`
const keysOf = (accountId: string) => sql`select key_id from api_key where account_id = ${accountId}`

function rowErasures(read: Read, { accountId, now }: { readonly accountId: string; readonly now: number }) {
  const isOf = sql<SqlBool>`account_id = ${accountId}`
  return [
    sql`delete from team_invitation where team_id in (${teamsOf(accountId)})`,
    sql`delete from team_alert where team_id in (${teamsOf(accountId)})`,
    // Stored responses go with their switch.
    sql`delete from response_storage where team_id in (${teamsOf(accountId)})`,
    sql`delete from mail_outbox where ${isOf}`,
    sql`delete from wallet_challenge where ${isOf}`,
    // Invoices that were issued stay: they are documents of the books.
    sql`delete from billing_details where ${isOf}`,
    sql`delete from key_reader where key_id in (${keysOf(accountId)})`,
    sql`delete from idempotent_request where caller_id in (${keysOf(accountId)})`,
    // Lines go with their batch.
    sql`delete from batch where ${isOf}`,
    // A file that is over is out of reach; a gateway removes its bytes and then its row.
    sql`update stored_file set filename = ${ERASED_NAME}, expires_at = created_at + 1 where ${isOf}`,
    // A deleted video with files is due: a gateway removes them.
    sql`update video_job set deleted_at = cast(${now} as bigint), next_step_at = cast(${now} as bigint)
         where ${isOf} and settled_at is not null and deleted_at is null`,
    // A wallet stays where the audit needs it to say whose a credited payment was.
    sql`delete from linked_wallet where ${isOf} and not exists (
      select 1 from deposit d
       where d.account_id = linked_wallet.account_id and d.chain_id = linked_wallet.chain_id
         and d.sender = linked_wallet.address)`,
    sql`update linked_wallet set unlinked_at = case when linked_at > ${now} then linked_at else cast(${now} as bigint) end
         where ${isOf} and unlinked_at is null`,
    sql`update api_key set name = ${ERASED_NAME}, display = ${ERASED_NAME}, session_id = null,
          created_by = case when kind = 'service' then null else ${ERASED_NAME} end
         where ${isOf}`,
    sql`update team set name = ${ERASED_NAME}, personal_user_id = null where ${isOf}`,
  ].map((statement) => statement.compile(read))
}
