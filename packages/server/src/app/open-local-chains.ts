/** The chains that the sandbox runs on this machine. Part of the composition. */
import { join } from 'node:path'
import { CHAINS_FOLDER, isSandboxAlone } from '../config/data-folder.ts'
import type { Config, UpstreamConfig } from '../config/config.ts'
import type { DepositChainConfig, DepositsConfig } from '../config/deposits-config.ts'
import { findSandbox, loadSandbox } from './load-sandbox.ts'
import type { OpenDeposits } from './open-deposits.ts'
import type { Logger } from '../platform/runtime/log.ts'

/** A chain on this machine rests while it is unused, so the age of its newest block says nothing. */
const RESTING_MS = 10 * 365 * 86_400_000

const localChain = {
  rpcUrls: [],
  xpub: null,
  treasury: null,
  // The same addresses as on the main network.
  token: '0x5fc5360d0400a0fd4f2af552add042d716f1d168',
  ethFeed: '0x78f3556b67e17df817d51ef5a990cdaf09e8d3a9',
  tokenFeed: '0x61b7e5650328764b076a108eff5fa7282a1b9ad2',
  ethUsd: null,
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
export async function withLocalDeposits(config: Config): Promise<Config> {
  return (await takesLocalDeposits(config)) ? { ...config, deposits: LOCAL_DEPOSITS } : config
}

/** Tells whether a gateway with this configuration takes its deposits on local chains, as far as it was read. */
export async function takesLocalDeposits(
  config: Pick<Config, 'isProduction' | 'deposits'> & { readonly upstreams: readonly UpstreamConfig[] },
): Promise<boolean> {
  const isSandbox = !config.isProduction && isSandboxAlone(config.upstreams)
  if (!isSandbox || config.deposits !== null) return false
  const sandbox = await findSandbox()
  return sandbox !== null && sandbox.findAnvil() !== null
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
  const { startLocalChains } = await loadSandbox()
  const chains = await startLocalChains({ folder: join(config.dataDir, CHAINS_FOLDER) })
  if (chains !== null) await deposits.addLocal(chains.chains)
  return chains
}
