import { sql, type CompiledQuery, type InsertQueryBuilder, type InsertResult, type Kysely } from 'kysely'
import type { Schema } from '../platform/db/schema.ts'
import type { Deposit } from './deposit.ts'

/** What was seen of a deposit. Its account is who owned the address or the sender's wallet at that time. */
export type SeenDeposit = Pick<
  Deposit,
  | 'depositId'
  | 'accountId'
  | 'chainId'
  | 'txHash'
  | 'ordinal'
  | 'asset'
  | 'address'
  | 'sender'
  | 'amount'
  | 'blockNumber'
  | 'blockHash'
  | 'blockTime'
>

/** Under which revision of its address something is written; under another it is not. */
export interface RevisionGuard extends Pick<Deposit, 'chainId' | 'address' | 'asset'> {
  readonly revision: string
}

/** A value that was found for another block or amount is forgotten with it. */
export const FORGOTTEN = { credits: null, price: null, price_round: null, price_time: null, final_at: null } as const

/** An operator has let pass what they saw: another amount, or the same in another block, is for them to see again. */
const releaseOfTheSame = sql<number | null>`case
  when deposit.block_hash = excluded.block_hash and deposit.raw_amount = excluded.raw_amount then deposit.released_at
end`

/**
 * Writes down a deposit, or brings one that is still open, or was reversed, to the block and amount in which it is now.
 * A deposit that is credited, under review or rejected stays as it is.
 *
 * @param guard null writes it in any case.
 */
export function recordStatement(
  read: Kysely<Schema>,
  deposit: SeenDeposit,
  now: number,
  guard: RevisionGuard | null,
): CompiledQuery {
  const place = {
    account_id: deposit.accountId,
    asset: deposit.asset,
    address: deposit.address,
    sender: deposit.sender,
    raw_amount: deposit.amount.toString(),
    block_number: deposit.blockNumber,
    block_hash: deposit.blockHash,
    block_time: deposit.blockTime,
    state: 'seen',
    reason: 'confirming',
    updated_at: now,
  } as const
  const { depositId, chainId, txHash, ordinal } = deposit
  const identity = { deposit_id: depositId, chain_id: chainId, tx_hash: txHash, ordinal, seen_at: now } as const
  const insert =
    guard === null
      ? read.insertInto('deposit').values({ ...place, ...identity })
      : insertUnder(read, 'deposit', { ...place, ...identity }, guard)
  return insert
    .onConflict((conflict) =>
      conflict
        .columns(['chain_id', 'tx_hash', 'ordinal'])
        .doUpdateSet({ ...place, ...FORGOTTEN, released_at: releaseOfTheSame })
        .where('deposit.state', 'in', ['seen', 'confirming', 'reversed'])
        .where((where) =>
          where.or([
            where('deposit.state', '=', 'reversed'),
            where('deposit.block_hash', '<>', deposit.blockHash),
            where('deposit.raw_amount', '<>', deposit.amount.toString()),
          ]),
        ),
    )
    .compile()
}

/** An insertion that takes place under one revision of an address only. Columns that are null are left out. */
export function insertUnder(
  read: Kysely<Schema>,
  table: 'deposit' | 'deposit_match',
  values: Readonly<Record<string, string | number | null>>,
  guard: RevisionGuard,
): InsertQueryBuilder<Schema, 'deposit', InsertResult> {
  const given = Object.entries(values).filter(([, value]) => value !== null)
  const selected = given.map(([name, value]) =>
    sql`cast(${value} as ${sql.raw(typeof value === 'number' ? 'bigint' : 'text')})`.as(name),
  )
  const underRevision = read
    .selectFrom('address_inflow')
    .select(selected)
    .where('chain_id', '=', guard.chainId)
    .where('address', '=', guard.address)
    .where('asset', '=', guard.asset)
    .where('revision', '=', guard.revision)
  // The names are those of the values, which the types of a table cannot follow.
  return read
    .insertInto(table as 'deposit')
    .columns(given.map(([name]) => name) as never)
    .expression(underRevision as never)
}
