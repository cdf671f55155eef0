import type { Asset, ChainId, Hex } from '../chain/assets.ts'
import type { Database } from '../platform/db/database.ts'
import { type OutflowFacts, sealOutflow } from '../money/ledger/outflow-seal.ts'
import type { Outflow, OutflowStore } from './outflow.ts'

/** Makes the store of outflows. */
export function createOutflowStore(database: Database): OutflowStore {
  const { read } = database
  const rows = () => read.selectFrom('outflow').selectAll()
  return {
    async insert(outflow, now) {
      const facts = factsOf(outflow)
      const times = { created_at: now, updated_at: now }
      const row = { ...facts, seal: sealOutflow(facts), ...times }
      await database.write([read.insertInto('outflow').values(row).compile()])
    },
    async change(outflowId, from, change, now) {
      const before = await rows().where('outflow_id', '=', outflowId).where('state', 'in', from).executeTakeFirst()
      if (before === undefined) return false
      const facts = factsOf({ ...outflowFrom(before), ...change })
      const statement = read
        .updateTable('outflow')
        .set({ ...facts, seal: sealOutflow(facts), updated_at: now })
        .where('outflow_id', '=', outflowId)
        // As it was read: what another process has changed meanwhile is not written over.
        .where('seal', '=', before.seal)
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
    async find(outflowId) {
      const row = await rows().where('outflow_id', '=', outflowId).executeTakeFirst()
      return row === undefined ? null : outflowFrom(row)
    },
    async listMoving(chainId, limit) {
      const found = await rows()
        .where('chain_id', '=', chainId)
        .where('state', 'in', ['planned', 'sent'])
        .orderBy('outflow_id')
        .limit(limit)
        .execute()
      return found.map(outflowFrom)
    },
    async sumOf({ chainId, asset, address, block }) {
      const found = (
        await rows()
          .where('chain_id', '=', chainId)
          .where('address', '=', address)
          .where('state', '<>', 'failed')
          .execute()
      ).map(outflowFrom)
      let settled = 0n
      let isMoving = false
      for (const outflow of found) {
        const isSettled = outflow.state === 'final' && outflow.blockNumber !== null && outflow.blockNumber <= block
        if (!isSettled) isMoving = true
        else settled += leftOf(outflow, asset)
      }
      return { settled, isMoving }
    },
  }
}

/** What an outflow took of an asset: a payment in tokens may have cost a fee in ETH. */
function leftOf(outflow: Outflow, asset: Asset): bigint {
  const amount = outflow.asset === asset ? outflow.amount : 0n
  return asset === 'ETH' ? amount + outflow.fee : amount
}

function factsOf(outflow: Outflow): OutflowFacts {
  return {
    outflow_id: outflow.outflowId,
    chain_id: outflow.chainId,
    asset: outflow.asset,
    address: outflow.address,
    tx_hash: outflow.txHash,
    raw_amount: outflow.amount.toString(),
    raw_fee: outflow.fee.toString(),
    state: outflow.state,
    block_number: outflow.blockNumber,
    block_hash: outflow.blockHash,
  }
}

function outflowFrom(row: OutflowFacts): Outflow {
  return {
    outflowId: row.outflow_id,
    chainId: row.chain_id as ChainId,
    asset: row.asset,
    address: row.address as Hex,
    txHash: row.tx_hash as Hex | null,
    amount: BigInt(row.raw_amount),
    fee: BigInt(row.raw_fee),
    state: row.state,
    blockNumber: row.block_number,
    blockHash: row.block_hash as Hex | null,
  }
}
