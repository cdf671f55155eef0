import { type Dispatcher, fetch } from 'undici'
import type { ChainId, Hex } from '../../chain/assets.ts'
import { type FindProxy, openDispatcher } from '../../platform/outbound/open-dispatcher.ts'
import type { SweepBlock, SweepChain, SweepReceipt } from './sweep-chain.ts'

/** Time for one answer, in milliseconds, and questions in a row at most. */
const TIMEOUT_MS = 15_000
const RETRIES = 2
/** Questions that one request carries at most. */
const BATCH_MAX = 50
/** Of a connection, in milliseconds. */
const LIMITS = { connectMs: TIMEOUT_MS, headersMs: TIMEOUT_MS, bodyMs: TIMEOUT_MS }

/** A gas price that has doubled meanwhile is still paid: a transaction must not wait for a quiet hour. */
const GAS_PRICE_MARGIN = 2n

const tokenAbi = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
  {
    type: 'function',
    name: 'authorizationState',
    stateMutability: 'view',
    inputs: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
    outputs: [{ type: 'bool' }],
  },
  {
    type: 'function',
    name: 'DOMAIN_SEPARATOR',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ type: 'bytes32' }],
  },
] as const

/**
 * Opens a chain by the first provider that answers.
 *
 * @throws {Error} when no provider is one of this chain.
 */
export async function openSweepChain(options: {
  readonly chainId: ChainId
  readonly token: Hex
  readonly rpcUrls: readonly string[]
  readonly findProxy: FindProxy
}): Promise<SweepChain> {
  const { createPublicClient, fallback, http } = await import('viem')
  const { chainId, token, rpcUrls, findProxy } = options
  const transports = rpcUrls.map((url) =>
    http(url, {
      ...{ timeout: TIMEOUT_MS, retryCount: RETRIES, batch: { batchSize: BATCH_MAX } },
      fetchFn: fetchThrough(openDispatcher(new URL(url), findProxy, LIMITS)),
    }),
  )
  const client = createPublicClient({ transport: fallback(transports), cacheTime: 0 })
  const found = await client.getChainId()
  if (found !== chainId) throw new Error(`The provider of chain ${chainId} answers for chain ${found}.`)
  const at = (block: SweepBlock | 'latest' | 'pending') =>
    typeof block === 'string' ? { blockTag: block } : { blockNumber: BigInt(block.number) }
  return {
    ...{ chainId, token },
    async readFinalized() {
      const block = await client.getBlock({ blockTag: 'finalized' })
      return { number: Number(block.number), hash: block.hash, time: Number(block.timestamp) }
    },
    async readBalances(address, block) {
      const call = { address: token, abi: tokenAbi, functionName: 'balanceOf', args: [address] } as const
      const [tokens, wei] = await Promise.all([
        client.readContract({ ...call, ...at(block) }),
        client.getBalance({ address, ...at(block) }),
      ])
      return { USDG: tokens, ETH: wei }
    },
    readNonce: (address, block) => client.getTransactionCount({ address, ...at(block) }),
    isAuthorizationUsed: (authorizer, nonce, block) =>
      client.readContract({
        ...{ address: token, abi: tokenAbi, functionName: 'authorizationState', args: [authorizer, nonce] },
        ...at(block),
      }),
    readDomainSeparator: () => client.readContract({ address: token, abi: tokenAbi, functionName: 'DOMAIN_SEPARATOR' }),
    async findReceipt(hash): Promise<SweepReceipt | null> {
      const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
      if (receipt === null) return null
      return {
        blockNumber: Number(receipt.blockNumber),
        blockHash: receipt.blockHash,
        isSuccess: receipt.status === '0x1',
        fee: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice),
      }
    },
    readGasPrice: async () => (await client.getGasPrice()) * GAS_PRICE_MARGIN,
    async broadcast(signed) {
      try {
        await client.sendRawTransaction({ serializedTransaction: signed })
      } catch (error) {
        // Providers say so in many words; the receipt decides what became of it.
        if (!/already known|already imported|nonce too low|known transaction/i.test(String(error))) throw error
      }
    },
  }
}

/** The platform's own `fetch` takes no connections of ours. */
function fetchThrough(dispatcher: Dispatcher): typeof globalThis.fetch {
  const through: unknown = (url: string, init: object) => fetch(url, { ...init, dispatcher })
  return through as typeof globalThis.fetch
}
