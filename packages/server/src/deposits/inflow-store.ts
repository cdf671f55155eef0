import type { Asset, ChainId, Hex } from '../chain/assets.ts'
import type { Database } from '../platform/db/database.ts'
import type { FinalInflow } from '../money/ledger/credit-operations.ts'

export interface InflowStore {
  /** What had come to an address in all when it was credited last; null before that. Only the ledger notes it. */
  find(chainId: ChainId, address: Hex, asset: Asset): Promise<FinalInflow | null>
}

/** Makes the store of inflows. */
export function createInflowStore({ read }: Database): InflowStore {
  return {
    async find(chainId, address, asset) {
      const row = await read
        .selectFrom('address_inflow')
        .select(['raw_inflow', 'block_number'])
        .where('chain_id', '=', chainId)
        .where('address', '=', address)
        .where('asset', '=', asset)
        .where('raw_credited', '<>', '0')
        .executeTakeFirst()
      return row === undefined ? null : { amount: BigInt(row.raw_inflow), blockNumber: row.block_number }
    },
  }
}
