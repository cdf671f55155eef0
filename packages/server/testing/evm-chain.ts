/**
 * A real EVM chain for tests: a node of its own, with the contracts that deposits meet, placed where the product pins
 * them.
 */
import { fileURLToPath } from 'node:url'
import { compileContracts, type CompiledContracts, findAnvil, LOCAL_CONTRACTS, startAnvil } from '@svc/sandbox'
import { createTestClient, encodeFunctionData, http, publicActions, walletActions, type Abi, type Account } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import type { ChainId, Hex } from '../src/chain/assets.ts'
import type { ChainRules } from '../src/chain/chain-rules.ts'

/** Where the product finds them on the main network. */
export const TOKEN: Hex = '0x5fc5360d0400a0fd4f2af552add042d716f1d168'
export const ETH_FEED: Hex = '0x78f3556b67e17df817d51ef5a990cdaf09e8d3a9'
export const TOKEN_FEED: Hex = '0x61b7e5650328764b076a108eff5fa7282a1b9ad2'
export const MULTICALL: Hex = '0xca11bde05977b3631167028862be2a173976ca11'

/** The words from which the funded accounts of every local chain follow. They are public: nothing of value is there. */
export const PUBLIC_MNEMONIC = 'test test test test test test test test test test test junk'

/** Price of one ETH when a chain begins, in 10⁻⁸ USD. */
export const ETH_PRICE = 2_500_00000000n

/** USD amounts of the token in its smallest units. */
export const usdg = (amount: number): bigint => BigInt(Math.round(amount * 1_000_000))

/** How long a call of a test's own may take, in milliseconds: a node on a busy machine is slow, and not gone. */
const CALL_MAX_MS = 300_000

const TEST_CONTRACTS = new URL('contracts/', import.meta.url)
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/svc/', import.meta.url))

/** Whether the node's program is installed; in CI it must be. */
export function hasEvm(): boolean {
  const isThere = findAnvil() !== null
  if (!isThere && process.env['CI'] === 'true') throw new Error('@foundry-rs/anvil is not installed')
  return isThere
}

export type EvmChain = Awaited<ReturnType<typeof startEvmChain>>

