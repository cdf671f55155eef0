import type { Hex } from './assets.ts'
import type { BlockRef, ChainHead } from './chain-facts.ts'
import type { ChainRules } from './chain-rules.ts'
import { RpcRefusalError } from './chain-unavailable.ts'
import { judgeRound, priceFromRound } from './feed-round.ts'
import { findRoundAt } from './find-price.ts'
import type { JsonRpc } from './json-rpc.ts'
import { bytesForm, parseAnswer } from './rpc-forms.ts'

export interface SecondPriceQuestion {
  readonly block: BlockRef
  readonly head: ChainHead
}

/** `token0()` and `observe(uint32[])`. Source: Uniswap v3, IUniswapV3Pool. */
const TOKEN0 = '0x0dfe1681'
const OBSERVE = '0x883bdbfd'
/** Over so many seconds before the block a pool's price is averaged: a moment's price is cheap to bend. */
const AVERAGED_SECONDS = 1_800
/** The price of one tick. Source: Uniswap v3. */
const TICK = 1.0001
/** What a whole ETH has more in smallest units than a whole token, as a power of ten. */
const DECIMALS_APART = 18 - 6

/** USD for one ETH at a block's time by the second source on the chain; null where it has none. */
export async function findSecondPrice(
  rpc: JsonRpc,
  rules: ChainRules,
  { block, head }: SecondPriceQuestion,
): Promise<number | null> {
  const { secondPrice, token } = rules
  if (secondPrice === null) return null
  const isFinal = block.number <= head.finalized.number
  const at = isFinal ? head.finalized : head.latest
  const tag = `0x${at.number.toString(16)}`
  try {
    if (secondPrice.kind === 'pool') return await readPool(rpc, { pool: secondPrice.address, token, tag }, at, block)
    const round = await findRoundAt(rpc, secondPrice.address, block, tag)
    const isUsable = round !== null && judgeRound('ETH', round, block.time) === 'usable'
    return isUsable ? Number(priceFromRound('ETH', round).usd) : null
  } catch (error) {
    if (error instanceof RpcRefusalError) return null
    throw error
  }
}

/**
 * The average price of a pool before a block. The pool keeps its own history, so no state of old blocks is needed; it
 * refuses where that does not reach back so far.
 */
async function readPool(
  rpc: JsonRpc,
  { pool, token, tag }: { readonly pool: Hex; readonly token: Hex; readonly tag: string },
  at: BlockRef,
  block: BlockRef,
): Promise<number | null> {
  const ago = Math.max(0, Math.floor((at.time - block.time) / 1_000))
  const words = [0x20, 2, ago + AVERAGED_SECONDS, ago].map((word) => word.toString(16).padStart(64, '0')).join('')
  const [first, observed] = await Promise.all([
    rpc.request('eth_call', [{ to: pool, data: TOKEN0 }, tag]),
    rpc.request('eth_call', [{ to: pool, data: `${OBSERVE}${words}` }, tag]),
  ])
  const ticks = ticksFrom(parseAnswer(bytesForm, observed, 'history of a pool'))
  if (ticks === null) return null
  const isTokenFirst = parseAnswer(bytesForm, first, 'token of a pool').slice(-40) === token.slice(2)
  const average = Number(ticks.now - ticks.before) / AVERAGED_SECONDS
  // A tick tells how much of the second token the pool gives for the first, in smallest units.
  return TICK ** (isTokenFirst ? -average : average) * 10 ** DECIMALS_APART
}

/** The first of the two arrays that `observe` returns: the offsets of both, then of each its length and its words. */
function ticksFrom(answer: Hex): { readonly before: bigint; readonly now: bigint } | null {
  const word = (at: number): bigint | null => {
    const digits = answer.slice(2 + at * 64, 2 + (at + 1) * 64)
    return digits.length === 64 ? BigInt(`0x${digits}`) : null
  }
  const offset = word(0)
  if (offset === null || offset % 32n !== 0n || offset > 1_024n) return null
  const at = Number(offset / 32n)
  const [length, before, now] = [word(at), word(at + 1), word(at + 2)]
  if (length !== 2n || before === null || now === null) return null
  return { before: BigInt.asIntN(56, before), now: BigInt.asIntN(56, now) }
}
