/**
 * A chain, two nodes that can be made worse, a database, and the gateway's own parts as several processes have them.
 */
import { createAccountStore } from '../../packages/server/src/access/accounts/account-store.ts'
import { createAccount } from '../../packages/server/src/access/accounts/create-account.ts'
import type { Hex } from '../../packages/server/src/chain/assets.ts'
import { openDepositXpub } from '../../packages/server/src/chain/deposit-xpub.ts'
import { openChainReader } from '../../packages/server/src/chain/open-chain-reader.ts'
import { openDatabase, type OpenDatabase } from '../../packages/server/src/platform/db/open-database.ts'
import { createChainWatch, type ChainWatch, type WatchDeps } from '../../packages/server/src/deposits/chain-watch.ts'
import { createDepositAddressStore } from '../../packages/server/src/deposits/deposit-address-store.ts'
import { giveDepositAddress } from '../../packages/server/src/deposits/give-deposit-address.ts'
import { createRetryStore } from '../../packages/server/src/deposits/retry-store.ts'
import { createWatchStore } from '../../packages/server/src/deposits/watch-store.ts'
import { runAudit, renderAudit } from '../../packages/server/src/money/ledger/audit.ts'
import { createLedgerEngine } from '../../packages/server/src/money/ledger/create-ledger-engine.ts'
import { Ledger } from '../../packages/server/src/money/ledger/ledger.ts'
import type { SystemClock } from '../../packages/server/src/platform/runtime/clock.ts'
import { settleDepsOn, testXpub } from '../../packages/server/testing/deposit-scene.ts'
import { startEvmChain, type EvmChain } from '../../packages/server/testing/evm-chain.ts'
import { CHECKPOINT_WORKER } from '../../packages/server/testing/fresh-database.ts'
import { startRpcProxy, type RpcProxy } from '../../packages/server/testing/rpc-proxy.ts'
import { steadyClock } from '../../packages/server/testing/steady-clock.ts'
import { makeStorage, type StorageOptions } from '../rig/storage.ts'

/** One gateway's parts: its own connection, its own ledger, its own memory of the chain. */
export interface DepositProcess {
  readonly deps: WatchDeps
  watch: ChainWatch
}

/** The account that is paid. */
export interface RoundPayee {
  readonly accountId: string
  readonly address: Hex
}

export interface DepositStage {
  readonly chain: EvmChain
  readonly nodes: readonly RpcProxy[]
  readonly processes: readonly DepositProcess[]
  readonly database: OpenDatabase
  createPayee(): Promise<RoundPayee>
  /** Begins anew with what the database has, as a process that was killed does. */
  restart(process: DepositProcess): void
  /** Lets the chain's time and the clock go on together. */
  pass(seconds: number): Promise<void>
  /** What the audit finds, in words; null when every promise is kept. */
  audit(): Promise<string | null>
  close(): Promise<void>
}

const CHAIN_ID = 4663

/** Opens all of it: two processes on PostgreSQL, one on SQLite. */
export async function openDepositStage(options: StorageOptions): Promise<DepositStage> {
  const chain = await startEvmChain()
  const nodes = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
  const storage = await makeStorage(options)
  const open = (): Promise<OpenDatabase> => openDatabase({ ...storage.place, checkpointWorker: CHECKPOINT_WORKER })
  const database = await open()
  let aheadMs = 0
  const clock = steadyClock({ now: () => Date.now() + aheadMs })
  const opened = storage.place.engine === 'sqlite' ? [database] : [database, await open()]
  const parts = opened.map((each) => openProcess(each, { chain, nodes, clock }))
  const xpub = await openDepositXpub(testXpub())
  const addresses = createDepositAddressStore(database)
  let made = 0
  return {
    ...{ chain, nodes, database, processes: parts },
    async createPayee() {
      const created = await createAccount({ store: createAccountStore(database), clock }, { name: `payee ${made++}` })
      if (created === null) throw new Error('the account exists already')
      const { accountId } = created
      return {
        accountId,
        address: await giveDepositAddress({ addresses, clock }, { chainId: CHAIN_ID, xpub }, accountId),
      }
    },
    restart: (process) => void (process.watch = createChainWatch(process.deps, process.watch.reader)),
    async pass(seconds) {
      await chain.client.increaseTime({ seconds })
      await chain.client.mine({ blocks: 1 })
      aheadMs = Math.max(0, (await chain.now()) - Date.now())
    },
    async audit() {
      const report = await runAudit(database, clock)
      return report.breaches === 0 ? null : renderAudit(report)
    },
    async close() {
      for (const { ledger } of parts) await ledger.close()
      for (const each of opened) await each.close()
      await storage.remove()
      for (const node of nodes) await node.close()
      await chain.stop()
    },
  }
}

function openProcess(
  database: OpenDatabase,
  { chain, nodes, clock }: Pick<DepositStage, 'chain' | 'nodes'> & { readonly clock: SystemClock },
): DepositProcess & { readonly ledger: Ledger } {
  const ledger = new Ledger({ engine: createLedgerEngine(database) })
  const reader = openChainReader({ rules: chain.rules, rpcUrls: nodes.map(({ url }) => url), clock })
  const deps: WatchDeps = {
    ...settleDepsOn(database, ledger, { readers: [reader], clock }),
    addresses: createDepositAddressStore(database),
    watch: createWatchStore(database),
    retries: createRetryStore(database),
    onMistake: (error) => {
      throw error
    },
  }
  return { deps, ledger, watch: createChainWatch(deps, reader) }
}
