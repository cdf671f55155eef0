/** The invariants of money, each a query on the ledger's own rows. Source: decision 0004 (the ledger). */
import { sql, type RawBuilder } from 'kysely'
import { archiveInvariants } from './audit-archive.ts'
import { chargeInvariants } from './audit-charges.ts'
import { depositInvariants } from './audit-deposits.ts'
import { checkJobCharges, checkJobHolds } from './audit-jobs.ts'
import { invoiceInvariants } from './audit-invoices.ts'
import { operatorInvariants } from './audit-operators.ts'
import {
  count,
  joinHalves,
  list,
  sumOf,
  total,
  type AuditContext,
  type Finding,
  type Halves,
  type Invariant,
} from './audit-query.ts'
import { referenceInvariants } from './audit-references.ts'
import { JOBS_OWNER } from './hold-owner.ts'

/** An orphaned hold may wait this long for a sweep before the audit calls it forgotten. */
const ORPHAN_WAIT_MAX_MS = 3_600_000

/** Every invariant that applies now. */
export const invariants: readonly Invariant[] = [
  {
    name: 'balanced',
    promise: 'the entries of each transfer sum to zero, and so do all entries together',
    check: checkBalanced,
  },
  {
    name: 'posted',
    promise: 'the posted balance of each account is the sum of its entries',
    check: checkPosted,
  },
  { name: 'held', promise: 'what is held of each account is the sum of its open holds', check: checkHeld },
  {
    name: 'grown',
    promise: 'a hold that has grown is what its extensions made of it, each on the one before',
    check: checkGrown,
  },
  { name: 'covered', promise: 'no account has less than it holds', check: checkCovered },
  {
    name: 'settled once',
    promise: 'each ended hold has one usage record, and no open hold has one',
    check: checkSettledOnce,
  },
  ...chargeInvariants,
  ...archiveInvariants,
  {
    name: 'budgets',
    promise: 'what a budget counts in a period is the sum of the charges and open holds that were placed in it',
    check: checkBudgets,
  },
  {
    name: 'totals',
    promise: 'the daily totals are the sums of the usage records, the archived ones too',
    check: checkTotals,
  },
  {
    name: 'job holds',
    promise: 'each hold of jobs belongs to one job, and is open until that is settled',
    check: checkJobHolds,
  },
  {
    name: 'job charges',
    promise: 'each completed job is captured once for what it says, every other is free',
    check: checkJobCharges,
  },
  { name: 'no orphans', promise: 'no hold is left open by a process that is gone', check: checkOrphans },
  {
    name: 'credits never expire',
    promise: 'nothing but a charge or an adjustment with a reason lowers a balance',
    check: checkNeverExpire,
  },
  ...operatorInvariants,
  ...referenceInvariants,
  ...depositInvariants,
  ...invoiceInvariants,
]

async function checkBalanced(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'transfer ' || transfer_id || ' does not sum to zero' as breach
          from ledger_entry group by transfer_id having sum(amount) <> 0`,
  )
  const sum = await total(context, 'amount', 'ledger_entry')
  return {
    figures: { transfers: await count(context, 'transfer'), entries: await count(context, 'ledger_entry'), sum },
    breaches: sum === 0n ? breaches : [...breaches, 'all entries together do not sum to zero'],
  }
}

interface AccountSum extends Halves {
  readonly account_id: string
  readonly stored_amount: bigint
}

/** Compares an amount of each account with a sum over other rows. */
async function compareAccounts(context: AuditContext, stored: 'posted' | 'held', sums: RawBuilder<unknown>) {
  const { rows } = await sql<AccountSum>`
    select b.account_id, b.${sql.ref(stored)} as stored_amount,
           coalesce(s.high_amount, 0) as high_amount, coalesce(s.low_amount, 0) as low_amount
      from balance b left join (${sums}) s on s.account_id = b.account_id`.execute(context.db)
  return rows
    .map((row) => ({ id: row.account_id, stored: row.stored_amount, sum: joinHalves(context.engine, row) }))
    .filter(({ stored: amount, sum }) => amount !== sum)
    .map(({ id, stored: amount, sum }) => `account ${id} has ${stored} ${amount}, its rows sum to ${sum}`)
}

async function checkPosted(context: AuditContext): Promise<Finding> {
  const amount = sumOf(context.engine, sql`funding - charge`)
  const breaches = await compareAccounts(
    context,
    'posted',
    sql`select account_id, ${amount} from transfer group by account_id`,
  )
  const figures = {
    accounts: await count(context, 'balance'),
    posted: await total(context, 'posted', 'balance'),
    funded: await total(context, 'funding', 'transfer'),
    charged: await total(context, 'charge', 'transfer'),
  }
  return { figures, breaches }
}

async function checkHeld(context: AuditContext): Promise<Finding> {
  const amount = sumOf(context.engine, sql`amount`)
  const breaches = await compareAccounts(
    context,
    'held',
    sql`select account_id, ${amount} from hold where state = 'held' group by account_id`,
  )
  const figures = {
    'open holds': await count(context, `hold where state = 'held'`),
    held: await total(context, 'held', 'balance'),
  }
  return { figures, breaches }
}

/**
 * The first extension begins at what was held at first, each other where the one before ended; the last ends at what is
 * held.
 */
async function checkGrown(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'hold ' || e.hold_id || ' did not grow to ' || e.amount as breach
          from hold_extension e join hold h on h.hold_id = e.hold_id
          left join hold_extension n on n.hold_id = e.hold_id and n.amount - n.added_amount = e.amount
         where e.amount <> h.amount and n.hold_id is null`,
  )
  const firsts = await list(
    context,
    sql`select 'hold ' || h.hold_id || ' did not begin at ' || coalesce(h.first_amount, h.amount) as breach
          from hold h
          left join hold_extension e
            on e.hold_id = h.hold_id and e.amount - e.added_amount = h.first_amount
         where h.first_amount is not null and e.hold_id is null
        union all
        select 'hold ' || e.hold_id || ' grew before it began'
          from hold_extension e join hold h on h.hold_id = e.hold_id
         where h.first_amount is null or e.amount - e.added_amount < h.first_amount`,
  )
  const figures = { growths: await count(context, 'hold_extension') }
  return { figures, breaches: [...breaches, ...firsts] }
}

