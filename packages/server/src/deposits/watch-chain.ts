import type { ChainId, Hex } from '../chain/assets.ts'
import type { BlockRef, ChainHead, FoundTransaction } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import { InvariantError } from '../errors/invariant-error.ts'
import type { DepositAddressStore } from './deposit-address-store.ts'
import { findWatchStart } from './find-watch-start.ts'
import { finishBalanceDeposit } from './finish-balance-deposit.ts'
import type { SettleDeps } from './settle-deps.ts'
import { settleTransaction } from './settle-transaction.ts'
import { watchEther, type EtherWatch } from './watch-ether.ts'
import type { WatchStore } from './watch-store.ts'
import { WatchedAddresses } from './watched-addresses.ts'

export interface WatchDeps extends SettleDeps {
  readonly addresses: DepositAddressStore
  readonly watch: WatchStore
  /** Blocks that one search for logs covers at most; what providers allow where absent. */
  readonly rangeBlocks?: number
  /** Told of a mistake about one transaction; the round goes on with the others. */
  readonly onMistake: (error: unknown, txHash: Hex) => void
  /** Told when the code behind the token has changed. */
  readonly onTokenChanged?: (chainId: ChainId, code: string, before: string) => void
}

/** What the watcher of one chain keeps between its rounds; nothing of it is needed after a restart. */
export interface ChainWatch {
  readonly reader: ChainReader
  readonly addresses: WatchedAddresses
  readonly ether: EtherWatch
  /** Transactions that were seen before they were final, so that each is looked at once. */
  readonly seen: Set<Hex>
  /** The code behind the token as the last round was told; null before the first. */
  tokenCode: string | null
  state: WatchState
}

/** What is known of a chain, for health and metrics. */
export interface WatchState {
  readonly latest: number
  readonly finalized: number
  /** Up to which final block everything was looked at. */
  readonly cursor: number
  /** When the last round ended well; 0 before the first. */
  readonly watchedAt: number
  readonly failuresInARow: number
}

/** Blocks that one search for logs covers at most: providers refuse more. Source: decision 0029. */
const RANGE_BLOCKS = 1_000
/** Searches that one round makes at most; the next goes on from there. */
const RANGES_MAX = 20
/** Blocks that are not final yet and are looked through, the newest ones. */
const PROVISIONAL_BLOCKS = 10_000
/** Where a final block is no longer what it was, so many blocks are looked through again. */
const REWIND_BLOCKS = 20_000
/** Transactions that are looked at side by side: each asks several things, one after the other. Source: own choice. */
const AT_ONCE = 4
/** Open deposits that one round looks at. */
const OPEN_MAX = 200
const SEEN_MAX = 50_000
const SCAN = 'token'

/** Prepares the watch of a chain. */
export function createChainWatch(deps: WatchDeps, reader: ChainReader): ChainWatch {
  return {
    reader,
    addresses: new WatchedAddresses(deps.addresses, reader.chainId),
    ether: { clean: new Map(), surplusRounds: new Map(), searched: new Map(), next: 0 },
    seen: new Set(),
    tokenCode: null,
    state: { latest: 0, finalized: 0, cursor: 0, watchedAt: 0, failuresInARow: 0 },
  }
}

/**
 * One round over a chain: what is final since the last one, what is about to come, deposits that are open, and balances
 * of ETH. Everything that it finds goes the way of a claim, so a round that was cut off anywhere is simply made again.
 *
 * @throws {ChainUnavailableError} when no provider can answer. What was done until then stays.
 */
export async function watchChain(deps: WatchDeps, watch: ChainWatch): Promise<void> {
  try {
    await watch.reader.ask((view) => watchBy(deps, watch, view))
  } catch (error) {
    watch.state = { ...watch.state, failuresInARow: watch.state.failuresInARow + 1 }
    throw error
  }
}

async function watchBy(deps: WatchDeps, watch: ChainWatch, view: ChainView): Promise<void> {
  const { chainId } = watch.reader
  // The head comes first: an address that is paid in a block up to it was made before, and so is in the list.
  const head = await view.readHead()
  const addresses = await watchedOf(deps, watch, chainId)
  const cursor = await scanFinal(deps, { watch, view, head, addresses })
  await scanProvisional(deps, { watch, view, head, addresses })
  await followOpen(deps, { watch, view, head, addresses })
  await watchEther(deps, { ...watch, view, head, addresses })
  await checkToken(deps, watch, view)
  const { latest, finalized } = head
  watch.state = {
    latest: latest.number,
    finalized: finalized.number,
    cursor,
    watchedAt: deps.clock.now(),
    failuresInARow: 0,
  }
}

interface Round {
  readonly watch: ChainWatch
  readonly view: ChainView
  readonly head: ChainHead
  readonly addresses: readonly Hex[]
}

async function watchedOf(deps: WatchDeps, watch: ChainWatch, chainId: ChainId): Promise<readonly Hex[]> {
  const treasury = deps.policy.treasuries?.get(chainId)
  return treasury === undefined ? watch.addresses.refresh(deps.clock.now()) : [treasury]
}

/** Looks through the final blocks after the cursor, and moves it after each range. */
async function scanFinal(deps: WatchDeps, { watch, view, head, addresses }: Round): Promise<number> {
  const { chainId } = watch.reader
  let cursor = await startOf(deps, { view, head, chainId })
  for (let range = 0; range < RANGES_MAX && cursor < head.finalized.number; range++) {
    const to = Math.min(cursor + (deps.rangeBlocks ?? RANGE_BLOCKS), head.finalized.number)
    const found = addresses.length === 0 ? [] : await view.findTokenTransactions(addresses, cursor + 1, to)
    await settleInOrder(deps, { view, chainId, cursor }, found)
    const block = to === head.finalized.number ? head.finalized : await view.findBlock(to)
    // A provider that has lost a block which it called final is not believed further.
    if (block === null) break
    cursor = to
    await save(deps, chainId, block)
  }
  return cursor
}

