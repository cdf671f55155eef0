import type { ExpressionBuilder } from 'kysely'
import type { ChainId, Hex } from '../chain/assets.ts'
import { isUniqueViolation } from '../platform/db/database-failure.ts'
import type { Database } from '../platform/db/database.ts'
import type { Schema } from '../platform/db/schema.ts'

/** An address of an account. */
export interface DepositAddress {
  readonly addressId: string
  readonly accountId: string
  readonly chainId: ChainId
  readonly xpubId: string
  readonly derivationIndex: number
  readonly address: Hex
  readonly createdAt: number
}

export interface DepositAddressStore {
  /** The account's address under a key, or null. */
  find(accountId: string, xpubId: string): Promise<DepositAddress | null>
  /** The lowest index that no address of the key has yet. */
  findNextIndex(xpubId: string): Promise<number>
  /** Returns false when the index or the account's place under the key is taken by now. */
  insert(address: DepositAddress): Promise<boolean>
  /** Accounts by address, for those addresses that are ours, of whatever key, and not retired. */
  findOwners(chainId: ChainId, addresses: readonly Hex[]): Promise<ReadonlyMap<Hex, string>>
  /** Addresses of a chain of whatever key that are not retired, in the order of their making. */
  listAddresses(chainId: ChainId, page: AddressPage): Promise<readonly ListedAddress[]>
}

export interface AddressPage {
  /** Continue after this id. */
  readonly after?: string
  readonly limit: number
}

export type ListedAddress = Pick<DepositAddress, 'addressId' | 'accountId' | 'address' | 'derivationIndex' | 'xpubId'>

/** Addresses that one statement names at most. */
const LISTED_MAX = 500

/** Makes the store of deposit addresses. Rows are only ever added. */
export function createDepositAddressStore(database: Database): DepositAddressStore {
  const { read } = database
  const isInUse = (where: ExpressionBuilder<Schema, 'deposit_address'>) =>
    where.not(
      where.exists(
        where
          .selectFrom('retired_address as retired')
          .select('retired.address')
          .whereRef('retired.chain_id', '=', 'deposit_address.chain_id')
          .whereRef('retired.address', '=', 'deposit_address.address'),
      ),
    )
  return {
    async find(accountId, xpubId) {
      const row = await read
        .selectFrom('deposit_address')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('xpub_id', '=', xpubId)
        .executeTakeFirst()
      if (row === undefined) return null
      return {
        addressId: row.address_id,
        accountId: row.account_id,
        chainId: row.chain_id as ChainId,
        xpubId: row.xpub_id,
        derivationIndex: row.derivation_index,
        address: row.address as Hex,
        createdAt: row.created_at,
      }
    },
    async findNextIndex(xpubId) {
      const row = await read
        .selectFrom('deposit_address')
        .select(({ fn }) => fn.max('derivation_index').as('last'))
        .where('xpub_id', '=', xpubId)
        .executeTakeFirst()
      return row?.last == null ? 0 : row.last + 1
    },
    async insert(address) {
      const statement = read.insertInto('deposit_address').values({
        address_id: address.addressId,
        account_id: address.accountId,
        chain_id: address.chainId,
        xpub_id: address.xpubId,
        derivation_index: address.derivationIndex,
        address: address.address,
        created_at: address.createdAt,
      })
      try {
        await database.write([statement.compile()])
        return true
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    },
    async findOwners(chainId, addresses) {
      const owners = new Map<Hex, string>()
      for (let start = 0; start < addresses.length; start += LISTED_MAX) {
        const rows = await read
          .selectFrom('deposit_address')
          .select(['address', 'account_id'])
          .where('chain_id', '=', chainId)
          .where('address', 'in', addresses.slice(start, start + LISTED_MAX))
          .where(isInUse)
          .execute()
        for (const row of rows) owners.set(row.address as Hex, row.account_id)
      }
      return owners
    },
    async listAddresses(chainId, { after, limit }) {
      const query = read
        .selectFrom('deposit_address')
        .select(['address_id', 'account_id', 'address', 'derivation_index', 'xpub_id'])
        .where('chain_id', '=', chainId)
        .where(isInUse)
        .orderBy('address_id')
        .limit(limit)
      const rows = await (after === undefined ? query : query.where('address_id', '>', after)).execute()
      return rows.map((row) => ({
        addressId: row.address_id,
        accountId: row.account_id,
        address: row.address as Hex,
        derivationIndex: row.derivation_index,
        xpubId: row.xpub_id,
      }))
    },
  }
}
