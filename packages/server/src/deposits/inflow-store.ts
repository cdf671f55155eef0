import type { Asset, ChainId, Hex } from '../chain/assets.ts'
import type { Database } from '../db/database.ts'

/** The most that was seen to have ever come to an address, at a final block. */
export interface AddressInflow {
  readonly chainId: ChainId
  readonly address: Hex
  readonly asset: Asset
  /** Smallest units. */
  readonly inflow: bigint
  readonly blockNumber: number
}

export interface InflowStore {
  find(chainId: ChainId, address: Hex, asset: Asset): Promise<AddressInflow | null>
  /** Notes an inflow; one that was noted at a later block stays. */
  note(inflow: AddressInflow, now: number): Promise<void>
}

/** Makes the store of inflows. */
export function createInflowStore(database: Database): InflowStore {
  const { read } = database
  return {
    async find(chainId, address, asset) {
      const row = await read
        .selectFrom('address_inflow')
        .select(['raw_inflow', 'block_number'])
        .where('chain_id', '=', chainId)
        .where('address', '=', address)
        .where('asset', '=', asset)
        .executeTakeFirst()
      if (row === undefined) return null
      return { chainId, address, asset, inflow: BigInt(row.raw_inflow), blockNumber: row.block_number }
    },
    async note({ chainId, address, asset, inflow, blockNumber }, now) {
      const values = { raw_inflow: inflow.toString(), block_number: blockNumber, checked_at: now }
      const statement = read
        .insertInto('address_inflow')
        .values({ chain_id: chainId, address, asset, ...values })
        .onConflict((conflict) =>
          conflict
            .columns(['chain_id', 'address', 'asset'])
            .doUpdateSet(values)
            .where('address_inflow.block_number', '<=', blockNumber),
        )
      await database.write([statement.compile()])
    },
  }
}
