import { nanocreditsOf } from '@svc/contract'
import type { Selectable, Updateable } from 'kysely'
import type { Asset, ChainId, Hex } from '../chain/assets.ts'
import type { Database } from '../platform/db/database.ts'
import type { DepositTable } from '../platform/db/deposit-schema.ts'
import type { Deposit, DepositState, PendingReason } from './deposit.ts'
import { recordStatement, type SeenDeposit } from './record-statement.ts'

/** What a change of an open deposit may set; absent fields stay. */
export interface DepositChange {
  readonly state?: Exclude<DepositState, 'credited'>
  readonly reason?: PendingReason | null
  readonly note?: string | null
  readonly credits?: bigint | null
  readonly price?: string | null
  readonly priceRound?: string | null
  readonly priceTime?: number | null
  readonly releasedAt?: number
  readonly finalAt?: number
  readonly doubtedAt?: number | null
}

export type DepositAmount = Pick<Deposit, 'depositId' | 'state' | 'amount' | 'ordinal' | 'blockNumber'>

export interface DueQuestion {
  /** The last final block: deposits up to it are looked at soon, later ones and reversed ones now and then. */
  readonly finalized: number
  readonly now: number
  readonly limit: number
}

/** Pauses between two looks at a deposit, in milliseconds. Source: decision 0029. */
const FINAL_PAUSE_MS = 2_000
const EARLY_PAUSE_MS = 30_000
const IDLE_PAUSE_MS = 600_000
/** A reversed deposit is no longer followed after this time; a claim finds it all the same. */
const REVERSED_MAX_MS = 7 * 86_400_000

export interface DepositPage {
  /** Continue after this deposit. */
  readonly after?: string
  readonly limit: number
}

export interface DepositFilter extends DepositPage {
  readonly states?: readonly DepositState[]
  readonly accountId?: string
}

export interface DepositStore {
  /**
   * Records deposits that are not recorded yet, and brings those that are still open, or were reversed, to the block
   * and amount in which they are now. A deposit that is credited, under review or rejected stays as it is.
   */
  record(deposits: readonly SeenDeposit[], now: number): Promise<void>
  find(depositId: string): Promise<Deposit | null>
  /** In the order of their ordinals. */
  listByTransaction(chainId: ChainId, txHash: Hex): Promise<readonly Deposit[]>
  /**
   * Everything that a transaction paid, as the payers read it: its deposits, and its shares of deposits that
   * a balance made. A deposit that was taken back since it is such a share is left out.
   */
  listPaid(chainId: ChainId, txHash: Hex): Promise<readonly Deposit[]>
  /** Newest first. */
  listByAccount(accountId: string, page: DepositPage): Promise<readonly Deposit[]>
  /** Newest first, those in one of the states and of the account where these are given. */
  list(filter: DepositFilter): Promise<readonly Deposit[]>
  /** Deposits of a chain that are worth another look now, least recently looked at first. */
  listDue(chainId: ChainId, question: DueQuestion): Promise<readonly Deposit[]>
  /** Final deposits of an account on a chain that are too small alone, those of the greatest worth first. */
  listBelowMinimum(accountId: string, chainId: ChainId, limit: number): Promise<readonly Deposit[]>
  /** The price of ETH by which a deposit was credited last, where a feed gave it; null when there is none. */
  findBelievedPrice(chainId: ChainId): Promise<{ readonly usd: number; readonly time: number } | null>
  /** Raw amounts of all deposits to an address that were not taken back, by state. */
  listAmounts(chainId: ChainId, address: Hex, asset: Asset): Promise<readonly DepositAmount[]>
  /**
   * Changes a deposit that is in one of the states, in this block and of this amount: a worth that was found for
   * another amount must never be written to it.
   *
   * @returns false when it is not: another process was faster.
   */
  change(
    deposit: Pick<Deposit, 'depositId' | 'blockHash' | 'amount'>,
    from: readonly DepositState[],
    change: DepositChange,
    now: number,
  ): Promise<boolean>
}

