/** The rows of deposits that the SQLite writer works on, and what came to their addresses. */
import type { DatabaseSync } from 'node:sqlite'
import type { DepositRow, InflowRow } from './sqlite-ledger-rows.ts'

/** Prepares what the ledger asks and writes of deposits and of what came to their addresses. */
export function createDepositStatements(connection: DatabaseSync) {
  const find = connection.prepare(
    `select deposit_id, account_id, chain_id, address, asset, raw_amount, block_hash, credits, state from deposit
      where chain_id = ? and tx_hash = ? and ordinal = ?`,
    { readBigInts: true, returnArrays: true },
  )
  const update = connection.prepare(
    `update deposit set state = 'credited', reason = null, credited_at = ?1, updated_at = ?1 where deposit_id = ?2`,
  )
  return {
    findDeposit: (chainId: number, txHash: string, ordinal: string): DepositRow | null => {
      const row = find.get(chainId, txHash, ordinal) as DepositColumns | undefined
      return row === undefined ? null : depositFrom(row)
    },
    updateDeposit: (row: DepositRow): void => void update.run(row.creditedAt, row.depositId),
  }
}

/** Prepares what came to addresses and what was credited for them. */
export function createInflowStatements(connection: DatabaseSync) {
  const find = connection.prepare(
    `select raw_inflow, block_number, raw_credited, checked_at from address_inflow
      where chain_id = ? and address = ? and asset = ?`,
    { returnArrays: true },
  )
  const findOwn = connection.prepare('select 1 from deposit_address where chain_id = ? and address = ?')
  const upsert = connection.prepare(
    `insert into address_inflow (chain_id, address, asset, raw_inflow, block_number, raw_credited, revision, checked_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (chain_id, address, asset) do update set
       raw_inflow = excluded.raw_inflow, block_number = excluded.block_number, raw_credited = excluded.raw_credited,
       revision = excluded.revision, checked_at = excluded.checked_at`,
  )
  return {
    findInflow: (chainId: number, address: string, asset: string): InflowRow => {
      const row = find.get(chainId, address, asset) as unknown as InflowColumns | undefined
      const [inflow, blockNumber, credited, checkedAt] = row ?? ['0', 0, '0', 0]
      return {
        ...{ chainId, address, asset, blockNumber, checkedAt, revision: null },
        ...{ inflow: BigInt(inflow), credited: BigInt(credited) },
      }
    },
    isDepositAddress: (chainId: number, address: string): boolean => findOwn.get(chainId, address) !== undefined,
    upsertInflow: (row: InflowRow, revision: string): void =>
      void upsert.run(
        ...[row.chainId, row.address, row.asset, row.inflow.toString(), row.blockNumber],
        ...[row.credited.toString(), revision, row.checkedAt],
      ),
  }
}

type InflowColumns = readonly [inflow: string, blockNumber: number, credited: string, checkedAt: number]

function depositFrom(row: DepositColumns): DepositRow {
  return {
    depositId: row[0] as string,
    accountId: row[1] as string,
    chainId: Number(row[2]),
    address: row[3] as string,
    asset: row[4] as string,
    rawAmount: BigInt(row[5] as string),
    blockHash: row[6] as string,
    credits: row[7] as bigint | null,
    state: row[8] as string,
    creditedAt: null,
  }
}

type DepositColumns = readonly (string | bigint | null)[]
