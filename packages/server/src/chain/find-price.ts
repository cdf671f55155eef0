import type { Asset, Hex } from './assets.ts'
import type { AssetPrice, BlockRef, ChainHead } from './chain-facts.ts'
import { ChainUnavailableError, RpcRefusalError } from './chain-unavailable.ts'
import type { JsonRpc } from './json-rpc.ts'
import type { ChainRules } from './chain-rules.ts'
import { judgeRound, priceFromRound, type FeedRound } from './feed-round.ts'
import { bytesForm, parseAnswer } from './rpc-forms.ts'

export interface PriceQuestion {
  readonly asset: Asset
  readonly block: BlockRef
  readonly head: ChainHead
}

/** Rounds that are stepped back at most: weeks of a busy feed. */
const STEPS_MAX = 500
/** Time for all steps, in milliseconds. Source: decision 0092. */
const SEARCH_MS = 10_000

const LATEST_ROUND = '0xfeaf968c'
const GET_ROUND = '0x9a6fc8f5'
/** A round id has the contract's round in these bits, and the contract's number above. Source: Chainlink, round ids. */
const PHASE_BITS = 64n

/**
 * Finds the price that held at a block's time. Source: decision 0028.
 *
 * A deposit is worth what it was worth when it was made, so a payer gains nothing by waiting with a claim. The feed
 * keeps its old rounds in its present state, so no archive of old blocks is needed.
 *
 * @returns null when there is no usable price for that time.
 */
export async function findPriceAt(
  rpc: JsonRpc,
  rules: ChainRules,
  { asset, block, head }: PriceQuestion,
): Promise<AssetPrice | null> {
  const feed = asset === 'ETH' ? rules.ethFeed : rules.tokenFeed
  if (feed === null) return fixedPrice(rules, asset, block)
  // A round that may still be reorganised away must not decide, so where the block is final, so is what is read.
  const tag = block.number <= head.finalized.number ? head.finalized.number : head.latest.number
  try {
    const round = await findRoundAt(rpc, feed, block, tagOf(tag))
    if (round === null || judgeRound(asset, round, block.time) !== 'usable') return null
    return priceFromRound(asset, round)
  } catch (error) {
    if (error instanceof RpcRefusalError) return null
    throw error
  }
}

function fixedPrice({ fixedEthUsd }: ChainRules, asset: Asset, block: BlockRef): AssetPrice | null {
  if (asset === 'USDG') return { usd: '1', round: 'par', time: block.time }
  return fixedEthUsd === null ? null : { usd: fixedEthUsd, round: 'fixed', time: block.time }
}

/** Rounds that tell how the price has moved. Source: decision 0093. */
const EARLIER_ROUNDS = 8

/** USD for one ETH in the rounds before one, the newest first. An implausible round proves nothing. */
export async function findEarlierPrices(
  rpc: JsonRpc,
  { ethFeed }: ChainRules,
  { round, head }: { readonly round: string; readonly head: ChainHead },
): Promise<readonly number[]> {
  if (ethFeed === null || !/^\d+$/.test(round)) return []
  const prices: number[] = []
  const tag = tagOf(head.finalized.number)
  try {
    for (let at = 1n; at <= BigInt(EARLIER_ROUNDS); at++) {
      const id = BigInt(round) - at
      if (isBeforePhase(id)) break
      const found = await callFeed(rpc, ethFeed, getRound(id), tag)
      if (found !== null && found.answer > 0n) prices.push(Number(priceFromRound('ETH', found).usd))
    }
  } catch (error) {
    if (!(error instanceof RpcRefusalError)) throw error
  }
  return prices
}

function isBeforePhase(roundId: bigint): boolean {
  return (roundId & ((1n << PHASE_BITS) - 1n)) < 1n
}

function getRound(roundId: bigint): string {
  return `${GET_ROUND}${roundId.toString(16).padStart(64, '0')}`
}

function tagOf(block: number): string {
  return `0x${block.toString(16)}`
}

/**
 * Steps back from the newest round to the one that held at the block's time.
 *
 * @throws {ChainUnavailableError} when that takes too long.
 */
export async function findRoundAt(rpc: JsonRpc, feed: Hex, block: BlockRef, tag: string): Promise<FeedRound | null> {
  const endsAt = performance.now() + SEARCH_MS
  let round = await callFeed(rpc, feed, LATEST_ROUND, tag)
  for (let step = 0; step < STEPS_MAX && round !== null; step++) {
    if (round.updatedAt <= block.time) return round
    if (performance.now() > endsAt) throw new ChainUnavailableError(`${rpc.name} takes too long to tell a price`)
    const isFirstOfPhase = isBeforePhase(round.roundId - 1n)
    // The contract behind the proxy was exchanged since: only the state of that block knows.
    if (isFirstOfPhase) return callFeed(rpc, feed, LATEST_ROUND, tagOf(block.number))
    round = await callFeed(rpc, feed, getRound(round.roundId - 1n), tag)
  }
  return null
}

const WORDS = /^0x([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{64})$/

async function callFeed(rpc: JsonRpc, feed: Hex, data: string, tag: string): Promise<FeedRound | null> {
  const answer = parseAnswer(bytesForm, await rpc.request('eth_call', [{ to: feed, data }, tag]), 'price')
  const words = WORDS.exec(answer)
  if (words === null) return null
  const [, roundId = '', price = '', , updatedAt = ''] = words
  const seconds = BigInt(`0x${updatedAt}`)
  if (seconds > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return {
    roundId: BigInt(`0x${roundId}`),
    answer: BigInt.asIntN(256, BigInt(`0x${price}`)),
    updatedAt: Number(seconds) * 1_000,
  }
}
