import type { CompiledQuery } from 'kysely'
import type { Hex } from '../chain/assets.ts'
import type { Database } from '../platform/db/database.ts'
import type { Deposit } from './deposit.ts'
import type { AddressBooks, RecordingPlan } from './plan-recording.ts'
import { FORGOTTEN, insertUnder, recordStatement, type RevisionGuard, type SeenDeposit } from './record-statement.ts'

/** An asset at an address of ours. */
export type OwnPlace = Pick<Deposit, 'chainId' | 'address' | 'asset'>

export interface RecordingStore {
  /** Which revision the books of an address have; null before anything was recorded. To be read before the books. */
  findRevision(place: OwnPlace): Promise<string | null>
  /** What is recorded for the address, as far as it can concern these payments. */
  readBooks(place: OwnPlace, payments: readonly SeenDeposit[]): Promise<AddressBooks>
  /**
   * Does what was planned by the books of a revision, all of it or nothing.
   *
   * @param next the revision that the books have afterwards.
   * @returns false when the books have changed since: then nothing was done.
   */
  apply(place: OwnPlace, exchange: RevisionExchange, plan: RecordingPlan, now: number): Promise<boolean>
}

/** The revision on which a plan was made, null where there were no books yet; and the one that takes its place. */
export interface RevisionExchange {
  readonly revision: string | null
  readonly next: string
}

/** What a deposit by balance gets when its transactions were found. */
const REPLACED = 'The transactions behind it were found.'

/** Makes the store by which payments are recorded at addresses of ours. */
export function createRecordingStore(database: Database): RecordingStore {
  const { read } = database
  return {
    async findRevision({ chainId, address, asset }) {
      const row = await read
        .selectFrom('address_inflow')
        .select('revision')
        .where('chain_id', '=', chainId)
        .where('address', '=', address)
        .where('asset', '=', asset)
        .executeTakeFirst()
      return row?.revision ?? null
    },
    async readBooks({ chainId, address, asset }, payments) {
      const hashes = [...new Set(payments.map(({ txHash }) => txHash))]
      const found = await read
        .selectFrom('deposit')
        .select(['deposit_id', 'state', 'released_at', 'raw_amount', 'block_number', 'block_hash'])
        .where('chain_id', '=', chainId)
        .where('address', '=', address)
        .where('asset', '=', asset)
        .where('ordinal', '=', `balance:${address}`)
        .where('state', '<>', 'reversed')
        .orderBy('block_number')
        .execute()
      const recorded = await read
        .selectFrom('deposit')
        .select(['tx_hash', 'ordinal', 'raw_amount', 'state', 'block_hash'])
        .where('chain_id', '=', chainId)
        .where('tx_hash', 'in', hashes)
        .execute()
      const matches = await read
        .selectFrom('deposit_match')
        .innerJoin('deposit', 'deposit.deposit_id', 'deposit_match.deposit_id')
        .select(['deposit_match.tx_hash', 'deposit_match.ordinal', 'deposit_match.deposit_id'])
        .select('deposit_match.raw_amount')
        .where('deposit.chain_id', '=', chainId)
        .where('deposit.address', '=', address)
        .where('deposit.asset', '=', asset)
        .execute()
      return {
        balances: found.map((row) => ({
          depositId: row.deposit_id,
          amount: BigInt(row.raw_amount),
          blockNumber: row.block_number,
          blockHash: row.block_hash as Hex,
          isDecided: row.state === 'credited' || row.state === 'rejected' || row.released_at !== null,
          matched: matches
            .filter(({ deposit_id }) => deposit_id === row.deposit_id)
            .reduce((sum, { raw_amount }) => sum + BigInt(raw_amount), 0n),
        })),
        recorded: recorded.map((row) => ({
          ...{ txHash: row.tx_hash as Hex, ordinal: row.ordinal, state: row.state },
          ...{ amount: BigInt(row.raw_amount), blockHash: row.block_hash as Hex },
        })),
        matched: matches.map((row) => ({ txHash: row.tx_hash as Hex, ordinal: row.ordinal })),
      }
    },
    async apply(place, exchange, { record, match, shrink }, now) {
      const guard: RevisionGuard = { ...place, revision: exchange.next }
      const matchOf = ({ payment, deposit }: RecordingPlan['match'][number]): CompiledQuery =>
        insertUnder(
          read,
          'deposit_match',
          {
            ...{ chain_id: payment.chainId, tx_hash: payment.txHash, ordinal: payment.ordinal },
            ...{ deposit_id: deposit.depositId, raw_amount: payment.amount.toString() },
            ...{ block_number: payment.blockNumber, matched_at: now },
          },
          guard,
        ).compile()
      const [changed] = await database.write([
        exchangeRevision(database, place, exchange, now),
        ...shrink.map((change) => shrinkStatement(database, change, guard, now)),
        ...match.map(matchOf),
        ...record.map((deposit) => recordStatement(read, deposit, now, guard)),
      ])
      return changed === 1
    },
  }
}

/** Changes one row where the books have the revision, and none where they have another by now. */
function exchangeRevision(
  { read }: Database,
  { chainId, address, asset }: OwnPlace,
  { revision, next }: RevisionExchange,
  now: number,
): CompiledQuery {
  return read
    .insertInto('address_inflow')
    .values({ chain_id: chainId, address, asset, revision: next, checked_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['chain_id', 'address', 'asset'])
        .doUpdateSet({ revision: next })
        .where('address_inflow.revision', '=', revision ?? ''),
    )
    .compile()
}

function shrinkStatement(
  { read }: Database,
  { deposit, amount }: RecordingPlan['shrink'][number],
  guard: RevisionGuard,
  now: number,
): CompiledQuery {
  const change =
    amount === 0n
      ? ({ state: 'reversed', reason: null, note: REPLACED } as const)
      : ({ state: 'seen', reason: 'confirming', note: null, raw_amount: amount.toString() } as const)
  return read
    .updateTable('deposit')
    .set({ ...change, ...FORGOTTEN, doubted_at: null, updated_at: now })
    .where('deposit_id', '=', deposit.depositId)
    .where('credited_at', 'is', null)
    .where((where) =>
      where.exists(
        where
          .selectFrom('address_inflow')
          .select('revision')
          .where('chain_id', '=', guard.chainId)
          .where('address', '=', guard.address)
          .where('asset', '=', guard.asset)
          .where('revision', '=', guard.revision),
      ),
    )
    .compile()
}