/** Starts a chain with USDG, its price feeds and a reader of balances. Accounts 0 to 9 hold 10,000 ETH each. */
export async function startEvmChain(chainId: ChainId = 4663) {
  const program = findAnvil()
  if (program === null) throw new Error('this test needs @foundry-rs/anvil: ask with hasEvm first')
  const [anvil, contracts] = await Promise.all([
    startAnvil({ program, chainId }),
    compileContracts([LOCAL_CONTRACTS, TEST_CONTRACTS], CACHE),
  ])
  const chain = {
    id: chainId,
    name: 'test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [anvil.url] } },
  }
  const client = createTestClient({
    mode: 'anvil',
    chain,
    // Nothing is repeated by itself: a transaction that was sent late and twice would be refused as known.
    transport: http(anvil.url, { timeout: CALL_MAX_MS, retryCount: 0 }),
    pollingInterval: 5,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
  const accounts = Array.from({ length: 10 }, (_, at) => mnemonicToAccount(PUBLIC_MNEMONIC, { addressIndex: at }))
  const actions = createActions({ client, contracts, accounts })
  await actions.place('Usdg', TOKEN)
  await actions.place('PriceFeed', ETH_FEED)
  await actions.place('PriceFeed', TOKEN_FEED)
  await actions.place('BalanceReader', MULTICALL)
  await actions.write('PriceFeed.setDescription', ETH_FEED, ['ETH / USD'])
  await actions.write('PriceFeed.setDescription', TOKEN_FEED, ['USDG / USD'])
  const began = (await client.getBlock()).timestamp - 60n
  await actions.write('PriceFeed.push', ETH_FEED, [ETH_PRICE, began])
  await actions.write('PriceFeed.push', TOKEN_FEED, [100_000_000n, began])
  return {
    ...{ chainId, url: anvil.url, client, contracts, accounts },
    ...actions,
    rules: rulesOf(chainId),
    process: anvil.process,
    stop: () => anvil.stop(),
  }
}

function rulesOf(chainId: ChainId): ChainRules {
  return {
    chainId,
    token: TOKEN,
    ethFeed: ETH_FEED,
    tokenFeed: TOKEN_FEED,
    fixedEthUsd: null,
    secondPrice: null,
    multicall: MULTICALL,
    // A test moves the chain's time, and makes blocks only when it wants to.
    headAgeMaxMs: 3_600_000,
    finalityAgeMaxMs: 3_600_000,
  }
}

type Client = ReturnType<typeof createTestClient> & ReturnType<typeof publicActions> & ReturnType<typeof walletActions>

/** Such as `Usdg.transfer`. */
type ContractFunction = `${string}.${string}`

interface Parts {
  readonly client: Client
  readonly contracts: CompiledContracts
  readonly accounts: readonly Account[]
}

function createActions({ client, contracts, accounts }: Parts) {
  const [banker] = accounts
  if (banker === undefined) throw new Error('a chain has accounts')
  const contract = (name: string) => {
    const found = contracts[name]
    if (found === undefined) throw new Error(`there is no contract ${name}`)
    return found
  }
  /** Sends a transaction and mines it; a failed one is mined all the same. */
  const send = async (request: { to?: Hex; value?: bigint; data?: Hex; from?: Account }): Promise<Hex> => {
    const { from = banker, ...rest } = request
    const hash = await client.sendTransaction({ account: from, chain: null, gas: 3_000_000n, ...rest })
    await client.waitForTransactionReceipt({ hash, timeout: CALL_MAX_MS })
    return hash
  }
  /** Calls `Contract.function` at an address. */
  const write = async (
    name: ContractFunction,
    address: Hex,
    args: readonly unknown[] = [],
    options: { readonly value?: bigint; readonly from?: Account } = {},
  ): Promise<Hex> => {
    const [contractName = '', functionName = ''] = name.split('.')
    const data = encodeFunctionData({ abi: contract(contractName).abi as Abi, functionName, args })
    return send({ to: address, data, ...options })
  }
  return {
    send,
    write,
    /** Puts a contract's code at an address. */
    place: (name: string, address: Hex) => client.setCode({ address, bytecode: contract(name).deployedBytecode }),
    /** Deploys a contract and returns its address, in lower case. */
    async deploy(name: string, args: readonly unknown[] = []): Promise<Hex> {
      const { abi, bytecode } = contract(name)
      const hash = await client.deployContract({ abi: abi as Abi, bytecode, args, account: banker, chain: null })
      const { contractAddress } = await client.waitForTransactionReceipt({ hash, timeout: CALL_MAX_MS })
      return (contractAddress ?? '0x').toLowerCase() as Hex
    },
    /** Asks `Contract.function` at an address. */
    read(name: ContractFunction, address: Hex, args: readonly unknown[] = []): Promise<unknown> {
      const [contractName = '', functionName = ''] = name.split('.')
      return client.readContract({ abi: contract(contractName).abi as Abi, address, functionName, args })
    },
    /** Mints the token to an address. */
    mint: (to: Hex, amount: bigint) => write('Usdg.mint', TOKEN, [to, amount]),
    /** Transfers the token from a funded account, which is given it first. */
    async payToken(to: Hex, amount: bigint, from: Account = banker): Promise<Hex> {
      await write('Usdg.mint', TOKEN, [from.address, amount])
      return write('Usdg.transfer', TOKEN, [to, amount], { from })
    },
    payEther: (to: Hex, value: bigint, from: Account = banker) => send({ to, value, from }),
    /** Adds a round to a feed, as of now unless a time in seconds is given. */
    async pushPrice(feed: Hex, answer: bigint, seconds?: bigint): Promise<void> {
      const at = seconds ?? (await client.getBlock()).timestamp
      await write('PriceFeed.push', feed, [answer, at])
    },
    /** Makes blocks until everything mined so far is final. */
    finalise: () => client.mine({ blocks: 3 }),
    /** Drops the newest blocks; empty ones take their place. */
    reorganise: (depth: number) => client.request({ method: 'anvil_reorg' as never, params: [depth, []] as never }),
    /** The chain's own time, in milliseconds. */
    now: async () => Number((await client.getBlock()).timestamp) * 1_000,
  }
}
