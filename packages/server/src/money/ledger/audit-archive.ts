/** The invariants of what was archived, as far as the database itself has them. Source: decision 0163. */
import { sql } from 'kysely'
import { count, list, total, type AuditContext, type Finding, type Invariant } from './audit-query.ts'

/** Ids up to this one may be in files: nothing of them need be in the database. An SQL expression; '' for none. */
export const ARCHIVED_UNTIL = sql`coalesce((select max(last_id) from archive_file), '')`

/** Promises about the archive. */
export const archiveInvariants: readonly Invariant[] = [
  {
    name: 'archive',
    promise:
      'each charge without a record is in a file, and the files follow each other and add up to what is carried on',
    check: checkArchive,
  },
]

async function checkArchive(context: AuditContext): Promise<Finding> {
  const order = await list(
    context,
    sql`select 'file ' || f.file_id || ' of the archive does not follow the one before' as breach
          from archive_file f left join archive_file b on b.file_id = f.file_id - 1
         where (f.file_id > 1 and b.file_id is null) or b.last_id >= f.first_id`,
  )
  const sums = await list(
    context,
    sql`select 'file ' || f.file_id || ' of the archive has other requests than are carried on' as breach
          from archive_file f
          left join (select file_id, sum(requests) as requests from archived_usage group by file_id) u
            on u.file_id = f.file_id
         where coalesce(u.requests, 0) <> f.requests`,
  )
  const figures = {
    files: await count(context, 'archive_file'),
    requests: Number(await total(context, 'requests', 'archive_file')),
    charged: await total(context, 'charge', 'archived_usage'),
  }
  return { figures, breaches: [...order, ...sums, ...(await findUncarried(context))] }
}

/** Accounts whose settlements without a record are not what was carried on of them. */
function findUncarried(context: AuditContext): Promise<readonly string[]> {
  return list(
    context,
    sql`select 'account ' || coalesce(a.account_id, t.account_id) || ' has other charges without a record than were archived'
               as breach
          from (select account_id, sum(requests - free_requests) as settled, sum(charge) as charge,
                       sum(write_off) as write_off, sum(cost) as cost
                  from archived_usage group by account_id) a
          full join (select t.account_id, count(*) as settled, sum(t.charge) as charge, sum(t.write_off) as write_off,
                            sum(t.cost) as cost
                       from transfer t left join usage_record u on u.usage_id = t.hold_id
                      where t.hold_id is not null and u.usage_id is null and t.hold_id <= ${ARCHIVED_UNTIL}
                      group by t.account_id) t on t.account_id = a.account_id
         where coalesce(a.settled, 0) <> coalesce(t.settled, 0) or coalesce(a.charge, 0) <> coalesce(t.charge, 0)
            or coalesce(a.write_off, 0) <> coalesce(t.write_off, 0) or coalesce(a.cost, 0) <> coalesce(t.cost, 0)`,
  )
}
