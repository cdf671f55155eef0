import type { SystemClock } from '../platform/runtime/clock.ts'
import type { Hex } from './assets.ts'
import type { BlockRef, ChainHead, ChainTransfer, Finality, FoundTransaction, TransactionFacts } from './chain-facts.ts'
import type { ChainView } from './chain-reader.ts'
import type { ChainRules } from './chain-rules.ts'
import { ChainUnavailableError, RpcRefusalError } from './chain-unavailable.ts'
import { findBalances } from './find-balances.ts'
import { findEarlierPrices, findPriceAt } from './find-price.ts'
import { findSecondPrice } from './find-second-price.ts'
import type { JsonRpc } from './json-rpc.ts'
import {
  blockForm,
  bytesForm,
  fullBlockForm,
  logsForm,
  parseAnswer,
  quantityForm,
  receiptForm,
  transactionForm,
} from './rpc-forms.ts'
import { isSignedByContract } from './verify-signature.ts'
import { Traces, type TraceWish } from './traces.ts'
import { readTokenTransfers, topicOf, TRANSFER_TOPIC } from './transfer-log.ts'

/** Addresses that one search for logs names at most. */
const TOPIC_ADDRESSES = 500
/** Transactions of one block that are traced at most, when a payment by an inner call is looked for. */
const TRACED_MAX = 300
/** Traces that are asked for side by side. Source: own choice. */
const TRACES_AT_ONCE = 4
/** Where an upgradeable proxy keeps its code's address. Source: ERC-1967. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

/** Shows a chain as one provider reports it. */
export function openChainView(rpc: JsonRpc, rules: ChainRules, clock: SystemClock): ChainView {
  const deps: ViewDeps = { rpc, rules, clock, traces: new Traces(rpc, clock) }
  return {
    name: rpc.name,
    readHead: () => readHead(deps),
    readTransaction: (txHash, head, wish) => readTransaction(deps, { txHash, wish }, head),
    findPrice: (asset, block, head) => findPriceAt(rpc, rules, { asset, block, head }),
    findSecondPrice: (block, head) => findSecondPrice(rpc, rules, { block, head }),
    findEarlierPrices: (round, head) => findEarlierPrices(rpc, rules, { round, head }),
    findBalances: (asset, addresses, block) => findBalances(rpc, rules, { asset, addresses, block }),
    findTokenTransactions: (addresses, from, to) => findTokenTransactions(deps, addresses, from, to),
    findNativeTransactions: (addresses, block) => findNativeTransactions(deps, addresses, block),
    findBlock: async (number) => {
      const block = await readBlockAt(rpc, number)
      return block === null ? null : refOf(block)
    },
    isSignedByContract: (signed) => isSignedByContract(rpc, signed),
    findTokenCode: async () => {
      const word = parseAnswer(
        bytesForm,
        await rpc.request('eth_getStorageAt', [rules.token, IMPLEMENTATION_SLOT, 'latest']),
        'storage word',
      )
      const address: Hex = `0x${word.slice(2).padStart(40, '0').slice(-40)}`
      return BigInt(address) === 0n ? null : address
    },
  }
}

interface ViewDeps {
  readonly rpc: JsonRpc
  readonly rules: ChainRules
  readonly clock: SystemClock
  readonly traces: Traces
}

async function readBlock(rpc: JsonRpc, block: string) {
  return parseAnswer(blockForm, await rpc.request('eth_getBlockByNumber', [block, false]), 'block')
}

/** A block by its number. */
async function readBlockAt(rpc: JsonRpc, number: number) {
  return askedFor(rpc, number, await readBlock(rpc, hexOf(number)))
}

/** @throws {ChainUnavailableError} for another block: it would move a watch past blocks that were not read. */
function askedFor<Block extends { readonly number: number }>(rpc: JsonRpc, number: number, block: Block | null) {
  if (block === null || block.number === number) return block
  throw new ChainUnavailableError(`${rpc.name} returned block ${block.number} where block ${number} was asked for`)
}

