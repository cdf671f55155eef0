/** The invariants of deposits: what the chain paid in is what the books say. Source: decision 0028. */
import { CREDITS_PER_USD, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import { sql, type RawBuilder } from 'kysely'
import type { DepositTable } from '../../platform/db/deposit-schema.ts'
import { valueOfDeposit } from '@svc/contract/deposit-value'
import { parseUsd, usdOfNanocredits } from '../../pricing/usd.ts'
import { count, list, total, BREACHES_MAX, type AuditContext, type Finding, type Invariant } from './audit-query.ts'
import { sealOutflow } from './outflow-seal.ts'

/** Digits of the lower half of a raw amount, where sums are made by halves. */
const HALF_DIGITS = 9
const carry = sql.lit(10 ** HALF_DIGITS)

/** Promises about deposits. */
export const depositInvariants: readonly Invariant[] = [
  {
    name: 'deposits',
    promise: 'each credited deposit has one transfer of its worth to its account, and each such transfer a deposit',
    check: checkDeposits,
  },
  {
    name: 'deposit values',
    promise: 'each credited deposit is worth its amount times its price, and no dollar is worth more than one',
    check: checkValues,
  },
  {
    name: 'deposit inflow',
    promise: 'for no address more was credited than it had received in final blocks',
    check: checkInflow,
  },
  {
    name: 'deposit addresses',
    promise:
      'each credited deposit came to an address of its account, or from a wallet of it, and each inflow to one of ours',
    check: checkAddresses,
  },
  {
    name: 'deposit matches',
    promise: 'no payment is both a deposit and a part of another, and no deposit has parts of more than itself',
    check: checkMatches,
  },
  {
    name: 'outflows',
    promise: 'each payment away from an address is as the sweeper recorded it',
    check: checkOutflows,
  },
]

/** What left an address raises what may be credited for it. */
async function checkOutflows({ db }: AuditContext): Promise<Finding> {
  const rows = await db.selectFrom('outflow').selectAll().orderBy('outflow_id').execute()
  const changed = rows.filter((row) => row.seal !== sealOutflow(row))
  const breaches = changed.map((row) => `outflow ${row.outflow_id} is not as it was recorded`)
  return { figures: { outflows: rows.length }, breaches }
}

/** Where an address of ours is forgotten, nothing bounds any more what is credited for it. */
async function checkAddresses(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'address ' || i.address || ' was credited and is none of ours' as breach
          from address_inflow i
          left join deposit_address a on a.chain_id = i.chain_id and a.address = i.address
         where i.raw_credited <> '0' and a.address_id is null`,
  )
  // A treasury is no address of an account: there the wallet says whose a payment is, and stays said when unlinked.
  const strangers = await list(
    context,
    sql`select 'deposit ' || d.deposit_id || ' came to no address and from no wallet of its account' as breach
          from deposit d left join deposit_address a on a.chain_id = d.chain_id and a.address = d.address
         where d.state = 'credited' and coalesce(a.account_id, '') <> d.account_id
           and (a.address_id is not null or not exists (
                 select 1 from linked_wallet w
                  where w.chain_id = d.chain_id and w.address = d.sender and w.account_id = d.account_id))`,
  )
  return { figures: { addresses: await count(context, 'deposit_address') }, breaches: [...breaches, ...strangers] }
}

async function checkDeposits(context: AuditContext): Promise<Finding> {
  const deposits = await list(
    context,
    sql`select 'deposit ' || d.deposit_id || ' is credited without its transfer' as breach
          from deposit d left join transfer t on t.transfer_id = d.deposit_id
         where d.state = 'credited'
           and (t.transfer_id is null or t.kind <> 'deposit' or t.funding <> d.credits
                or t.account_id <> d.account_id)`,
  )
  const transfers = await list(
    context,
    sql`select 'transfer ' || t.transfer_id || ' has no credited deposit' as breach
          from transfer t left join deposit d on d.deposit_id = t.transfer_id
         where t.kind = 'deposit' and (d.deposit_id is null or d.state <> 'credited')`,
  )
  const figures = {
    deposits: await count(context, 'deposit'),
    credited: await count(context, `deposit where state = 'credited'`),
    'under review': await count(context, `deposit where state = 'under_review'`),
    'credits from deposits': await total(context, 'credits', `deposit where state = 'credited'`),
  }
  return { figures, breaches: [...deposits, ...transfers] }
}

/** Decimals of each asset, as the room `chain` pins them; a test compares the two. */
export const DECIMALS: Readonly<Record<DepositTable['asset'], number>> = { USDG: 6, ETH: 18 }

/** Deposits that are read at once. */
const PAGE = 10_000

async function checkValues({ db }: AuditContext): Promise<Finding> {
  const breaches: string[] = []
  let [credited, after] = [0, '']
  for (;;) {
    const rows = await db
      .selectFrom('deposit as d')
      .select(['d.deposit_id', 'd.asset', 'd.raw_amount', 'd.price', 'd.credits'])
      .select(
        sql<number>`(select count(*) from deposit_decision x where x.deposit_id = d.deposit_id and x.price = d.price)`.as(
          'named',
        ),
      )
      .where('d.state', '=', 'credited')
      .where('d.deposit_id', '>', after)
      .orderBy('d.deposit_id')
      .limit(PAGE)
      .execute()
    for (const row of rows) {
      if (!isWorth(row)) breaches.push(`deposit ${row.deposit_id} is not worth its amount times its price`)
    }
    credited += rows.length
    after = rows.at(-1)?.deposit_id ?? after
    if (rows.length < PAGE) return { figures: { credited }, breaches: breaches.slice(0, BREACHES_MAX) }
  }
}

interface PricedDeposit extends Pick<DepositTable, 'asset' | 'raw_amount' | 'price' | 'credits'> {
  /** How many decisions of operators name this price. */
  readonly named: number
}

/** An operator who lets a deposit pass may name any price. */
function isWorth({ asset, raw_amount: amount, price, credits, named }: PricedDeposit): boolean {
  const decimals = DECIMALS[asset] ?? null
  if (price === null || decimals === null || !/^\d+$/.test(amount)) return false
  if (asset === 'USDG' && named === 0 && (parseUsd(price) ?? 0n) > PAR) return false
  return valueOfDeposit(BigInt(amount), decimals, price) === credits
}

/** A dollar. */
const PAR = usdOfNanocredits(BigInt(CREDITS_PER_USD) * NANOCREDITS_PER_CREDIT)

/**
 * Compares what was credited for each address with the inflow that was seen. Those to a treasury are not counted, whose
 * owner moves coins as they like.
 */
async function checkInflow(context: AuditContext): Promise<Finding> {
  const { engine } = context
  const amount = partsOf(engine, sql`d.raw_amount`)
  const inflow = partsOf(engine, sql`i.raw_inflow`)
  const credited = partsOf(engine, sql`i.raw_credited`)
  const breaches = await list(
    context,
    sql`select 'address ' || s.address || ' was credited more ' || s.asset || ' than it received' as breach
          from (select d.chain_id, d.address, d.asset, cast(sum(${amount.high}) as bigint) as high,
                       cast(sum(${amount.low}) as bigint) as low
                  from deposit d
                  join deposit_address a on a.chain_id = d.chain_id and a.address = d.address
                 where d.state = 'credited'
                 group by d.chain_id, d.address, d.asset) s
          left join address_inflow i on i.chain_id = s.chain_id and i.address = s.address and i.asset = s.asset
         where i.raw_inflow is null
            or s.high + s.low / ${carry} > ${inflow.high}
            or (s.high + s.low / ${carry} = ${inflow.high} and s.low % ${carry} > ${inflow.low})
            or s.high + s.low / ${carry} <> ${credited.high} or s.low % ${carry} <> ${credited.low}`,
  )
  const unpaid = await list(
    context,
    sql`select 'address ' || i.address || ' has no deposit for the ' || i.asset || ' that was credited for it' as breach
          from address_inflow i
         where i.raw_credited <> '0' and not exists (
               select 1 from deposit d
                where d.chain_id = i.chain_id and d.address = i.address and d.asset = i.asset
                  and d.state = 'credited')`,
  )
  const figures = {
    addresses: await count(context, 'deposit_address'),
    'with an inflow': await count(context, 'address_inflow'),
  }
  return { figures, breaches: [...breaches, ...unpaid] }
}

/** A payment that a balance showed first is part of the deposit that the balance made, once. */
async function checkMatches(context: AuditContext): Promise<Finding> {
  const doubles = await list(
    context,
    sql`select 'transaction ' || m.tx_hash || ' ' || m.ordinal || ' is part of a deposit and one itself' as breach
          from deposit_match m
          join deposit d on d.chain_id = m.chain_id and d.tx_hash = m.tx_hash and d.ordinal = m.ordinal
         where d.state <> 'reversed'`,
  )
  const part = partsOf(context.engine, sql`m.raw_amount`)
  const whole = partsOf(context.engine, sql`d.raw_amount`)
  const excesses = await list(
    context,
    sql`select 'deposit ' || s.deposit_id || ' has parts of more than itself' as breach
          from (select m.deposit_id, cast(sum(${part.high}) as bigint) as high, cast(sum(${part.low}) as bigint) as low
                  from deposit_match m group by m.deposit_id) s
          join deposit d on d.deposit_id = s.deposit_id
         where s.high + s.low / ${carry} > ${whole.high}
            or (s.high + s.low / ${carry} = ${whole.high} and s.low % ${carry} > ${whole.low})`,
  )
  return { figures: { matched: await count(context, 'deposit_match') }, breaches: [...doubles, ...excesses] }
}

interface Parts {
  readonly high: RawBuilder<unknown>
  readonly low: RawBuilder<unknown>
}

/** The upper and lower digits of a raw amount as whole numbers. The sum of wei would not fit 64 bits. */
function partsOf(engine: AuditContext['engine'], text: RawBuilder<unknown>): Parts {
  const digits = sql.lit(HALF_DIGITS)
  if (engine === 'postgres') {
    const padded = sql`lpad(${text}, greatest(length(${text}), ${sql.lit(HALF_DIGITS + 1)}), '0')`
    return {
      high: sql`cast(left(${padded}, -${digits}) as bigint)`,
      low: sql`cast(right(${padded}, ${digits}) as bigint)`,
    }
  }
  const padded = sql`substr('0000000000' || ${text}, -max(length(${text}), ${sql.lit(HALF_DIGITS + 1)}))`
  return {
    high: sql`cast(substr(${padded}, 1, length(${padded}) - ${digits}) as integer)`,
    low: sql`cast(substr(${padded}, -${digits}) as integer)`,
  }
}
