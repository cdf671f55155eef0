import type { ChainId, Hex } from '../chain/assets.ts'
import { isUniqueViolation } from '../platform/db/database-failure.ts'
import type { Database } from '../platform/db/database.ts'

/** A wallet whose payments to the treasury belong to an account. */
export interface LinkedWallet {
  readonly walletId: string
  readonly accountId: string
  readonly chainId: ChainId
  readonly address: Hex
  readonly proof: 'eoa' | 'contract'
  readonly linkedAt: number
  /** Null while it is linked. */
  readonly unlinkedAt: number | null
}

/** A nonce that a wallet is to sign. */
export interface WalletChallenge {
  readonly nonce: string
  readonly accountId: string
  /** Who asked: a session or a key. */
  readonly session: string
  readonly chainId: ChainId
  readonly expiresAt: number
}

export interface WalletStore {
  /** Notes a nonce, and forgets those of the account that have been over since `forgetBefore`. */
  insertChallenge(challenge: WalletChallenge, forgetBefore: number): Promise<void>
  findChallenge(nonce: string): Promise<(WalletChallenge & { readonly usedAt: number | null }) | null>
  /** Uses a nonce up. Returns false when it was used before. */
  useChallenge(nonce: string, now: number): Promise<boolean>
  /** Returns false when that address is linked on that chain, to whomever. */
  link(wallet: Omit<LinkedWallet, 'unlinkedAt'>): Promise<boolean>
  /** Returns false when the account has no such linked wallet. */
  unlink(accountId: string, walletId: string, now: number): Promise<boolean>
  /** The present link of an address, or null. */
  find(chainId: ChainId, address: Hex): Promise<LinkedWallet | null>
  /** Newest first, unlinked ones included; at most 200. */
  list(accountId: string): Promise<readonly LinkedWallet[]>
  /** Accounts by wallet, for those that are linked now. */
  findOwners(chainId: ChainId, addresses: readonly Hex[]): Promise<ReadonlyMap<Hex, string>>
}

const LISTED_MAX = 200
/** Addresses that one statement names at most. */
const NAMED_MAX = 500

/** Makes the store of linked wallets. */
export function createWalletStore(database: Database): WalletStore {
  const { read } = database
  const wallets = () => read.selectFrom('linked_wallet').selectAll()
  return {
    async insertChallenge({ nonce, accountId, session, chainId, expiresAt }, forgetBefore) {
      const old = read
        .deleteFrom('wallet_challenge')
        .where('account_id', '=', accountId)
        .where('expires_at', '<', forgetBefore)
      const statement = read.insertInto('wallet_challenge').values({
        ...{ nonce, account_id: accountId, session, chain_id: chainId, expires_at: expiresAt, used_at: null },
      })
      await database.write([old.compile(), statement.compile()])
    },
    async findChallenge(nonce) {
      const row = await read.selectFrom('wallet_challenge').selectAll().where('nonce', '=', nonce).executeTakeFirst()
      if (row === undefined) return null
      const { account_id: accountId, session, expires_at: expiresAt, used_at: usedAt } = row
      return { nonce, accountId, session, chainId: row.chain_id as ChainId, expiresAt, usedAt }
    },
    async useChallenge(nonce, now) {
      const statement = read
        .updateTable('wallet_challenge')
        .set({ used_at: now })
        .where('nonce', '=', nonce)
        .where('used_at', 'is', null)
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
    async link({ walletId, accountId, chainId, address, proof, linkedAt }) {
      const statement = read.insertInto('linked_wallet').values({
        ...{ wallet_id: walletId, account_id: accountId, chain_id: chainId, address, proof },
        ...{ linked_at: linkedAt, unlinked_at: null },
      })
      try {
        await database.write([statement.compile()])
        return true
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    },
    async unlink(accountId, walletId, now) {
      const statement = read
        .updateTable('linked_wallet')
        .set({ unlinked_at: now })
        .where('wallet_id', '=', walletId)
        .where('account_id', '=', accountId)
        .where('unlinked_at', 'is', null)
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
    async find(chainId, address) {
      const row = await wallets()
        .where('chain_id', '=', chainId)
        .where('address', '=', address)
        .where('unlinked_at', 'is', null)
        .executeTakeFirst()
      return row === undefined ? null : walletFrom(row)
    },
    async list(accountId) {
      const rows = await wallets()
        .where('account_id', '=', accountId)
        .orderBy('wallet_id', 'desc')
        .limit(LISTED_MAX)
        .execute()
      return rows.map(walletFrom)
    },
    async findOwners(chainId, addresses) {
      const owners = new Map<Hex, string>()
      for (let start = 0; start < addresses.length; start += NAMED_MAX) {
        const rows = await wallets()
          .where('chain_id', '=', chainId)
          .where('address', 'in', addresses.slice(start, start + NAMED_MAX))
          .where('unlinked_at', 'is', null)
          .execute()
        for (const row of rows) owners.set(row.address as Hex, row.account_id)
      }
      return owners
    },
  }
}

interface WalletRow {
  readonly wallet_id: string
  readonly account_id: string
  readonly chain_id: number
  readonly address: string
  readonly proof: 'eoa' | 'contract'
  readonly linked_at: number
  readonly unlinked_at: number | null
}

function walletFrom(row: WalletRow): LinkedWallet {
  return {
    walletId: row.wallet_id,
    accountId: row.account_id,
    chainId: row.chain_id as ChainId,
    address: row.address as Hex,
    proof: row.proof,
    linkedAt: row.linked_at,
    unlinkedAt: row.unlinked_at,
  }
}
