import type { ChainId, Hex } from '../chain/assets.ts'
import type { ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError, RpcRefusalError } from '../chain/chain-unavailable.ts'
import type { ChainWatch, Scan, WatchDeps } from './chain-watch.ts'
import type { Deposit } from './deposit.ts'
import { finishBalanceDeposit } from './finish-balance-deposit.ts'
import { RANGE_BLOCKS, scanFinal } from './scan-final.ts'
import { retryAside } from './set-aside.ts'
import { AT_ONCE, guarded, isRead, settleTogether } from './settle-guarded.ts'
import { watchEther } from './watch-ether.ts'

/** Blocks that are not final yet and are looked through, the newest ones. */
const PROVISIONAL_BLOCKS = 10_000
/** Open deposits that one round looks at. */
const OPEN_MAX = 200
const SEEN_MAX = 50_000
/** Time for each part of a round, in milliseconds; what is left then is the next round's. Source: decision 0092. */
const PART_MS = 10_000

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
  const scan: Scan = { watch, view, head, addresses }
  let { cursor } = watch.state
  const failures: unknown[] = []
  // A part of the round that fails keeps none of the others from being done.
  for (const part of [
    async (isOver: IsOver) => void (cursor = await scanFinal(deps, scan, isOver)),
    (isOver: IsOver) => retryAside(deps, scan, isOver),
    (isOver: IsOver) => followOpen(deps, scan, isOver),
    (isOver: IsOver) => scanProvisional(deps, scan, isOver),
    (isOver: IsOver) => watchEther(deps, { ...watch, view, head, addresses }, isOver),
    () => deps.secondPrices.get(chainId)?.tick() ?? Promise.resolve(),
    () => checkToken(deps, watch, view),
  ]) {
    const endsAt = performance.now() + PART_MS
    try {
      await part(() => performance.now() > endsAt)
    } catch (error) {
      if (!(error instanceof ChainUnavailableError) && !(error instanceof RpcRefusalError)) throw error
      failures.push(error)
    }
  }
  const { latest, finalized } = head
  const { watchedAt, failuresInARow } = watch.state
  watch.state = { latest: latest.number, finalized: finalized.number, cursor, watchedAt, failuresInARow }
  if (failures.length > 0) throw failures[0]
  watch.state = { ...watch.state, watchedAt: deps.clock.now(), failuresInARow: 0 }
}

type IsOver = () => boolean

async function watchedOf(deps: WatchDeps, watch: ChainWatch, chainId: ChainId): Promise<readonly Hex[]> {
  const treasury = deps.policy.treasuries?.get(chainId)
  return treasury === undefined ? watch.addresses.refresh(deps.clock.now()) : [treasury]
}

/** Shows payments before they are final. What leaves the chain again is found by `followOpen`. */
async function scanProvisional(deps: WatchDeps, { watch, view, head, addresses }: Scan, isOver: IsOver): Promise<void> {
  const { seen, patience } = watch
  const first = Math.max(head.finalized.number + 1, head.latest.number - PROVISIONAL_BLOCKS)
  if (addresses.length === 0) return
  if (seen.size > SEEN_MAX) seen.clear()
  for (let from = first; from <= head.latest.number; from += RANGE_BLOCKS) {
    const to = Math.min(from + RANGE_BLOCKS - 1, head.latest.number)
    const found = await view.findTokenTransactions(addresses, from, to)
    const fresh = found.filter(({ txHash }) => !seen.has(txHash) && patience.allows(txHash))
    for (let start = 0; start < fresh.length; start += AT_ONCE) {
      if (isOver()) return
      await showTogether(
        deps,
        watch,
        fresh.slice(start, start + AT_ONCE).map(({ txHash }) => txHash),
      )
    }
  }
}

async function showTogether(deps: WatchDeps, { reader, seen, patience }: ChainWatch, group: readonly Hex[]) {
  const outcomes = await settleTogether(deps, reader.chainId, group)
  for (const [at, txHash] of group.entries()) {
    if (isRead(outcomes[at] ?? 'unavailable')) seen.add(txHash)
    else patience.lose(txHash)
  }
}

/** Looks again at deposits that wait for something. One that cannot be looked at waits longer each time. */
async function followOpen(deps: WatchDeps, { watch, view, head }: Scan, isOver: IsOver): Promise<void> {
  const { patience, reader } = watch
  const { chainId } = reader
  const question = { finalized: head.finalized.number, now: deps.clock.now(), limit: OPEN_MAX }
  const open = (await deps.deposits.listDue(chainId, question)).filter(({ txHash }) => patience.allows(txHash))
  const byBalance = open.filter(({ ordinal }) => ordinal.startsWith('balance:'))
  const hashes = [...new Set(open.filter((deposit) => !byBalance.includes(deposit)).map(({ txHash }) => txHash))]
  for (let start = 0; start < hashes.length && !isOver(); start += AT_ONCE) {
    const group = hashes.slice(start, start + AT_ONCE)
    const outcomes = await settleTogether(deps, chainId, group)
    for (const [at, txHash] of group.entries()) {
      if (outcomes[at] !== 'unavailable') patience.restore(txHash)
      else await postpone(deps, watch, txHash, open)
    }
  }
  for (const deposit of byBalance) {
    if (isOver()) return
    const isDone = await guarded(deps, deposit.txHash, () =>
      finishBalanceDeposit(deps, { reader, view, head }, deposit),
    )
    if (isDone) patience.restore(deposit.txHash)
    else await postpone(deps, watch, deposit.txHash, [deposit])
  }
}

/** Moves deposits behind those that can be looked at, so that a round full of sick ones comes to the sound ones. */
async function postpone(
  deps: WatchDeps,
  { patience }: ChainWatch,
  txHash: Hex,
  open: readonly Deposit[],
): Promise<void> {
  patience.lose(txHash)
  for (const deposit of open.filter((each) => each.txHash === txHash)) {
    await deps.deposits.change(deposit, [deposit.state], {}, deps.clock.now())
  }
}

/**
 * Notes the code behind the token's proxy, and reports when it has changed: then an operator should look. What two
 * rounds in a row have read counts, so that one wrong answer raises no alarm.
 */
async function checkToken(deps: WatchDeps, watch: ChainWatch, view: ChainView): Promise<void> {
  const { chainId } = watch.reader
  const [last, code] = [watch.tokenCode, (await view.findTokenCode()) ?? 'none']
  watch.tokenCode = code
  if (code !== last) return
  const before = await deps.watch.noteFact(chainId, 'token_code', code, deps.clock.now())
  if (before !== null && before !== code) deps.onTokenChanged?.(chainId, code, before)
}
