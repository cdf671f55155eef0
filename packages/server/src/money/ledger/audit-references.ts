/** The invariants between rows: rows about money refer to rows that exist, and agree with them. */
import { sql } from 'kysely'
import { ARCHIVED_UNTIL } from './audit-archive.ts'
import { count, list, type AuditContext, type Finding, type Invariant } from './audit-query.ts'

/** Promises that hold between tables. */
export const referenceInvariants: readonly Invariant[] = [
  {
    name: 'references',
    promise: 'each row that tells of money belongs to an account, a key, a budget and a hold that there are',
    check: checkReferences,
  },
  {
    name: 'one owner',
    promise: 'each key, hold, job and total belongs to the account of the team, key or hold that it hangs on',
    check: checkOneOwner,
  },
  {
    name: 'as placed',
    promise: 'each usage record and each settlement tells whose hold it ended, for what and when',
    check: checkAsPlaced,
  },
  {
    name: 'stored answers',
    promise: 'each request whose answer is stored under an Idempotency-Key has a usage record',
    check: checkStoredAnswers,
  },
]

/** Each row of `rows` that has no row in `home`, in words. Table and column names of this program, never input. */
interface Reference {
  readonly rows: string
  readonly id: string
  readonly column: string
  readonly home: string
  readonly homeId: string
}

const to = (home: string, homeId: string, rows: readonly (readonly [rows: string, id: string, column: string])[]) =>
  rows.map(([from, id, column]): Reference => ({ rows: from, id, column, home, homeId }))

/** The database keeps most of them by itself, unless that was switched off or a copy lost rows. */
const REFERENCES: readonly Reference[] = [
  ...to('account', 'account_id', [
    ['balance', 'account_id', 'account_id'],
    ['team', 'team_id', 'account_id'],
    ['api_key', 'key_id', 'account_id'],
    ['usage_daily', 'key_id', 'account_id'],
    ['deposit', 'deposit_id', 'account_id'],
    ['deposit_address', 'address_id', 'account_id'],
    ['linked_wallet', 'wallet_id', 'account_id'],
    ['account_limit', 'account_id', 'account_id'],
  ]),
  ...to('balance', 'account_id', [
    ['account', 'account_id', 'account_id'],
    ['transfer', 'transfer_id', 'account_id'],
    ['hold', 'hold_id', 'account_id'],
  ]),
  ...to('api_key', 'key_id', [
    ['hold', 'hold_id', 'key_id'],
    ['usage_record', 'usage_id', 'key_id'],
    ['video_job', 'job_id', 'key_id'],
  ]),
  ...to('team', 'team_id', [['api_key', 'key_id', 'team_id']]),
  ...to('budget', 'budget_id', [
    ['api_key', 'key_id', 'budget_id'],
    ['team', 'team_id', 'budget_id'],
    ['hold', 'hold_id', 'team_budget_id'],
    ['hold', 'hold_id', 'key_budget_id'],
    ['budget_window', 'budget_id', 'budget_id'],
  ]),
  ...to('hold', 'hold_id', [
    ['usage_record', 'usage_id', 'usage_id'],
    ['transfer', 'transfer_id', 'hold_id'],
    ['hold_extension', 'hold_id', 'hold_id'],
    ['video_job', 'job_id', 'hold_id'],
  ]),
]

async function checkReferences(context: AuditContext): Promise<Finding> {
  const breaches: string[] = []
  for (const { rows, id, column, home, homeId } of REFERENCES) {
    // A transfer stays when its request is archived.
    const outlives = rows === 'transfer' && home === 'hold'
    const missing = await list(
      context,
      sql`select ${sql.lit(`${rows} `)} || r.${sql.ref(id)} || ${sql.lit(` has no ${home} `)} || r.${sql.ref(column)} as breach
            from ${sql.table(rows)} r left join ${sql.table(home)} h on h.${sql.ref(homeId)} = r.${sql.ref(column)}
           where r.${sql.ref(column)} is not null and h.${sql.ref(homeId)} is null
             ${outlives ? sql`and r.${sql.ref(column)} > ${ARCHIVED_UNTIL}` : sql``}`,
    )
    breaches.push(...missing)
  }
  const figures = { accounts: await count(context, 'account'), keys: await count(context, 'api_key') }
  return { figures, breaches }
}

