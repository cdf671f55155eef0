import type { ChainId, Hex } from '../chain/assets.ts'
import type { Database } from '../platform/db/database.ts'

/** How far a scan has come: everything up to this block was looked at while it was final. */
export interface ChainCursor {
  readonly blockNumber: number
  readonly blockHash: Hex
}

export interface WatchStore {
  findCursor(chainId: ChainId, scan: string): Promise<ChainCursor | null>
  saveCursor(chainId: ChainId, scan: string, cursor: ChainCursor, now: number): Promise<void>
  /** When the first account got an address on a chain, or linked a wallet there; null when none has. */
  findFirstPayer(chainId: ChainId): Promise<number | null>
  /**
   * Takes a task for a while, or keeps it. One process at a time has it.
   *
   * @returns false when another one has it.
   */
  takeLease(task: string, holder: string, now: number, leaseMs: number): Promise<boolean>
  /** Gives a task back, if the holder has it. */
  endLease(task: string, holder: string): Promise<void>
  /**
   * Notes a fact of a chain.
   *
   * @returns what was noted before; null when nothing was.
   */
  noteFact(chainId: ChainId, name: string, value: string, now: number): Promise<string | null>
}

/** A failed task rests for as long as this, in milliseconds. Source: decision 0069. */
const LEASE_MS_MAX = 3_600_000

/** Makes the store of what the watcher keeps. */
export function createWatchStore(database: Database): WatchStore {
  const { read } = database
  return {
    async findCursor(chainId, scan) {
      const row = await read
        .selectFrom('chain_cursor')
        .select(['block_number', 'block_hash'])
        .where('chain_id', '=', chainId)
        .where('scan', '=', scan)
        .executeTakeFirst()
      return row === undefined ? null : { blockNumber: row.block_number, blockHash: row.block_hash as Hex }
    },
    async saveCursor(chainId, scan, { blockNumber, blockHash }, now) {
      const values = { block_number: blockNumber, block_hash: blockHash, updated_at: now }
      const statement = read
        .insertInto('chain_cursor')
        .values({ chain_id: chainId, scan, ...values })
        .onConflict((conflict) => conflict.columns(['chain_id', 'scan']).doUpdateSet(values))
      await database.write([statement.compile()])
    },
    async findFirstPayer(chainId) {
      const [address, wallet] = await Promise.all([
        read
          .selectFrom('deposit_address')
          .select(({ fn }) => fn.min('created_at').as('since'))
          .where('chain_id', '=', chainId)
          .executeTakeFirst(),
        read
          .selectFrom('linked_wallet')
          .select(({ fn }) => fn.min('linked_at').as('since'))
          .where('chain_id', '=', chainId)
          .executeTakeFirst(),
      ])
      const times = [address?.since, wallet?.since].filter((since) => since != null)
      return times.length === 0 ? null : Math.min(...times)
    },
    async takeLease(task, holder, now, leaseMs) {
      const values = { holder, lease_until: now + leaseMs }
      const statement = read
        .insertInto('task_lease')
        .values({ task, ...values })
        .onConflict((conflict) =>
          conflict
            .column('task')
            .doUpdateSet(values)
            .where((where) =>
              where.or([
                where('task_lease.holder', '=', holder),
                where('task_lease.lease_until', '<=', now),
                // It was taken by a clock that was ahead of this one.
                where('task_lease.lease_until', '>', now + LEASE_MS_MAX),
              ]),
            ),
        )
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
    async endLease(task, holder) {
      const statement = read.deleteFrom('task_lease').where('task', '=', task).where('holder', '=', holder)
      await database.write([statement.compile()])
    },
    async noteFact(chainId, name, value, now) {
      const known = await read
        .selectFrom('chain_fact')
        .select('value')
        .where('chain_id', '=', chainId)
        .where('name', '=', name)
        .executeTakeFirst()
      if (known?.value === value) return value
      const statement = read
        .insertInto('chain_fact')
        .values({ chain_id: chainId, name, value, noted_at: now })
        .onConflict((conflict) => conflict.columns(['chain_id', 'name']).doUpdateSet({ value, noted_at: now }))
      await database.write([statement.compile()])
      return known?.value ?? null
    },
  }
}
