/** The chains that the sandbox runs on this machine. Part of the composition. */
import { Worker } from 'node:worker_threads'
import type { Config, UpstreamConfig } from './config/config.ts'
import { isSandboxAlone } from './config/data-folder.ts'
import type { DepositChainConfig, DepositsConfig } from './config/deposits-config.ts'
import type { OpenDeposits } from './open-deposits.ts'
import type { Logger } from './runtime/log.ts'
import type { CompiledContracts } from './sandbox/compile-contracts.ts'
import { findAnvil } from './sandbox/find-anvil.ts'
import { ETH_FEED_ADDRESS, TOKEN_ADDRESS, TOKEN_FEED_ADDRESS } from './sandbox/place-contracts.ts'

const COMPILER = new URL('compile-contracts.worker.ts', import.meta.url)

/** A chain on this machine rests while nobody uses it, so the age of its newest block says nothing. */
const RESTING_MS = 10 * 365 * 86_400_000

const localChain = {
  rpcUrls: [],
  xpub: null,
  treasury: null,
  token: TOKEN_ADDRESS,
  ethFeed: ETH_FEED_ADDRESS,
  tokenFeed: TOKEN_FEED_ADDRESS,
  fixedEthUsd: null,
  secondPrice: null,
  multicall: '0xca11bde05977b3631167028862be2a173976ca11',
  headAgeMaxMs: RESTING_MS,
  finalityAgeMaxMs: RESTING_MS,
} satisfies Omit<DepositChainConfig, 'chainId'>

const LOCAL_DEPOSITS: DepositsConfig = {
  mode: 'address',
  minimumUsd: '1',
  autoLimitUsd: '10000',
  // The one provider is the chain itself.
  secondOpinionUsd: '10000',
  secondPriceUsd: '10000',
  blockedSenders: [],
  watchMs: 1_000,
  chains: [
    { ...localChain, chainId: 4663 },
    { ...localChain, chainId: 46630 },
  ],
}

/**
 * Adds deposits on local chains to a configuration of the sandbox that has no others. Nothing is started yet.
 *
 * @returns the configuration as it was where there are others, no sandbox, or no program for chains.
 */
export function withLocalDeposits(config: Config): Config {
  return takesLocalDeposits(config) ? { ...config, deposits: LOCAL_DEPOSITS } : config
}

/** Tells whether a gateway with this configuration takes its deposits on local chains, as far as it was read. */
export function takesLocalDeposits(
  config: Pick<Config, 'isProduction' | 'deposits'> & { readonly upstreams: readonly UpstreamConfig[] },
): boolean {
  const isSandbox = !config.isProduction && isSandboxAlone(config.upstreams)
  return isSandbox && config.deposits === null && findAnvil() !== null
}

/** Tells whether the deposits of a configuration are those of local chains. */
export function hasLocalDeposits(config: Config): boolean {
  return config.deposits === LOCAL_DEPOSITS
}

/**
 * Starts the local chains beside the running gateway. A failure is a line in the log: everything else works without.
 *
 * @returns what stops them, also while they start.
 */
export function startLocalChainsBeside(
  { config, log }: { readonly config: Config; readonly log: Logger },
  deposits: OpenDeposits,
): () => Promise<void> {
  const starting = start(config, deposits).catch((error: unknown) => {
    log.warn({ err: error }, 'the local chains did not start: deposits cannot be tried')
    return null
  })
  return async () => {
    const chains = await starting
    await chains?.stop()
  }
}

async function start(config: Config, deposits: OpenDeposits) {
  const { startLocalChains } = await import('./sandbox/local-chains.ts')
  const chains = await startLocalChains({ dataDir: config.dataDir, compile: compileInThread })
  if (chains !== null) await deposits.addLocal(chains.chains)
  return chains
}

function compileInThread(cacheFolder: string): Promise<CompiledContracts> {
  const { promise, resolve, reject } = Promise.withResolvers<CompiledContracts>()
  const worker = new Worker(COMPILER, { workerData: cacheFolder, name: 'compile-contracts' })
  worker.unref()
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the compiler ended without a result')))
  return promise
}
