import type { ChainId } from '../chain/assets.ts'
import type { FoundTransaction } from '../chain/chain-facts.ts'
import type { ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError, RpcRefusalError } from '../chain/chain-unavailable.ts'
import { isRead, settleGuarded, settleTogether, type Settled } from './settle-guarded.ts'
import type { RetrySubject } from './retry-store.ts'
import type { Scan, WatchDeps } from './chain-watch.ts'

/**
 * What cannot be read, while everything around it can, is put aside: the scan goes on without it, and it is looked at
 * again by itself, less and less often, for as long as it may be there.
 */

/** The first pause before it is looked at again, and the longest, in milliseconds. Source: decision 0092. */
const RETRY_MS = 2_000
const RETRY_MS_MAX = 600_000
/** What no node knows for so long has left the chain: were it to come again, a claim or a scan would find it. */
const UNKNOWN_MS_MAX = 7 * 86_400_000
/** So many in one round are not sick by themselves: it is the provider, and the scan stays where it is. */
const SET_ASIDE_MAX = 20
/** How many are looked at again in one round. */
const DUE_MAX = 20

/** Counts what one round puts aside. */
export interface AsideCount {
  left: number
}

/** A count for one round. */
export function newAsideCount(): AsideCount {
  return { left: SET_ASIDE_MAX }
}

/**
 * Puts something aside.
 *
 * @throws {ChainUnavailableError} when the provider does not answer at all, or too much could not be read: then the scan
 *   must not go on.
 */
export async function setAside(
  deps: WatchDeps,
  { view, chainId, count }: { readonly view: ChainView; readonly chainId: ChainId; readonly count: AsideCount },
  subject: RetrySubject,
  problem: string,
): Promise<void> {
  await view.readHead()
  if (count.left <= 0) throw new ChainUnavailableError(`too much of chain ${chainId} was shown and cannot be read`)
  count.left--
  const now = deps.clock.now()
  await deps.retries.note(chainId, subject, problem, { now, nextAt: now + RETRY_MS })
  deps.onSetAside?.(chainId, subject, problem)
}

/** Looks at a group of transactions that a provider has just shown in final blocks. */
export async function settleFound(
  deps: WatchDeps,
  scan: { readonly view: ChainView; readonly chainId: ChainId; readonly count: AsideCount },
  group: readonly FoundTransaction[],
): Promise<void> {
  const outcomes = await settleTogether(
    deps,
    scan.chainId,
    group.map(({ txHash }) => txHash),
  )
  for (const [at, found] of group.entries()) {
    const outcome = outcomes[at] ?? 'unavailable'
    if (!isRead(outcome)) await setAside(deps, scan, { kind: 'transaction', ...found }, `it is ${outcome}`)
  }
}

/** Looks again at what was put aside and is due. */
export async function retryAside(
  deps: WatchDeps,
  { watch, view, addresses }: Omit<Scan, 'head'>,
  isOver: () => boolean,
): Promise<void> {
  const { chainId } = watch.reader
  const startedAt = deps.clock.now()
  const due = await deps.retries.listDue(chainId, { now: startedAt, beyond: startedAt + RETRY_MS_MAX }, DUE_MAX)
  for (const { subject, failures, firstAt } of due) {
    if (isOver()) return
    const outcome = await lookAgain(deps, { watch, view, addresses }, subject)
    const now = deps.clock.now()
    const isGone = outcome !== 'unavailable' && now - firstAt > UNKNOWN_MS_MAX
    if (isRead(outcome) || isGone) {
      await deps.retries.remove(chainId, subject)
      continue
    }
    const pauseMs = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** Math.min(failures, 20))
    await deps.retries.note(chainId, subject, `it is ${outcome}`, { now, nextAt: now + pauseMs })
  }
}

async function lookAgain(
  deps: WatchDeps,
  { watch, view, addresses }: Omit<Scan, 'head'>,
  subject: RetrySubject,
): Promise<Settled> {
  const { chainId } = watch.reader
  if (subject.kind === 'transaction') return settleGuarded(deps, chainId, subject.txHash)
  const { blockNumber } = subject
  try {
    const found = await view.findTokenTransactions(addresses, blockNumber, blockNumber)
    const outcomes = await settleTogether(
      deps,
      chainId,
      found.map(({ txHash }) => txHash),
    )
    return outcomes.find((outcome) => !isRead(outcome)) ?? 'deposits'
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof RpcRefusalError) return 'unavailable'
    throw error
  }
}
