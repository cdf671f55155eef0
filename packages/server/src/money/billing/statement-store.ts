import { setImmediate as letOthersRun } from 'node:timers/promises'
import { sql, type Expression, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { joinHalves, sumOf, type Halves } from '../ledger/audit-query.ts'

/** Transfers that move an account's balance; a pure loss of the operator moves none. */
export type MovingKind = 'capture' | 'grant' | 'adjustment' | 'deposit'

/** A place in the order in which transfers were booked. */
export interface BookingPlace {
  /** Milliseconds since the epoch. */
  readonly bookedAt: number
  readonly transferId: string
}

/** A part of an account's transfers in that order: `start` is in, `end` is out. */
export interface BookingSpan {
  readonly accountId: string
  readonly start: BookingPlace
  readonly end: BookingPlace
}

/** The place of whatever is booked first at a time or later. */
export function beginningOf(bookedAt: number): BookingPlace {
  return { bookedAt, transferId: '' }
}

/** The place right behind a transfer: no id lies between an id and itself with a blank. */
export function behind({ bookedAt, transferId }: BookingPlace): BookingPlace {
  return { bookedAt, transferId: `${transferId} ` }
}

/** What the transfers of one kind added to the balance together; below 0 for what they took. */
export interface MovedSum {
  readonly entries: number
  readonly amount: bigint
}

export type MovedSums = ReadonlyMap<MovingKind, MovedSum>

/** The same, of one model and type where it is captures. */
export interface ModelSum extends MovedSum {
  readonly kind: MovingKind
  /** Null for what is no request, and for requests whose records are in files. */
  readonly model: string | null
  readonly type: string | null
}

export interface StatementRow extends BookingPlace {
  readonly kind: MovingKind
  /** Nanocredits; below 0 for what it took. */
  readonly amount: bigint
  readonly reason: string | null
  /** Of a capture. */
  readonly model: string | null
  readonly type: string | null
  readonly keyName: string | null
  /** Of a deposit. */
  readonly deposit: {
    readonly asset: 'USDG' | 'ETH'
    readonly rawAmount: string
    readonly chainId: number
    readonly txHash: string
  } | null
}

export interface StatementStore {
  /** Null for an account that is not there. */
  findCreatedAt(accountId: string): Promise<number | null>
  /** Null when the account has no such transfer. */
  findPlace(accountId: string, transferId: string): Promise<BookingPlace | null>
  /** What each kind added, exactly. */
  sum(span: BookingSpan): Promise<MovedSums>
  /** The same for each kind, model and type. */
  sumModels(span: BookingSpan): Promise<readonly ModelSum[]>
  /** In the order of the books. */
  list(span: BookingSpan, limit: number): Promise<readonly StatementRow[]>
}

/**
 * So many transfers are added up at once. An account may have millions, and embedded storage is read in the thread that
 * serves requests: others run in between. PostgreSQL reads elsewhere, and each part is a round trip. Source: decision
 * 0044 (funding in the console).
 */
const SUM_ROWS = { sqlite: 2_000, postgres: 20_000 } as const

/**
 * Makes the store that reads statements from the ledger's rows. Nothing is written here.
 *
 * @param sumRows transfers that are added up at once.
 */
export function createStatementStore(database: Database, sumRows: number = SUM_ROWS[database.engine]): StatementStore {
  const { read } = database
  return {
    async findCreatedAt(accountId) {
      const query = read.selectFrom('account').select('created_at').where('account_id', '=', accountId)
      return (await query.executeTakeFirst())?.created_at ?? null
    },
    async findPlace(accountId, transferId) {
      const row = await read
        .selectFrom('transfer')
        .select(['transfer_id as transferId', 'created_at as bookedAt'])
        .where('transfer_id', '=', transferId)
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row ?? null
    },
    async sum(span) {
      const sums = new Map<MovingKind, MovedSum>()
      for await (const part of partsOf(database, span, sumRows)) {
        for (const row of await sumPart(database, part)) addTo(sums, row.kind, row)
      }
      return sums
    },
    async sumModels(span) {
      const sums = new Map<string, ModelSum>()
      for await (const part of partsOf(database, span, sumRows)) {
        for (const row of await sumModelsOfPart(database, part)) {
          addTo(sums, JSON.stringify([row.kind, row.type, row.model]), row)
        }
      }
      return [...sums.values()]
    },
    async list(span, limit) {
      const rows = await read
        .selectFrom('transfer')
        .leftJoin('usage_record', 'usage_record.usage_id', 'transfer.transfer_id')
        .leftJoin('api_key', 'api_key.key_id', 'usage_record.key_id')
        .leftJoin('deposit', 'deposit.deposit_id', 'transfer.transfer_id')
        .select(['transfer.transfer_id as transferId', 'transfer.created_at as bookedAt', 'transfer.kind'])
        .select(sql<bigint>`transfer.funding - transfer.charge`.as('moved_amount'))
        .select(['transfer.reason', 'usage_record.model', 'usage_record.type', 'api_key.name as keyName'])
        .select(['deposit.asset', 'deposit.raw_amount', 'deposit.chain_id as chainId', 'deposit.tx_hash as txHash'])
        .where(within(span))
        .where(MOVES)
        .orderBy('transfer.created_at')
        .orderBy('transfer.transfer_id')
        .limit(limit)
        .execute()
      return rows.map(({ moved_amount: amount, kind, asset, raw_amount: rawAmount, chainId, txHash, ...row }) => ({
        ...row,
        kind: kind as MovingKind,
        amount,
        deposit:
          asset === null || rawAmount === null || chainId === null || txHash === null
            ? null
            : { asset, rawAmount: String(rawAmount), chainId, txHash },
      }))
    },
  }
}

const MOVES = sql<SqlBool>`transfer.funding <> transfer.charge`

/**
 * Found by the index alone. The times are also compared by themselves: PostgreSQL assumes that a third of all rows pass
 * a comparison of places, and read the whole table for every part.
 */
function within({ accountId, start, end }: BookingSpan): Expression<SqlBool> {
  return sql<SqlBool>`transfer.account_id = ${accountId}
    and transfer.created_at between ${start.bookedAt} and ${end.bookedAt}
    and (transfer.created_at, transfer.transfer_id) >= (${start.bookedAt}, ${start.transferId})
    and (transfer.created_at, transfer.transfer_id) < (${end.bookedAt}, ${end.transferId})`
}

/** The transfer that comes after so many others of the span; null when the span has no more than those. */
async function findNth({ read }: Database, span: BookingSpan, count: number): Promise<BookingPlace | null> {
  const row = await read
    .selectFrom('transfer')
    .select(['transfer_id as transferId', 'created_at as bookedAt'])
    .where(within(span))
    .orderBy('created_at')
    .orderBy('transfer_id')
    .limit(1)
    .offset(count)
    .executeTakeFirst()
  return row ?? null
}

function addTo<Key, Sum extends MovedSum>(sums: Map<Key, Sum>, key: Key, row: Sum): void {
  const { entries, amount } = sums.get(key) ?? { entries: 0, amount: 0n }
  sums.set(key, { ...row, entries: entries + row.entries, amount: amount + row.amount })
}

/** A span in parts of so many transfers, with a turn for others between them. */
async function* partsOf(database: Database, span: BookingSpan, rows: number): AsyncGenerator<BookingSpan, void> {
  for (let { start } = span; ;) {
    const next = await findNth(database, { ...span, start }, rows)
    yield { ...span, start, end: next ?? span.end }
    if (next === null) return
    start = next
    await letOthersRun()
  }
}

interface SumRow extends Halves {
  readonly kind: string
  readonly entries: number
}

async function sumPart(
  { read, engine }: Database,
  span: BookingSpan,
): Promise<readonly (MovedSum & { readonly kind: MovingKind })[]> {
  const { rows } = await sql<SumRow>`
    select kind, count(*) as entries, ${sumOf(engine, sql`funding - charge`)}
      from transfer where ${within(span)} and ${MOVES} group by kind`.execute(read)
  return rows.map((row) => ({
    kind: row.kind as MovingKind,
    entries: row.entries,
    amount: joinHalves(engine, row),
  }))
}

async function sumModelsOfPart({ read, engine }: Database, span: BookingSpan): Promise<readonly ModelSum[]> {
  const { rows } = await sql<SumRow & Pick<ModelSum, 'model' | 'type'>>`
    select transfer.kind, usage_record.type, usage_record.model, count(*) as entries,
           ${sumOf(engine, sql`transfer.funding - transfer.charge`)}
      from transfer left join usage_record on usage_record.usage_id = transfer.transfer_id
     where ${within(span)} and ${MOVES} group by transfer.kind, usage_record.type, usage_record.model`.execute(read)
  return rows.map((row) => ({
    ...{ kind: row.kind as MovingKind, model: row.model, type: row.type },
    ...{ entries: row.entries, amount: joinHalves(engine, row) },
  }))
}
