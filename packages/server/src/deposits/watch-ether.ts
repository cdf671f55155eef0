import type { ChainId, Hex } from '../chain/assets.ts'
import type { ChainHead } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import { createId } from '../platform/runtime/ids.ts'
import { measureInflow } from './measure-inflow.ts'
import { recordBalance } from './record-payments.ts'
import type { Patience } from './patience.ts'
import type { SettleDeps } from './settle-deps.ts'
import { guarded, type GuardedDeps } from './settle-guarded.ts'
import { settleTransaction } from './settle-transaction.ts'

/** What is remembered of balances between rounds. */
export interface EtherWatch {
  /** The balance of each address at the last block at which all of it was explained. */
  readonly clean: Map<Hex, { readonly balance: bigint; readonly block: number }>
  /** For how many searches to their end an address has had more than its transactions explain. */
  readonly surplusRounds: Map<Hex, number>
  /** Up to which block the payments of an address were looked for, where one round did not come to the end. */
  readonly searched: Map<Hex, number>
  /** Where the next round begins among the addresses. */
  next: number
}

export interface EtherRound {
  readonly reader: ChainReader
  readonly ether: EtherWatch
  readonly view: ChainView
  readonly head: ChainHead
  readonly addresses: readonly Hex[]
  readonly patience: Patience
}

/** Addresses whose balances one round reads; more take turns. Source: decision 0029. */
const ADDRESSES_MAX = 2_000
/** Blocks that one round looks through for the payments behind a change of a balance; the next goes on from there. */
const BLOCKS_MAX = 20
/** How far back payments are looked for where nothing is remembered. */
const SEARCH_BLOCKS = 100_000
/** A surplus that no transaction explains becomes a deposit of its own after so many searches. */
const SURPLUS_ROUNDS = 3

/**
 * Finds payments in ETH, which leave no log: where a balance has grown, the blocks in which it grew are found by
 * halving the range, and their transactions go the way of a claim. What no transaction explains, because no provider
 * shows inner calls or old balances, is credited by the balance alone once it is final.
 */
export async function watchEther(deps: GuardedDeps, round: EtherRound, isOver: () => boolean): Promise<void> {
  const { ether, view, head, addresses, patience } = round
  const turn = turnOf(addresses, ether)
  const balances = await view.findBalances('ETH', turn, head.latest.number)
  for (const [at, address] of turn.entries()) {
    const balance = balances?.[at]
    if (balance == null || !patience.allows(address)) continue
    // The next round goes on from here.
    if (isOver()) return void (ether.next += at)
    const known = ether.clean.get(address)
    if (known?.balance === balance || (known === undefined && balance === 0n)) {
      ether.clean.set(address, { balance, block: head.latest.number })
      continue
    }
    const follow = deps.policy.treasuries === null ? explain : followTreasury
    const isDone = await guarded(deps, address, () => follow(deps, round, address, balance))
    if (isDone) patience.restore(address)
    else patience.lose(address)
  }
  ether.next += turn.length
}

/** As many as one round looks at, beginning where the last one came to. */
function turnOf(addresses: readonly Hex[], ether: EtherWatch): readonly Hex[] {
  if (addresses.length === 0) return []
  ether.next %= addresses.length
  return [...addresses.slice(ether.next), ...addresses.slice(0, ether.next)].slice(0, ADDRESSES_MAX)
}

async function explain(deps: SettleDeps, round: EtherRound, address: Hex, balance: bigint): Promise<void> {
  const { ether, head, reader } = round
  const { chainId } = reader
  const before = await findSurplus(deps, { chainId, address, balance, block: head.latest.number })
  // While a payment of ours is on its way the balance says nothing.
  if (before === null) return
  const settle = (): void => {
    ether.clean.set(address, { balance, block: head.latest.number })
    ether.surplusRounds.delete(address)
    ether.searched.delete(address)
  }
  if (before <= 0n) return settle()
  const known = ether.clean.get(address)?.block ?? (await findExplained(deps, chainId, address))
  const start = known ?? head.latest.number - SEARCH_BLOCKS
  const reached = await settleBetween(deps, round, address, Math.max(0, ether.searched.get(address) ?? start))
  const after = await findSurplus(deps, { chainId, address, balance, block: head.latest.number })
  if (after !== null && after <= 0n) return settle()
  // There are more blocks with payments than one round looks through: what is left may explain all of it.
  if (reached !== null) return void ether.searched.set(address, reached)
  ether.searched.delete(address)
  const rounds = (ether.surplusRounds.get(address) ?? 0) + 1
  ether.surplusRounds.set(address, rounds)
  if (rounds >= SURPLUS_ROUNDS) await recordSurplus(deps, round, address)
}

/**
 * The noted block up to which recorded deposits explain all that came; null where they do not: a claim may have noted a
 * block before which there are payments that were not seen yet.
 */
