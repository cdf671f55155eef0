import type { FileSettings } from './config-file.ts'
import type { DepositChainConfig, DepositChainEntry, DepositsConfig } from './deposits-config.ts'
import type { Environment } from './environment.ts'
import { isLoopback } from './reach.ts'

/**
 * Addresses on the main network. Each is compared with what is on the chain before it is used. Source: decision 0028;
 * the token's issuer and the directory of the price feeds.
 */
const MAINNET_TOKEN = '0x5fc5360d0400a0fd4f2af552add042d716f1d168'
const MAINNET_ETH_FEED = '0x78f3556b67e17df817d51ef5a990cdaf09e8d3a9'
const MAINNET_TOKEN_FEED = '0x61b7e5650328764b076a108eff5fa7282a1b9ad2'

export interface ResolvedDeposits {
  /** Null where no chain is read: then deposits are off. */
  readonly deposits: DepositsConfig | null
  readonly problems: readonly string[]
  readonly notices: readonly string[]
}

/** What kind of gateway takes the deposits. */
export interface DepositPlace {
  readonly isProduction: boolean
  /** Whether nothing but the sandbox answers requests. */
  readonly isSandbox: boolean
}

/** Reads what the environment and the file say of deposits, and checks that each chain has all it needs. */
export function resolveDeposits(
  environment: Environment,
  { deposits: { chains: entries, ...settings } }: FileSettings,
  place: DepositPlace,
): ResolvedDeposits {
  const problems = [
    ...mainNetworkProblems(environment, place),
    ...testnetProblems(environment, place),
    ...keyProblems(environment),
  ]
  const notices: string[] = []
  const chains: DepositChainConfig[] = []
  for (const source of sourcesOf(environment)) {
    if (source.rpcUrls.length === 0) continue
    const chain = chainFrom(source, environment.SVC_DEPOSIT_TREASURY ?? null, entries[source.chainId])
    problems.push(...chainProblems(chain, environment))
    if (chain.rpcUrls.length === 1) notices.push(loneProviderNotice(chain))
    if (chain.ethUsd === null && chain.secondPrice === null) notices.push(lonePriceNotice(chain, settings))
    chains.push(chain)
  }
  const isOn = chains.length > 0 && problems.length === 0
  const { SVC_DEPOSIT_MODE: mode, SVC_DEPOSIT_MINIMUM_USD: minimumUsd } = environment
  return { deposits: isOn ? { ...settings, mode, minimumUsd, chains } : null, problems, notices }
}

interface ChainSource {
  readonly chainId: 4663 | 46630
  readonly rpcUrls: readonly string[]
  readonly xpub: string | null
}

function sourcesOf(environment: Environment): readonly ChainSource[] {
  return [
    { chainId: 4663, rpcUrls: environment.SVC_RPC_URLS_4663 ?? [], xpub: environment.SVC_DEPOSIT_XPUB ?? null },
    {
      chainId: 46630,
      rpcUrls: environment.SVC_RPC_URLS_46630 ?? [],
      xpub: environment.SVC_DEPOSIT_XPUB_TESTNET ?? null,
    },
  ]
}

function chainFrom(source: ChainSource, treasury: string | null, entry: DepositChainEntry): DepositChainConfig {
  const chain = { ...entry, ...source, treasury }
  if (source.chainId !== 4663) return chain
  return {
    ...chain,
    token: entry.token ?? MAINNET_TOKEN,
    ethFeed: entry.ethFeed ?? MAINNET_ETH_FEED,
    tokenFeed: entry.tokenFeed ?? MAINNET_TOKEN_FEED,
  }
}

/**
 * A sandbox sells sandbox answers, so it takes no real coins. A provider on this machine is a local chain: those have
 * the chain id of the main network, too. Source: decision 0105.
 */
function mainNetworkProblems({ SVC_RPC_URLS_4663: urls = [] }: Environment, place: DepositPlace): readonly string[] {
  if (!place.isSandbox || urls.every((url) => isLoopback(new URL(url).hostname))) return []
  return [
    'SVC_RPC_URLS_4663 names the main network, and nothing but the sandbox answers requests here: real payments would ' +
      'buy sandbox answers. Name a real upstream with SVC_UPSTREAM, or leave SVC_RPC_URLS_4663 out: deposits are then ' +
      'tried on chains of this machine, or on the test network with SVC_RPC_URLS_46630 and SVC_ALLOW_TESTNET.',
  ]
}

/** Coins of a test network are free, so credits for them buy sandbox answers alone. Source: decision 0105. */
function testnetProblems(environment: Environment, place: DepositPlace): readonly string[] {
  if (!environment.SVC_ALLOW_TESTNET) {
    if (environment.SVC_RPC_URLS_46630 === undefined) return []
    return ['SVC_RPC_URLS_46630 is set, but SVC_ALLOW_TESTNET is not: coins of a test network are worth nothing.']
  }
  const why = 'SVC_ALLOW_TESTNET gives credits for coins that are worth nothing.'
  if (place.isProduction) return [`${why} It is for a gateway that this machine alone can reach.`]
  return place.isSandbox ? [] : [`${why} It is for the sandbox alone: a real upstream is paid with real money.`]
}

function keyProblems({ SVC_DEPOSIT_XPUB: main, SVC_DEPOSIT_XPUB_TESTNET: test }: Environment): readonly string[] {
  if (main === undefined || main !== test) return []
  return ['SVC_DEPOSIT_XPUB and SVC_DEPOSIT_XPUB_TESTNET are the same. Give the two networks keys of their own.']
}

function chainProblems(chain: DepositChainConfig, environment: Environment): readonly string[] {
  const { chainId } = chain
  const problems: string[] = []
  const needed = chainId === 4663 ? 'SVC_DEPOSIT_XPUB' : 'SVC_DEPOSIT_XPUB_TESTNET'
  if (environment.SVC_DEPOSIT_MODE === 'address' && chain.xpub === null) {
    problems.push(`${needed} is missing: SVC_RPC_URLS_${chainId} is set, and every account needs an address there.`)
  }
  if (environment.SVC_DEPOSIT_MODE === 'treasury' && chain.treasury === null) {
    problems.push('SVC_DEPOSIT_TREASURY is missing: SVC_DEPOSIT_MODE is treasury.')
  }
  if (chain.token === null) {
    problems.push(`deposits.chains.${chainId}.token is missing: give the address of USDG on that network.`)
  }
  if (chain.ethFeed === null && chain.ethUsd === null) {
    problems.push(`deposits.chains.${chainId} needs eth_feed, or a fixed price in eth_usd.`)
  }
  if (chain.ethUsd !== null && chainId === 4663) {
    problems.push('deposits.chains.4663.eth_usd is set: real ETH is priced by its feed.')
  }
  return problems
}

function loneProviderNotice({ chainId }: DepositChainConfig): string {
  return (
    `SVC_RPC_URLS_${chainId} names one provider. With a second one, separated by a comma, deposits survive the loss ` +
    'of either, and large ones are compared; until then large ones wait for an operator.'
  )
}

function lonePriceNotice(
  { chainId }: DepositChainConfig,
  { secondPriceUsd }: Pick<DepositsConfig, 'secondPriceUsd'>,
): string {
  return (
    `deposits.chains.${chainId}.second_price is not set: nothing confirms the price of ETH. A price that leaps, and a ` +
    `deposit in ETH worth more than ${secondPriceUsd} USD, wait for an operator.`
  )
}
