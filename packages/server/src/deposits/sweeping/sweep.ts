import { scrubSecrets } from '@svc/contract'
import type { Asset, Hex } from '../../chain/assets.ts'
import type { Outflow } from '../outflow.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { followOutflow, type OutflowEnd } from './follow-outflow.ts'
import { addressOfKey, ETH_GAS } from './sign-sweep.ts'
import { sendOutflow } from './send-outflow.ts'
import type { SweepBlock } from './sweep-chain.ts'
import type { SweepDeps } from './sweep-deps.ts'

export interface SweepOptions {
  /** Says what would be moved, and records and sends nothing. */
  readonly isDryRun: boolean
}

/** What a round did, or would do. */
export interface SweepReport {
  readonly chainId: number
  readonly finished: number
  readonly failed: number
  /** Payments of earlier rounds whose end is not known yet. */
  readonly moving: number
  readonly planned: readonly { readonly address: Hex; readonly asset: Asset; readonly amount: bigint }[]
  /** What could not be done, in sentences without keys. */
  readonly problems: readonly string[]
}

const PAGE = 200
const MOVING_MAX = 1_000

/**
 * One round on one chain: follows what was sent before to its end, then empties the addresses that hold enough at the
 * final block. A round that was broken off at any moment is taken up by the next.
 *
 * @throws where another sweeper has the chain by now.
 */
export async function sweepChain(deps: SweepDeps, { isDryRun }: SweepOptions): Promise<SweepReport> {
  const { chain, keys, outflows } = deps
  const finalized = await chain.readFinalized()
  const own = await listOwn(deps)
  const problems: string[] = []
  const ends = isDryRun ? [] : await followAll(deps, finalized, own, problems)
  const moving = await outflows.listMoving(chain.chainId, MOVING_MAX)
  const busy = new Set(moving.map(({ address }) => address))
  const idle = [...own].filter(([address]) => !busy.has(address))
  const relayer = { next: isDryRun ? 0 : await chain.readNonce(await addressOfKey(keys.relayerKey), 'pending') }
  const planned: Outflow[] = []
  for (let start = 0; start < idle.length; start += PAGE) {
    const page = idle.slice(start, start + PAGE)
    const plans = await Promise.all(page.map(([address]) => planFor(deps, finalized, address)))
    for (const [at, plan] of plans.entries()) {
      const index = page[at]?.[1]
      if (plan === null || index === undefined) continue
      const send = async (): Promise<true> => {
        if (isDryRun) return true
        await requireLease(deps)
        await sendOutflow(deps, plan, keys.childKey(index), relayer)
        return true
      }
      if ((await guard(problems, plan, send)) === true) planned.push(plan)
    }
  }
  return {
    chainId: chain.chainId,
    finished: ends.filter((end) => end === 'final').length,
    failed: ends.filter((end) => end === 'failed').length,
    moving: moving.length,
    planned: planned.map(({ address, asset, amount }) => ({ address, asset, amount })),
    problems,
  }
}

async function followAll(
  deps: SweepDeps,
  finalized: SweepBlock,
  own: ReadonlyMap<Hex, number>,
  problems: string[],
): Promise<readonly (OutflowEnd | null)[]> {
  const ends: (OutflowEnd | null)[] = []
  for (const outflow of await deps.outflows.listMoving(deps.chain.chainId, MOVING_MAX)) {
    const index = own.get(outflow.address)
    const childKey = index === undefined ? null : deps.keys.childKey(index)
    const follow = async (): Promise<OutflowEnd> => {
      await requireLease(deps)
      return followOutflow(deps, finalized, outflow, childKey)
    }
    ends.push(await guard(problems, outflow, follow))
  }
  return ends
}

/** Another sweeper has taken the chain over: what is left is its. */
class LeaseLostError extends Error {}

/**
 * Two that empty one address at once plan the same nonce for it: of one payment nothing would ever be known again, and
 * deposits to the address would wait for it.
 */
async function requireLease({ keepLease }: SweepDeps): Promise<void> {
  if (!(await keepLease())) throw new LeaseLostError('another sweeper is at work by now')
}

/** One address that fails, as a frozen one does, holds up no other. */
async function guard<Value>(
  problems: string[],
  { address, asset }: Outflow,
  work: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LeaseLostError) throw error
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    problems.push(`${asset} of ${address}: ${scrubSecrets(first)}`)
    return null
  }
}

/** Indexes of the addresses of this key, by address. Each is derived anew and compared before anything is signed. */
async function listOwn({ addresses, chain, keys }: SweepDeps): Promise<ReadonlyMap<Hex, number>> {
  const own = new Map<Hex, number>()
  let after: string | undefined
  for (;;) {
    const more = after === undefined ? {} : { after }
    const page = await addresses.listAddresses(chain.chainId, { limit: PAGE, ...more })
    for (const { xpubId, address, derivationIndex } of page) {
      if (xpubId === keys.xpubId) own.set(address, derivationIndex)
    }
    after = page.at(-1)?.addressId
    if (page.length < PAGE || after === undefined) return own
  }
}

/** Tokens first: they need nothing of the address, while ether leaves with its fee. Null when there is too little. */
async function planFor(deps: SweepDeps, finalized: SweepBlock, address: Hex): Promise<Outflow | null> {
  const { chain, thresholds, clock } = deps
  const balances = await chain.readBalances(address, finalized)
  const base = {
    ...{ outflowId: createId(clock.now()), chainId: chain.chainId, address, txHash: null, state: 'planned' as const },
    ...{ blockNumber: null, blockHash: null },
  }
  if (balances.USDG >= thresholds.USDG && balances.USDG > 0n) {
    return { ...base, asset: 'USDG', amount: balances.USDG, fee: 0n }
  }
  if (balances.ETH < thresholds.ETH) return null
  const fee = (await chain.readGasPrice()) * ETH_GAS
  return balances.ETH > fee ? { ...base, asset: 'ETH', amount: balances.ETH - fee, fee } : null
}