/** Columns of `rows` that say what the row which `column` refers to says of itself. */
interface Agreement extends Reference {
  readonly same: readonly (readonly [column: string, homeColumn: string])[]
}

const ACCOUNT = ['account_id', 'account_id'] as const

const AGREEMENTS: readonly Agreement[] = [
  { rows: 'api_key', id: 'key_id', column: 'team_id', home: 'team', homeId: 'team_id', same: [ACCOUNT] },
  {
    ...{ rows: 'api_key', id: 'key_id', column: 'mirrored_by', home: 'api_key', homeId: 'key_id' },
    same: [ACCOUNT, ['team_id', 'team_id'], ['budget_id', 'budget_id']],
  },
  {
    ...{ rows: 'hold', id: 'hold_id', column: 'key_id', home: 'api_key', homeId: 'key_id' },
    same: [ACCOUNT, ['key_budget_id', 'budget_id']],
  },
  { rows: 'usage_daily', id: 'key_id', column: 'key_id', home: 'api_key', homeId: 'key_id', same: [ACCOUNT] },
  {
    ...{ rows: 'video_job', id: 'job_id', column: 'hold_id', home: 'hold', homeId: 'hold_id' },
    same: [ACCOUNT, ['key_id', 'key_id']],
  },
]

/** A row that is moved to another account lets that account pay, or see what it never asked for. */
async function checkOneOwner(context: AuditContext): Promise<Finding> {
  const breaches: string[] = []
  for (const { rows, id, column, home, homeId, same } of AGREEMENTS) {
    const differences = same.map(([own, other]) => sql`r.${sql.ref(own)} <> h.${sql.ref(other)}`)
    const strangers = await list(
      context,
      sql`select ${sql.lit(`${rows} `)} || r.${sql.ref(id)} || ${sql.lit(` has another owner than its ${home} `)}
                 || r.${sql.ref(column)} as breach
            from ${sql.table(rows)} r join ${sql.table(home)} h on h.${sql.ref(homeId)} = r.${sql.ref(column)}
           where ${sql.join(differences, sql` or `)}`,
    )
    breaches.push(...strangers)
  }
  return { figures: { teams: await count(context, 'team'), keys: await count(context, 'api_key') }, breaches }
}

async function checkAsPlaced(context: AuditContext): Promise<Finding> {
  const records = await list(
    context,
    sql`select 'usage record ' || u.usage_id || ' tells of another request than its hold' as breach
          from usage_record u join hold h on h.hold_id = u.usage_id left join api_key k on k.key_id = u.key_id
         where u.account_id <> h.account_id or u.key_id <> h.key_id or u.type <> h.type or u.model <> h.model
            or u.stream <> h.stream or u.started_at <> h.placed_at or coalesce(u.team_id, '') <> coalesce(k.team_id, '')`,
  )
  const transfers = await list(
    context,
    sql`select 'transfer ' || t.transfer_id || ' tells of another end than its hold' as breach
          from transfer t join hold h on h.hold_id = t.hold_id
         where t.account_id <> h.account_id or t.created_at <> h.ended_at`,
  )
  const ends = await list(
    context,
    sql`select 'hold ' || h.hold_id || ' was ' || h.state || ' and charged' as breach
          from hold h join usage_record u on u.usage_id = h.hold_id
         where (h.state = 'released' or h.state = 'expired') and u.charge > 0`,
  )
  const figures = { settlements: await count(context, 'transfer where hold_id is not null') }
  return { figures, breaches: [...records, ...transfers, ...ends] }
}

/** The answer is kept after the settlement, in time and in the database: without a record, the record was lost. */
async function checkStoredAnswers(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'request ' || r.request_id || ' was answered and has no usage record' as breach
          from idempotent_request r join api_key k on k.key_id = r.caller_id
          left join usage_record u on u.usage_id = r.request_id
          left join hold h on h.hold_id = r.request_id and h.state = 'held'
         where r.state <> 'running' and u.usage_id is null and h.hold_id is null and r.request_id > ${ARCHIVED_UNTIL}`,
  )
  return { figures: { answers: await count(context, `idempotent_request where state <> 'running'`) }, breaches }
}
