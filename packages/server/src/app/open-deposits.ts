/** Chains, their watcher, and what claims go through. Part of the composition. */
import type { LocalChain } from '@svc/sandbox'
import { ASSETS, type ChainId, type Hex } from '../chain/assets.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ChainRules } from '../chain/chain-rules.ts'
import { openDepositXpub, XpubError, type DepositXpub } from '../chain/deposit-xpub.ts'
import { openChainReader } from '../chain/open-chain-reader.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Config } from '../config/config.ts'
import type { DepositChainConfig } from '../config/deposits-config.ts'
import type { Database } from '../platform/db/database.ts'
import type { SecondPrice } from '../deposits/ask-price-opinion.ts'
import { createDepositAddressStore } from '../deposits/deposit-address-store.ts'
import type { DepositPlace } from '../deposits/deposit-places.ts'
import { policyFrom } from '../deposits/deposit-policy.ts'
import { createDepositStore } from '../deposits/deposit-store.ts'
import { giveDepositAddress } from '../deposits/give-deposit-address.ts'
import { createInflowStore } from '../deposits/inflow-store.ts'
import { createOutflowStore } from '../deposits/outflow-store.ts'
import { createRecordingStore } from '../deposits/recording-store.ts'
import { createRetryStore } from '../deposits/retry-store.ts'
import { settleTransaction, type SettleTransaction } from '../deposits/settle-transaction.ts'
import { createWalletStore } from '../deposits/wallet-store.ts'
import { createChainWatch, type ChainWatch, type WatchDeps } from '../deposits/chain-watch.ts'
import { createWatchStore } from '../deposits/watch-store.ts'
import { openSecondPrice } from './open-second-price.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import type { ChainFigures, ChainMetrics } from '../telemetry/metrics/chain-metrics.ts'
import type { FindProxy } from '../platform/outbound/open-dispatcher.ts'
import type { Clock, SystemClock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import { systemTimer } from '../platform/runtime/timer.ts'
import { startWatchingDeposits } from '../worker/watch-deposits.ts'
import { createErasureStore } from '../operations/actions/erasure-store.ts'

/** Deposits of one gateway, once their chains are known. */
export interface OpenDeposits {
  /** Looks at a transaction, for a claim. */
  readonly settle: SettleTransaction
  /** By chain; those that come later included. */
  readonly readers: ReadonlyMap<ChainId, ChainReader>
  /** Where an account pays, each address derived and compared anew. A chain that is not there yet is left out. */
  offeringsOf(accountId: string): Promise<readonly DepositPlace[]>
  /** What is wrong with chains, in sentences; empty when all is well. */
  problems(): readonly string[]
  /** Watches the chains, those that come later included. @returns what stops it. */
  startWatching(): () => Promise<void>
  /** Adds the chains that the sandbox has started. */
  addLocal(chains: readonly LocalChain[]): Promise<void>
}

export interface DepositsParts {
  readonly config: Pick<Config, 'deposits' | 'databaseUrl'>
  readonly database: Database
  readonly ledger: Pick<Ledger, 'submit'>
  readonly clock: SystemClock
  readonly log: Logger
  readonly processId: string
  readonly findProxy: FindProxy
  /** Null where nothing is counted. */
  readonly metrics: ChainMetrics | null
}

const CHAIN_NAMES: Readonly<Record<ChainId, string>> = {
  4663: 'Robinhood Chain',
  46630: 'Robinhood Chain Testnet',
}

/** One chain with what belongs to it. */
interface OpenChain {
  readonly chainId: ChainId
  readonly rules: ChainRules
  readonly xpub: DepositXpub | null
  readonly treasury: Hex | null
  readonly watch: ChainWatch
}

/**
 * Opens the chains of the configuration. No provider is asked before the first claim or round, and none is believed
 * before it has shown that it is the right one.
 *
 * @throws {ConfigError} when an extended public key cannot be used.
 */
export async function openDeposits(parts: DepositsParts): Promise<OpenDeposits | null> {
  const { deposits: config } = parts.config
  if (config === null) return null
  const chains = new Map<ChainId, OpenChain>()
  const readers = new Map<ChainId, ChainReader>()
  const secondPrices = new Map<ChainId, SecondPrice>()
  const deps = createDeps(parts, config, { readers, secondPrices })
  const open = async (entry: DepositChainConfig): Promise<void> => {
    const rules = rulesOf(entry)
    if (rules === null) return
    const xpub = entry.xpub === null ? null : await openXpub(entry.chainId, entry.xpub)
    const onAsked = parts.metrics?.asked.bind(null, entry.chainId)
    const { clock, findProxy } = parts
    const reader = openChainReader({
      ...{ rules, rpcUrls: entry.rpcUrls, clock, findProxy },
      ...(onAsked === undefined ? {} : { onAsked: (provider, outcome) => onAsked(provider, outcome) }),
    })
    readers.set(entry.chainId, reader)
    const second = openSecondPrice(entry, parts)
    if (second !== null) secondPrices.set(entry.chainId, second)
    const treasury = config.mode === 'treasury' ? (entry.treasury as Hex | null) : null
    const watch = createChainWatch(deps, reader)
    chains.set(entry.chainId, { chainId: entry.chainId, rules, xpub, treasury, watch })
  }
  for (const entry of config.chains.filter(({ rpcUrls }) => rpcUrls.length > 0)) await open(entry)
  parts.metrics?.watch(() => [...chains.values()].map((chain) => figuresOf(chain, parts.clock)))
  const watching = createWatching(parts, { deps, chains, watchMs: config.watchMs })
  return {
    settle: (question) => settleTransaction(deps, question),
    readers,
    offeringsOf: (accountId) => findPlaces({ deps, clock: parts.clock }, [...chains.values()], accountId),
    problems: () => [...readers.values()].flatMap((reader) => reader.problems),
    startWatching: watching.start,
    async addLocal(local) {
      for (const { chainId, url, xpub } of local) {
        const entry = config.chains.find((chain) => chain.chainId === chainId)
        if (entry !== undefined) await open({ ...entry, rpcUrls: [url], xpub })
      }
      watching.renew()
    },
  }
}

function createDeps(
  { database, ledger, clock, log, metrics }: DepositsParts,
  config: NonNullable<Config['deposits']>,
  { readers, secondPrices }: Pick<WatchDeps, 'secondPrices'> & { readonly readers: WatchDeps['chains'] },
): WatchDeps {
  const erasures = createErasureStore(database)
  return {
    ...{ chains: readers, secondPrices },
    policy: policyFrom(config),
    deposits: createDepositStore(database),
    addresses: createDepositAddressStore(database),
    wallets: createWalletStore(database),
    outflows: createOutflowStore(database),
    inflows: createInflowStore(database),
    recording: createRecordingStore(database),
    watch: createWatchStore(database),
    retries: createRetryStore(database),
    isErased: async (accountId) => (await erasures.findErased(accountId)) !== null,
    ...{ ledger, clock },
    onCredited: ({ depositId, chainId, asset, accountId }) => {
      metrics?.credited(chainId, asset)
      log.info({ deposit_id: depositId, chain_id: chainId, asset, account_id: accountId }, 'a deposit was credited')
    },
    onReview: ({ depositId, chainId }, note) => {
      metrics?.heldBack(chainId)
      log.warn({ deposit_id: depositId, chain_id: chainId, reason: note }, 'a deposit waits for an operator')
    },
    onMistake: (error, txHash) => log.error({ err: error, tx_hash: txHash }, 'a deposit could not be looked at'),
    onSetAside: (chainId, subject, problem) =>
      log.warn(
        { chain_id: chainId, subject, reason: problem },
        'what could not be read is put aside and looked at again',
      ),
    onTokenChanged: (chainId, code, before) =>
      log.error(
        { chain_id: chainId, code, before },
        'the code behind USDG has changed: look at it before deposits grow',
      ),
  }
}

function rulesOf(entry: DepositChainConfig): ChainRules | null {
  if (entry.token === null) return null
  return {
    chainId: entry.chainId,
    token: entry.token as Hex,
    ethFeed: entry.ethFeed as Hex | null,
    tokenFeed: entry.tokenFeed as Hex | null,
    fixedEthUsd: entry.ethUsd,
    secondPrice: onChain(entry.secondPrice),
    multicall: entry.multicall as Hex,
    headAgeMaxMs: entry.headAgeMaxMs,
    finalityAgeMaxMs: entry.finalityAgeMaxMs,
  }
}

function onChain(source: DepositChainConfig['secondPrice']): ChainRules['secondPrice'] {
  return source === null || source.kind === 'ticker' ? null : { kind: source.kind, address: source.address as Hex }
}

async function openXpub(chainId: ChainId, text: string): Promise<DepositXpub> {
  try {
    return await openDepositXpub(text)
  } catch (error) {
    if (!(error instanceof XpubError)) throw error
    throw new ConfigError([`The extended public key for chain ${chainId} cannot be used: ${error.message}.`])
  }
}

function figuresOf({ chainId, watch: { state } }: OpenChain, clock: Clock): ChainFigures {
  return {
    ...{ chainId, latest: state.latest, finalized: state.finalized, failures: state.failuresInARow },
    lagBlocks: Math.max(0, state.finalized - state.cursor),
    ageSeconds: state.watchedAt === 0 ? null : (clock.now() - state.watchedAt) / 1_000,
  }
}

async function findPlaces(
  { deps, clock }: { readonly deps: WatchDeps; readonly clock: Clock },
  chains: readonly OpenChain[],
  accountId: string,
): Promise<readonly DepositPlace[]> {
  const { getAddress } = await import('viem')
  const places: DepositPlace[] = []
  for (const { chainId, rules, xpub, treasury } of chains) {
    const give = { addresses: deps.addresses, clock }
    const address = treasury ?? (xpub === null ? null : await giveDepositAddress(give, { chainId, xpub }, accountId))
    if (address === null) continue
    const shown = { address: getAddress(address), token: getAddress(rules.token) }
    places.push({ chainId, chainName: CHAIN_NAMES[chainId], ...shown, assets: ASSETS })
  }
  return places
}

interface Watching {
  readonly start: () => () => Promise<void>
  /** Takes up chains that were added since. */
  readonly renew: () => void
}

function createWatching(
  { log, processId, config, clock }: DepositsParts,
  given: { readonly deps: WatchDeps; readonly chains: ReadonlyMap<ChainId, OpenChain>; readonly watchMs: number },
): Watching {
  const stops: (() => Promise<void>)[] = []
  const watched = new Set<ChainId>()
  let isOn = false
  const renew = (): void => {
    if (!isOn) return
    const added = [...given.chains.values()].filter(({ chainId }) => !watched.has(chainId))
    for (const { chainId } of added) watched.add(chainId)
    stops.push(
      startWatchingDeposits({
        watch: given.deps,
        chains: added.map(({ watch }) => watch),
        watchMs: given.watchMs,
        // Embedded storage has one process, so a restart need not wait for the lease of the process before it.
        processId: config.databaseUrl === null ? 'embedded' : processId,
        timer: systemTimer,
        clock,
        log,
      }),
    )
  }
  const start = (): (() => Promise<void>) => {
    isOn = true
    renew()
    return async () => {
      isOn = false
      // A round that waits for a provider ends with this.
      for (const { watch } of given.chains.values()) watch.reader.stop()
      for (const second of given.deps.secondPrices.values()) second.stop()
      await Promise.all(stops.map((stop) => stop()))
    }
  }
  return { start, renew }
}
