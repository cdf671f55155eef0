import type { ChainId } from '../chain/assets.ts'
import type { BlockRef, ChainHead, FoundTransaction } from '../chain/chain-facts.ts'
import type { ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError, RpcRefusalError } from '../chain/chain-unavailable.ts'
import { findWatchStart } from './find-watch-start.ts'
import type { Scan, WatchDeps } from './chain-watch.ts'
import { newAsideCount, setAside, settleFound, type AsideCount } from './set-aside.ts'
import { AT_ONCE } from './settle-guarded.ts'

/** Blocks that one search for logs covers at most: providers refuse more. Source: decision 0029. */
export const RANGE_BLOCKS = 1_000
/** Searches that one round makes at most; the next goes on from there. */
const RANGES_MAX = 20
/** Where a final block is no longer what it was, so many blocks are looked through again. */
const REWIND_BLOCKS = 20_000
/** Blocks of one range that may be sick by themselves. Source: decision 0092. */
const SICK_BLOCKS_MAX = 3
const SCAN = 'token'

/**
 * Looks through the final blocks after the cursor, and moves it after each range. What cannot be read by itself is put
 * aside; what no provider can answer keeps the cursor where it is.
 *
 * @returns up to which block everything was looked at.
 */
export async function scanFinal(deps: WatchDeps, scan: Scan, isOver: () => boolean): Promise<number> {
  const { watch, view, head, addresses } = scan
  const { chainId } = watch.reader
  const count = newAsideCount()
  let cursor = await startOf(deps, { view, head, chainId })
  for (let range = 0; range < RANGES_MAX && cursor < head.finalized.number && !isOver(); range++) {
    const to = Math.min(cursor + (deps.rangeBlocks ?? RANGE_BLOCKS), head.finalized.number)
    const found = addresses.length === 0 ? [] : await search(deps, scan, { from: cursor + 1, to, count, isOver })
    const isDone = await settleInOrder(deps, { view, chainId, cursor, count, isOver }, found)
    if (!isDone) break
    const block = to === head.finalized.number ? head.finalized : await view.findBlock(to)
    // A provider that has lost a block which it called final is not believed further.
    if (block === null) break
    cursor = to
    await save(deps, chainId, block)
  }
  return cursor
}

/** What a search has found, and the blocks for which the provider gives nothing. */
interface Findings {
  readonly found: FoundTransaction[]
  readonly sick: { readonly block: number; readonly problem: string }[]
}

/** Searches a range; where the provider cannot answer for all of it, in halves, down to the blocks that are sick. */
async function search(
  deps: WatchDeps,
  scan: Scan,
  { from, to, count, isOver }: { from: number; to: number; count: AsideCount; isOver: () => boolean },
): Promise<readonly FoundTransaction[]> {
  const findings: Findings = { found: [], sick: [] }
  await searchInto(findings, scan, { from, to, isOver })
  const { view, watch } = scan
  const { chainId } = watch.reader
  for (const { block, problem } of findings.sick) {
    await setAside(deps, { view, chainId, count }, { kind: 'block', blockNumber: block }, problem)
  }
  return findings.found
}

async function searchInto(
  findings: Findings,
  { view, addresses, ...scan }: Scan,
  { from, to, isOver }: { readonly from: number; readonly to: number; readonly isOver: () => boolean },
): Promise<void> {
  try {
    findings.found.push(...(await view.findTokenTransactions(addresses, from, to)))
  } catch (error) {
    if (!(error instanceof ChainUnavailableError) && !(error instanceof RpcRefusalError)) throw error
    // What fails for several blocks, or while nothing else is answered, is the provider's trouble and not a block's.
    if (isOver() || (from === to && findings.sick.length >= SICK_BLOCKS_MAX)) throw error
    await view.readHead()
    if (from === to) return void findings.sick.push({ block: from, problem: error.message })
    const middle = from + Math.floor((to - from) / 2)
    await searchInto(findings, { view, addresses, ...scan }, { from, to: middle, isOver })
    await searchInto(findings, { view, addresses, ...scan }, { from: middle + 1, to, isOver })
  }
}

interface Settling {
  readonly view: ChainView
  readonly chainId: ChainId
  readonly cursor: number
  readonly count: AsideCount
  readonly isOver: () => boolean
}

/**
 * Looks at what a range holds. The cursor follows on the way: a process that never lives as long as a full range takes
 * would begin it anew for ever.
 *
 * @returns false where the round was over before all was looked at.
 */
async function settleInOrder(
  deps: WatchDeps,
  settling: Settling,
  found: readonly FoundTransaction[],
): Promise<boolean> {
  const { view, chainId, cursor, isOver } = settling
  let saved = cursor
  for (let start = 0; start < found.length; start += AT_ONCE) {
    // Everything below the first block of what is left has been looked at.
    const done = (found[start]?.blockNumber ?? 0) - 1
    if (start > 0 && done > saved) {
      const block = await view.findBlock(done)
      if (block === null) return false
      await save(deps, chainId, block)
      saved = done
    }
    if (start > 0 && isOver()) return false
    await settleFound(deps, settling, found.slice(start, start + AT_ONCE))
  }
  return true
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