async function checkCovered(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'account ' || account_id || ' is overdrawn' as breach from balance
         where posted - held < 0 or held < 0 or posted < 0`,
  )
  return { figures: { available: await total(context, 'posted - held', 'balance') }, breaches }
}

async function checkSettledOnce(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'hold ' || h.hold_id || case when u.usage_id is null then ' ended without a record'
                                            else ' is open and has a record' end as breach
          from hold h left join usage_record u on u.usage_id = h.hold_id
         where (h.state = 'held') = (u.usage_id is not null)`,
  )
  const figures = {
    captured: await count(context, `hold where state = 'captured'`),
    released: await count(context, `hold where state = 'released'`),
    expired: await count(context, `hold where state = 'expired'`),
    records: await count(context, 'usage_record'),
  }
  return { figures, breaches }
}

async function checkBudgets(context: AuditContext): Promise<Finding> {
  const sides = sql`
    select key_budget_id as budget_id, key_window_start as window_start, hold_id, state, amount from hold
     where key_budget_id is not null
    union all
    select team_budget_id, team_window_start, hold_id, state, amount from hold where team_budget_id is not null`
  const breaches = await list(
    context,
    sql`select 'budget ' || coalesce(b.budget_id, s.budget_id) || ' counts other amounts than its holds have' as breach
          from budget_window b
          full join (select s.budget_id, s.window_start, sum(s.held) as held, sum(s.charged) as charged
                       from (select s.budget_id, s.window_start,
                                    case when s.state = 'held' then s.amount else 0 end as held,
                                    coalesce(u.charge, 0) as charged
                               from (${sides}) s left join usage_record u on u.usage_id = s.hold_id
                             union all
                             select budget_id, window_start, 0, charge from archived_budget) s
                      group by s.budget_id, s.window_start) s
            on s.budget_id = b.budget_id and s.window_start = b.window_start
         where coalesce(b.reserved, 0) <> coalesce(s.held, 0) or coalesce(b.spent, 0) <> coalesce(s.charged, 0)`,
  )
  const figures = {
    budgets: await count(context, 'budget'),
    capped: await count(context, 'budget where limit_nanocredits is not null'),
    'over their cap': await count(
      context,
      'budget b join budget_window w on w.budget_id = b.budget_id where w.spent + w.reserved > b.limit_nanocredits',
    ),
  }
  return { figures, breaches }
}

async function checkTotals(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'the totals of key ' || coalesce(d.key_id, r.key_id) || ' on day ' || coalesce(d.day, r.day) ||
               ' differ from its records' as breach
          from usage_daily d
          full join (select key_id, account_id, day, type, model, sum(requests) as requests, sum(charge) as charge,
                            sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens
                       from (select key_id, account_id, started_at / 86400000 as day, type, model, 1 as requests, charge,
                                    coalesce(prompt_tokens, 0) as prompt_tokens,
                                    coalesce(completion_tokens, 0) as completion_tokens
                               from usage_record
                             union all
                             select key_id, account_id, day, type, model, requests, charge, prompt_tokens,
                                    completion_tokens
                               from archived_usage) a
                      group by key_id, account_id, day, type, model) r
            on r.key_id = d.key_id and r.account_id = d.account_id and r.day = d.day and r.type = d.type and r.model = d.model
         where d.key_id is null or r.key_id is null or d.requests <> r.requests or d.charge <> r.charge
            or d.prompt_tokens <> r.prompt_tokens or d.completion_tokens <> r.completion_tokens`,
  )
  const figures = {
    days: await count(context, 'usage_daily'),
    charged: await total(context, 'charge', 'usage_daily'),
  }
  return { figures, breaches }
}

async function checkOrphans(context: AuditContext): Promise<Finding> {
  const before = context.now - ORPHAN_WAIT_MAX_MS
  const breaches = await list(
    context,
    sql`select 'hold ' || h.hold_id || ' is open, its process is gone' as breach
          from hold h left join process_lease p on p.process_id = h.process_id
         where h.state = 'held' and h.process_id <> ${sql.lit(JOBS_OWNER)} and h.placed_at < ${sql.lit(before)}
           and coalesce(p.lease_until, h.placed_at) < ${sql.lit(before)}`,
  )
  return { figures: { processes: await count(context, 'process_lease') }, breaches }
}

async function checkNeverExpire(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'transfer ' || transfer_id || ' lowers a balance without a reason' as breach
          from transfer where funding < 0 and (kind <> 'adjustment' or reason is null or reason = '')`,
  )
  return { figures: { adjustments: await count(context, `transfer where kind = 'adjustment'`) }, breaches }
}
