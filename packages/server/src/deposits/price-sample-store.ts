import type { ChainId } from '../chain/assets.ts'
import type { Database } from '../platform/db/database.ts'

/** USD for one ETH at a time. */
export interface PriceSample {
  readonly sampledAt: number
  readonly usd: number
}

export interface PriceSampleStore {
  /** Writes a sample down, and removes those that are older than a time. */
  insert(chainId: ChainId, sample: PriceSample, removeBefore: number): Promise<void>
  /** The one nearest to a time, not further from it than that; null where there is none. */
  findNearest(chainId: ChainId, time: number, withinMs: number): Promise<PriceSample | null>
  findNewest(chainId: ChainId): Promise<PriceSample | null>
}

/** Makes the store of prices that a price service gave. */
export function createPriceSampleStore(database: Database): PriceSampleStore {
  const samples = (chainId: ChainId) =>
    database.read.selectFrom('price_sample').select(['sampled_at as sampledAt', 'usd']).where('chain_id', '=', chainId)
  return {
    async insert(chainId, { sampledAt, usd }, removeBefore) {
      const { read } = database
      const row = { chain_id: chainId, sampled_at: sampledAt, usd }
      await database.write([
        read
          .insertInto('price_sample')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .compile(),
        read
          .deleteFrom('price_sample')
          .where('chain_id', '=', chainId)
          .where('sampled_at', '<', removeBefore)
          .compile(),
      ])
    },
    async findNearest(chainId, time, withinMs) {
      const before = await samples(chainId)
        .where('sampled_at', '<=', time)
        .where('sampled_at', '>=', time - withinMs)
        .orderBy('sampled_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      const after = await samples(chainId)
        .where('sampled_at', '>', time)
        .where('sampled_at', '<=', time + withinMs)
        .orderBy('sampled_at')
        .limit(1)
        .executeTakeFirst()
      if (before === undefined || after === undefined) return before ?? after ?? null
      return time - before.sampledAt <= after.sampledAt - time ? before : after
    },
    async findNewest(chainId) {
      const found = await samples(chainId).orderBy('sampled_at', 'desc').limit(1).executeTakeFirst()
      return found ?? null
    },
  }
}