async function findExplained(deps: SettleDeps, chainId: ChainId, address: Hex): Promise<number | null> {
  const noted = await deps.inflows.find(chainId, address, 'ETH')
  if (noted === null) return null
  const recorded = await sumRecorded(deps, { chainId, address, block: noted.blockNumber })
  return recorded >= noted.amount ? noted.blockNumber : null
}

/** What the recorded deposits of an address amount to, up to a block. */
async function sumRecorded(
  deps: SettleDeps,
  { chainId, address, block }: { readonly chainId: ChainId; readonly address: Hex; readonly block: number },
): Promise<bigint> {
  const rows = await deps.deposits.listAmounts(chainId, address, 'ETH')
  return rows.filter((row) => row.blockNumber <= block).reduce((sum, { amount }) => sum + amount, 0n)
}

/** What an address has received beyond its recorded deposits; null while that is unknown. */
async function findSurplus(
  deps: SettleDeps,
  question: { readonly chainId: ChainId; readonly address: Hex; readonly balance: bigint; readonly block: number },
): Promise<bigint | null> {
  const { chainId, address, balance, block } = question
  const { settled, isMoving } = await deps.outflows.sumOf({ chainId, address, asset: 'ETH', block })
  if (isMoving) return null
  return balance + settled - (await sumRecorded(deps, question))
}

/**
 * Looks through the blocks in which the balance changed since a block, the oldest first.
 *
 * @returns the last of them where there are more; null when that was all.
 */
async function settleBetween(deps: SettleDeps, round: EtherRound, address: Hex, from: number): Promise<number | null> {
  const { view, head, reader } = round
  const { blocks, isAll } = await findChanges(view, address, { from, to: head.latest.number })
  for (const block of blocks) {
    for (const txHash of await view.findNativeTransactions(new Set([address]), block)) {
      await settleTransaction(deps, { chainId: reader.chainId, txHash, accountId: null })
    }
  }
  return isAll ? null : (blocks.at(-1) ?? null)
}

interface FoundChanges {
  /** The oldest first. */
  readonly blocks: readonly number[]
  /** Whether there are no more. */
  readonly isAll: boolean
}

/** The blocks in which a balance changed, by halving; none where the provider has dropped the states. */
async function findChanges(
  view: ChainView,
  address: Hex,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<FoundChanges> {
  const known = new Map<number, bigint | null>()
  const balanceAt = async (block: number): Promise<bigint | null> => {
    const before = known.get(block)
    if (before !== undefined) return before
    const found = (await view.findBalances('ETH', [address], block))?.[0] ?? null
    known.set(block, found)
    return found
  }
  const blocks: number[] = []
  const waiting = [{ low: from, high: to }]
  for (let range = waiting.pop(); range !== undefined; range = waiting.pop()) {
    const { low, high } = range
    if (low >= high) continue
    const [lower, higher] = [await balanceAt(low), await balanceAt(high)]
    if (lower === higher) continue
    // Of a dropped state nothing is known but that it is older: the newer half is what can still be searched.
    if (high - low === 1) {
      if (lower === null) continue
      if (blocks.length === BLOCKS_MAX) return { blocks, isAll: false }
      blocks.push(high)
      continue
    }
    const middle = low + Math.floor((high - low) / 2)
    waiting.push({ low: middle, high }, { low, high: middle })
  }
  return { blocks, isAll: true }
}

/** Records what came to an address in final blocks and no transaction explains. Source: decision 0029. */
async function recordSurplus(deps: SettleDeps, round: EtherRound, address: Hex): Promise<void> {
  const { view, head, reader, ether } = round
  const { chainId } = reader
  const block = head.finalized
  const inflow = await measureInflow(deps, { view, head }, { chainId, address, asset: 'ETH' })
  const accountId = (await deps.addresses.findOwners(chainId, [address])).get(address)
  if (inflow === null || inflow.isMoving || accountId === undefined) return
  const isRecorded = await recordBalance(deps, {
    depositId: createId(deps.clock.now()),
    ...{ accountId, chainId, txHash: block.hash, ordinal: `balance:${address}`, asset: 'ETH', address },
    ...{ sender: null, amount: inflow.amount },
    ...{ blockNumber: block.number, blockHash: block.hash, blockTime: block.time },
  })
  if (isRecorded) ether.surplusRounds.delete(address)
}

/** The treasury's owner moves coins as they like, so its balance alone says nothing; its changes are looked through. */
async function followTreasury(deps: SettleDeps, round: EtherRound, address: Hex, balance: bigint): Promise<void> {
  const { ether, head } = round
  const from = ether.searched.get(address) ?? ether.clean.get(address)?.block
  const reached = from === undefined ? null : await settleBetween(deps, round, address, from)
  if (reached !== null) return void ether.searched.set(address, reached)
  ether.searched.delete(address)
  ether.clean.set(address, { balance, block: head.latest.number })
}