function refOf(block: { readonly number: number; readonly hash: Hex; readonly timestamp: number }): BlockRef {
  return { number: block.number, hash: block.hash, time: block.timestamp * 1_000 }
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`
}

async function readHead({ rpc, rules, clock }: ViewDeps): Promise<ChainHead> {
  const [chainId, finalized, safe, latest] = await Promise.all([
    rpc.request('eth_chainId', []),
    readBlock(rpc, 'finalized'),
    readBlock(rpc, 'safe').catch(nullOfRefusal),
    readBlock(rpc, 'latest'),
  ])
  if (parseAnswer(quantityForm, chainId, 'chain id') !== BigInt(rules.chainId)) {
    throw new ChainUnavailableError(`${rpc.name} is a provider of another chain than ${rules.chainId}`, 60)
  }
  if (finalized === null || latest === null) throw new ChainUnavailableError(`${rpc.name} has no final block`)
  if (finalized.number > latest.number) throw new ChainUnavailableError(`${rpc.name} contradicts itself`)
  const now = clock.now()
  if (now - latest.timestamp * 1_000 > rules.headAgeMaxMs) {
    throw new ChainUnavailableError(`the newest block of ${rpc.name} is old`)
  }
  if (now - finalized.timestamp * 1_000 > rules.finalityAgeMaxMs) {
    throw new ChainUnavailableError(`the last final block of ${rpc.name} is old`, 60)
  }
  return { latest: refOf(latest), safe: safe === null ? null : refOf(safe), finalized: refOf(finalized) }
}

function nullOfRefusal(error: unknown): null {
  if (error instanceof RpcRefusalError) return null
  throw error
}

async function readTransaction(
  deps: ViewDeps,
  { txHash, wish }: { readonly txHash: Hex; readonly wish: TraceWish },
  head: ChainHead,
): Promise<TransactionFacts> {
  const { rpc, rules, traces } = deps
  const [transactionAnswer, receiptAnswer] = await Promise.all([
    rpc.request('eth_getTransactionByHash', [txHash]),
    rpc.request('eth_getTransactionReceipt', [txHash]),
  ])
  const transaction = parseAnswer(transactionForm, transactionAnswer, 'transaction')
  const receipt = parseAnswer(receiptForm, receiptAnswer, 'receipt')
  if (transaction === null) return { kind: 'unknown' }
  if (transaction.hash !== txHash) throw contradiction(rpc)
  if (receipt === null || transaction.blockHash == null) return { kind: 'unmined' }
  if (receipt.transactionHash !== txHash || receipt.blockHash !== transaction.blockHash) throw contradiction(rpc)

  // The block that is at that height now decides, not the one that the receipt names.
  const block = await readBlockAt(rpc, receipt.blockNumber)
  if (block === null || block.hash !== receipt.blockHash) return { kind: 'displaced' }
  if (!block.transactions.includes(txHash)) throw contradiction(rpc)
  const place = { block: refOf(block), finality: finalityOf(block.number, head) }
  if (receipt.status !== 1) return { kind: 'reverted', ...place }

  for (const log of receipt.logs) {
    if (log.removed === true || log.transactionHash !== txHash || log.blockHash !== block.hash) throw contradiction(rpc)
  }
  const tokens = readTokenTransfers(rules.token, receipt.logs)
  const traced = await traces.find(txHash, wish)
  const transfers = [...tokens.transfers, ...ownValue(transaction), ...(traced ?? [])]
  return { kind: 'mined', ...place, transfers, foreign: tokens.foreign, isTraced: traced !== null }
}

function contradiction(rpc: JsonRpc): ChainUnavailableError {
  return new ChainUnavailableError(`${rpc.name} contradicts itself about a transaction`)
}

function finalityOf(block: number, { safe, finalized }: ChainHead): Finality {
  if (block <= finalized.number) return 'finalized'
  return safe !== null && block <= safe.number ? 'safe' : 'latest'
}

/** A transaction of the chain's own bookkeeping moves nothing. Source: the transaction types of Arbitrum chains. */
const BOOKKEEPING_TYPE = 0x6a

function ownValue(transaction: NonNullable<ReturnType<typeof transactionForm.parse>>): readonly ChainTransfer[] {
  const { from, to, value, type } = transaction
  if (to == null || value === 0n || from === to || type === BOOKKEEPING_TYPE) return []
  return [{ asset: 'ETH', ordinal: 'tx', from, to, amount: value }]
}

async function findTokenTransactions(
  { rpc, rules }: ViewDeps,
  addresses: readonly Hex[],
  from: number,
  to: number,
): Promise<readonly FoundTransaction[]> {
  const found = new Map<Hex, number>()
  for (let start = 0; start < addresses.length; start += TOPIC_ADDRESSES) {
    const topics = addresses.slice(start, start + TOPIC_ADDRESSES).map(topicOf)
    const answer = await rpc.request('eth_getLogs', [
      {
        address: rules.token,
        fromBlock: hexOf(from),
        toBlock: hexOf(to),
        topics: [TRANSFER_TOPIC, null, topics],
      },
    ])
    for (const log of parseAnswer(logsForm, answer, 'log')) found.set(log.transactionHash, log.blockNumber)
  }
  return [...found]
    .map(([txHash, blockNumber]) => ({ txHash, blockNumber }))
    .toSorted((one, other) => one.blockNumber - other.blockNumber)
}

/**
 * Those that may pay by an inner call are traced some at a time; one that cannot be traced costs the others nothing.
 */
async function findNativeTransactions(
  { rpc, traces }: ViewDeps,
  addresses: ReadonlySet<Hex>,
  number: number,
): Promise<readonly Hex[]> {
  const answer = await rpc.request('eth_getBlockByNumber', [hexOf(number), true])
  const block = askedFor(rpc, number, parseAnswer(fullBlockForm, answer, 'block'))
  const all = block?.transactions ?? []
  const isPlain = ({ to, value }: (typeof all)[number]): boolean => to !== null && value > 0n && addresses.has(to)
  const traced = all.slice(0, TRACED_MAX).filter((transaction) => !isPlain(transaction))
  const inner = new Set<Hex>()
  for (let start = 0; start < traced.length; start += TRACES_AT_ONCE) {
    const group = traced.slice(start, start + TRACES_AT_ONCE)
    const found = await Promise.all(group.map(({ hash }) => traces.find(hash, 'unless_resting')))
    for (const [at, transfers] of found.entries()) {
      const hash = group[at]?.hash
      if (hash !== undefined && transfers?.some(({ to }) => addresses.has(to)) === true) inner.add(hash)
    }
  }
  return all.filter((transaction) => isPlain(transaction) || inner.has(transaction.hash)).map(({ hash }) => hash)
}
