/** A database, a ledger and a chain together: everything that turns payments into credits, for tests. */
import { nanocreditsOf } from '@svc/contract'
import { mnemonicToAccount, type HDAccount } from 'viem/accounts'
import type { ChainId, Hex } from '../src/chain/assets.ts'
import type { ChainReader } from '../src/chain/chain-reader.ts'
import { openDepositXpub } from '../src/chain/deposit-xpub.ts'
import { openChainReader } from '../src/chain/open-chain-reader.ts'
import type { Database, DatabaseEngine } from '../src/platform/db/database.ts'
import { createDepositAddressStore } from '../src/deposits/deposit-address-store.ts'
import type { DepositPolicy } from '../src/deposits/deposit-policy.ts'
import { createDepositStore } from '../src/deposits/deposit-store.ts'
import { giveDepositAddress } from '../src/deposits/give-deposit-address.ts'
import { createInflowStore } from '../src/deposits/inflow-store.ts'
import { createOutflowStore } from '../src/deposits/outflow-store.ts'
import { createRecordingStore } from '../src/deposits/recording-store.ts'
import type { SettleDeps } from '../src/deposits/settle-deps.ts'
import { settleTransaction, type TransactionOutcome } from '../src/deposits/settle-transaction.ts'
import { createWalletStore } from '../src/deposits/wallet-store.ts'
import type { Ledger } from '../src/money/ledger/ledger.ts'
import type { Clock, SystemClock } from '../src/platform/runtime/clock.ts'
import { PUBLIC_MNEMONIC, type EvmChain } from './evm-chain.ts'
import { steadyClock } from './steady-clock.ts'
import { assertSound, openTestLedger } from './test-ledger.ts'
import { createErasureStore } from '../src/operations/actions/erasure-store.ts'

const USD = 1_000n * 1_000_000_000n

/** Nanocredits of whole US dollars. */
export const creditsOf = (usd: number): bigint => BigInt(Math.round(usd * 1_000_000)) * (USD / 1_000_000n)

/** The key of an account in a wallet that no other account of a test belongs to; the index says which wallet. */
export function testXpub(wallet = 7): string {
  const key = mnemonicToAccount(PUBLIC_MNEMONIC, { path: `m/44'/60'/${wallet}'` }).getHdKey()
  return key.publicExtendedKey
}

/** The private half of one address of that key: for tests of what leaves an address. */
export function ownerOfAddress(index: number, wallet = 7): HDAccount {
  return mnemonicToAccount(PUBLIC_MNEMONIC, { path: `m/44'/60'/${wallet}'/0/${index}` })
}

/** One dollar at least, 10,000 without an operator, 500 on the word of one provider. */
export const TEST_POLICY: DepositPolicy = {
  minimum: nanocreditsOf(creditsOf(1)),
  autoLimit: nanocreditsOf(creditsOf(10_000)),
  secondOpinionFrom: nanocreditsOf(creditsOf(500)),
  secondPriceFrom: nanocreditsOf(creditsOf(10_000)),
  blockedSenders: new Set(),
  treasuries: null,
}

/** The parts on one connection to a database, as one process has them. */
export function settleDepsOn(
  database: Database,
  ledger: Pick<Ledger, 'submit'>,
  options: { readonly readers: readonly ChainReader[]; readonly clock: Clock; readonly policy?: DepositPolicy },
): SettleDeps & { readonly clock: SystemClock } {
  return {
    chains: new Map(options.readers.map((reader) => [reader.chainId, reader])),
    policy: options.policy ?? TEST_POLICY,
    deposits: createDepositStore(database),
    addresses: createDepositAddressStore(database),
    wallets: createWalletStore(database),
    outflows: createOutflowStore(database),
    inflows: createInflowStore(database),
    recording: createRecordingStore(database),
    secondPrices: new Map(),
    isErased: async (accountId) => (await createErasureStore(database).findErased(accountId)) !== null,
    ledger,
    clock: steadyClock(options.clock),
  }
}

export interface SceneOptions {
  readonly policy?: Partial<DepositPolicy>
  /** Providers of the chain; the node itself where absent. */
  readonly rpcUrls?: readonly string[]
  /** Further readers, of other chains. */
  readonly readers?: readonly ChainReader[]
}

export type DepositScene = Awaited<ReturnType<typeof openDepositScene>>

/** Opens everything on a database of its own, with a clock that follows the chain's time. */
export async function openDepositScene(engine: DatabaseEngine, chain: EvmChain, options: SceneOptions = {}) {
  const money = await openTestLedger(engine)
  const { database } = money.test
  let aheadMs = 0
  const clock = steadyClock({ now: () => Date.now() + aheadMs })
  const policy = { ...TEST_POLICY, ...options.policy }
  const reader = openChainReader({ rules: chain.rules, rpcUrls: options.rpcUrls ?? [chain.url], clock })
  const readers = [reader, ...(options.readers ?? [])]
  const deps = settleDepsOn(database, money.ledger, { readers, clock, policy })
  const addresses = createDepositAddressStore(database)
  const xpub = await openDepositXpub(testXpub())
  const chainId: ChainId = chain.chainId
  return {
    ...{ money, deps, reader, clock, xpub, addresses, database },
    /** Moves the clock to the chain's time, where that has gone ahead. */
    async follow(): Promise<void> {
      aheadMs = Math.max(0, (await chain.now()) - Date.now())
    },
    /** Makes an account that has an address. */
    async createAccount(): Promise<{ readonly accountId: string; readonly keyId: string; readonly address: Hex }> {
      const { accountId, keyId } = await money.createCaller(0n)
      return { accountId, keyId, address: await giveDepositAddress({ addresses, clock }, { chainId, xpub }, accountId) }
    },
    settle: (txHash: Hex, accountId: string | null = null): Promise<TransactionOutcome> =>
      settleTransaction(deps, { chainId, txHash, accountId }),
    balanceOf: async (accountId: string): Promise<bigint> => (await money.findBalance(accountId)).posted,
    async close(): Promise<void> {
      await assertSound(money, clock.now())
      await money.close()
    },
  }
}