/**
 * Looks at what a range holds. The cursor follows on the way: a process that never lives as long as a full range takes
 * would begin it anew for ever.
 */
async function settleInOrder(
  deps: WatchDeps,
  { view, chainId, cursor }: { readonly view: ChainView; readonly chainId: ChainId; readonly cursor: number },
  found: readonly FoundTransaction[],
): Promise<void> {
  let saved = cursor
  for (let start = 0; start < found.length; start += AT_ONCE) {
    // Everything below the first block of what is left has been looked at.
    const done = (found[start]?.blockNumber ?? 0) - 1
    if (start > 0 && done > saved) {
      const block = await view.findBlock(done)
      if (block === null) return
      await save(deps, chainId, block)
      saved = done
    }
    const group = found.slice(start, start + AT_ONCE)
    await together(group.map(({ txHash }) => settleFound(deps, chainId, txHash)))
  }
}

/** Waits for all, also where one fails: nothing goes on behind the back of a round that has ended. */
async function together(works: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((work) => work.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** The block after which to go on: the cursor, further back if the chain has changed under it. */
async function startOf(
  deps: WatchDeps,
  { view, head, chainId }: { readonly view: ChainView; readonly head: ChainHead; readonly chainId: ChainId },
): Promise<number> {
  const known = await deps.watch.findCursor(chainId, SCAN)
  if (known === null) return findWatchStart(deps, { chainId, view, finalized: head.finalized })
  const block = await view.findBlock(known.blockNumber)
  if (block?.hash === known.blockHash) return known.blockNumber
  return Math.max(0, Math.min(known.blockNumber, head.finalized.number) - REWIND_BLOCKS)
}

function save(deps: WatchDeps, chainId: ChainId, block: BlockRef): Promise<void> {
  const cursor = { blockNumber: block.number, blockHash: block.hash }
  return deps.watch.saveCursor(chainId, SCAN, cursor, deps.clock.now())
}

/** Shows payments before they are final. What leaves the chain again is found by `followOpen`. */
async function scanProvisional(deps: WatchDeps, { watch, view, head, addresses }: Round): Promise<void> {
  const { seen, reader } = watch
  const { chainId } = reader
  const first = Math.max(head.finalized.number + 1, head.latest.number - PROVISIONAL_BLOCKS)
  if (addresses.length === 0) return
  if (seen.size > SEEN_MAX) seen.clear()
  for (let from = first; from <= head.latest.number; from += RANGE_BLOCKS) {
    const to = Math.min(from + RANGE_BLOCKS - 1, head.latest.number)
    const found = await view.findTokenTransactions(addresses, from, to)
    const fresh = found.filter(({ txHash }) => !seen.has(txHash))
    for (let start = 0; start < fresh.length; start += AT_ONCE) {
      const group = fresh.slice(start, start + AT_ONCE)
      await together(group.map(({ txHash }) => settleFound(deps, chainId, txHash)))
      for (const { txHash } of group) seen.add(txHash)
    }
  }
}

/** Looks again at deposits that wait for something. */
async function followOpen(deps: WatchDeps, { watch, view, head }: Round): Promise<void> {
  const { chainId } = watch.reader
  const question = { finalized: head.finalized.number, now: deps.clock.now(), limit: OPEN_MAX }
  const open = await deps.deposits.listDue(chainId, question)
  for (const deposit of open.filter(({ ordinal }) => ordinal.startsWith('balance:'))) {
    await finishBalanceDeposit(deps, { reader: watch.reader, view, head }, deposit)
  }
  const others = open.filter(({ ordinal }) => !ordinal.startsWith('balance:'))
  const hashes = [...new Set(others.map(({ txHash }) => txHash))]
  for (let start = 0; start < hashes.length; start += AT_ONCE) {
    await together(hashes.slice(start, start + AT_ONCE).map((txHash) => settleGuarded(deps, chainId, txHash)))
  }
}

/**
 * Looks at a transaction that a provider has just shown.
 *
 * @throws {ChainUnavailableError} when it cannot be looked at now: then the scan must not go on without it.
 */
async function settleFound(deps: WatchDeps, chainId: ChainId, txHash: Hex): Promise<void> {
  const kind = await settleGuarded(deps, chainId, txHash)
  if (kind === 'unavailable' || kind === 'unknown' || kind === 'unmined' || kind === 'displaced') {
    throw new ChainUnavailableError(`a transaction of chain ${chainId} was shown and cannot be read`)
  }
}

/** A mistake about one transaction, of whatever kind, must not keep the deposits of all others waiting. */
async function settleGuarded(deps: WatchDeps, chainId: ChainId, txHash: Hex): Promise<string> {
  try {
    return (await settleTransaction(deps, { chainId, txHash, accountId: null })).kind
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error
    deps.onMistake(error, txHash)
    return 'mistaken'
  }
}

/**
 * Notes the code behind the token's proxy, and tells when it has changed: then somebody should look. What two rounds in
 * a row were told counts, so that one wrong answer wakes nobody.
 */
async function checkToken(deps: WatchDeps, watch: ChainWatch, view: ChainView): Promise<void> {
  const { chainId } = watch.reader
  const [last, code] = [watch.tokenCode, (await view.findTokenCode()) ?? 'none']
  watch.tokenCode = code
  if (code !== last) return
  const before = await deps.watch.noteFact(chainId, 'token_code', code, deps.clock.now())
  if (before !== null && before !== code) deps.onTokenChanged?.(chainId, code, before)
}