/** Makes the store of deposits. Only the ledger sets a deposit to credited. */
export function createDepositStore(database: Database): DepositStore {
  const { read } = database
  const rows = () => read.selectFrom('deposit').selectAll()
  return {
    async record(deposits, now) {
      if (deposits.length > 0)
        await database.write(deposits.map((deposit) => recordStatement(read, deposit, now, null)))
    },
    async find(depositId) {
      const row = await rows().where('deposit_id', '=', depositId).executeTakeFirst()
      return row === undefined ? null : depositFrom(row)
    },
    async listByTransaction(chainId, txHash) {
      const found = await rows().where('chain_id', '=', chainId).where('tx_hash', '=', txHash).execute()
      return found.map(depositFrom).toSorted((a, b) => (a.ordinal < b.ordinal ? -1 : 1))
    },
    async listPaid(chainId, txHash) {
      const [own, shared] = await Promise.all([
        rows().where('chain_id', '=', chainId).where('tx_hash', '=', txHash).execute(),
        listShares(database, chainId, txHash),
      ])
      const isShare = ({ ordinal }: Deposit): boolean => shared.some((share) => share.ordinal === ordinal)
      return [...own.map(depositFrom).filter((deposit) => !isShare(deposit)), ...shared]
    },
    async listByAccount(accountId, { after, limit }) {
      const query = rows().where('account_id', '=', accountId).orderBy('deposit_id', 'desc').limit(limit)
      return (await (after === undefined ? query : query.where('deposit_id', '<', after)).execute()).map(depositFrom)
    },
    async list({ states, accountId, after, limit }) {
      let query = rows().orderBy('deposit_id', 'desc').limit(limit)
      if (states !== undefined) query = query.where('state', 'in', states)
      if (accountId !== undefined) query = query.where('account_id', '=', accountId)
      if (after !== undefined) query = query.where('deposit_id', '<', after)
      return (await query.execute()).map(depositFrom)
    },
    async listDue(chainId, { finalized, now, limit }) {
      const found = await rows()
        .where('chain_id', '=', chainId)
        .where('credited_at', 'is', null)
        .where((where) => {
          const open = where('state', 'in', ['seen', 'confirming'])
          const isIdle = where('reason', '=', 'below_minimum')
          const due = (pauseMs: number) => where('updated_at', '<=', now - pauseMs)
          return where.or([
            where.and([open, where.not(isIdle), where('block_number', '<=', finalized), due(FINAL_PAUSE_MS)]),
            where.and([open, where('block_number', '>', finalized), due(EARLY_PAUSE_MS)]),
            where.and([open, isIdle, due(IDLE_PAUSE_MS)]),
            where.and([
              where('state', '=', 'reversed'),
              where('seen_at', '>', now - REVERSED_MAX_MS),
              due(EARLY_PAUSE_MS),
            ]),
          ])
        })
        .orderBy('updated_at')
        .limit(limit)
        .execute()
      return found.map(depositFrom)
    },
    async listBelowMinimum(accountId, chainId, limit) {
      const found = await rows()
        .where('account_id', '=', accountId)
        .where('chain_id', '=', chainId)
        .where('state', '=', 'confirming')
        .where('reason', '=', 'below_minimum')
        .orderBy('credits', 'desc')
        .orderBy('deposit_id')
        .limit(limit)
        .execute()
      return found.map(depositFrom)
    },
    async findBelievedPrice(chainId) {
      const row = await read
        .selectFrom('deposit')
        .select(['price', 'block_time'])
        .where('chain_id', '=', chainId)
        .where('asset', '=', 'ETH')
        .where('credited_at', 'is not', null)
        .where('price_round', 'not in', ['operator', 'fixed'])
        .orderBy('block_time', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.price == null ? null : { usd: Number(row.price), time: row.block_time }
    },
    async listAmounts(chainId, address, asset) {
      const found = await read
        .selectFrom('deposit')
        .select(['deposit_id as depositId', 'state', 'raw_amount', 'ordinal', 'block_number as blockNumber'])
        .where('chain_id', '=', chainId)
        .where('address', '=', address)
        .where('asset', '=', asset)
        .where('state', '<>', 'reversed')
        .execute()
      return found.map(({ raw_amount, ...row }) => ({ ...row, amount: BigInt(raw_amount) }))
    },
    async change({ depositId, blockHash, amount }, from, change, now) {
      const statement = read
        .updateTable('deposit')
        .set({ ...columnsOf(change), updated_at: now })
        .where('deposit_id', '=', depositId)
        .where('block_hash', '=', blockHash)
        .where('raw_amount', '=', amount.toString())
        .where('state', 'in', from)
        .where('credited_at', 'is', null)
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
  }
}

/** The shares that a transaction has in deposits by balance, each with its part of the amount and of the credits. */
async function listShares({ read }: Database, chainId: ChainId, txHash: Hex): Promise<readonly Deposit[]> {
  const found = await read
    .selectFrom('deposit_match')
    .innerJoin('deposit', 'deposit.deposit_id', 'deposit_match.deposit_id')
    .selectAll('deposit')
    .select(['deposit_match.ordinal as share_ordinal', 'deposit_match.raw_amount as share'])
    .where('deposit_match.chain_id', '=', chainId)
    .where('deposit_match.tx_hash', '=', txHash)
    .execute()
  return found.map(({ share_ordinal, share, ...row }) => {
    const whole = depositFrom(row)
    const amount = BigInt(share)
    const credits = whole.credits === null ? null : nanocreditsOf((whole.credits * amount) / whole.amount)
    return { ...whole, txHash, ordinal: share_ordinal, amount, credits }
  })
}

function columnsOf(change: DepositChange): Updateable<DepositTable> {
  const { priceRound, priceTime, releasedAt, finalAt, doubtedAt, ...rest } = change
  return {
    ...rest,
    ...(priceRound === undefined ? {} : { price_round: priceRound }),
    ...(priceTime === undefined ? {} : { price_time: priceTime }),
    ...(releasedAt === undefined ? {} : { released_at: releasedAt }),
    ...(finalAt === undefined ? {} : { final_at: finalAt }),
    ...(doubtedAt === undefined ? {} : { doubted_at: doubtedAt }),
  }
}

/** Reads a row. The hex texts and the chain are what `record` wrote. */
function depositFrom(row: Selectable<DepositTable>): Deposit {
  return {
    depositId: row.deposit_id,
    accountId: row.account_id,
    chainId: row.chain_id as ChainId,
    txHash: row.tx_hash as Hex,
    ordinal: row.ordinal,
    asset: row.asset,
    address: row.address as Hex,
    sender: row.sender as Hex | null,
    amount: BigInt(row.raw_amount),
    blockNumber: row.block_number,
    blockHash: row.block_hash as Hex,
    blockTime: row.block_time,
    state: row.state,
    reason: row.reason as PendingReason | null,
    note: row.note,
    credits: row.credits === null ? null : nanocreditsOf(row.credits),
    price: row.price,
    priceRound: row.price_round,
    priceTime: row.price_time,
    releasedAt: row.released_at,
    seenAt: row.seen_at,
    finalAt: row.final_at,
    doubtedAt: row.doubted_at,
    updatedAt: row.updated_at,
    creditedAt: row.credited_at,
  }
}
