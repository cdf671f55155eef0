import { ASSET_DECIMALS, type Asset, type Hex } from './assets.ts'
import type { ChainRules } from './chain-rules.ts'
import { RpcRefusalError } from './chain-unavailable.ts'
import { FEED_DECIMALS } from './feed-round.ts'
import type { JsonRpc } from './json-rpc.ts'
import { blockForm, bytesForm, parseAnswer, quantityForm } from './rpc-forms.ts'

const SYMBOL = '0x95d89b41'
const DECIMALS = '0x313ce567'
const DESCRIPTION = '0x7284e416'

/**
 * Compares what a provider shows with what is pinned: the chain, the token, the feeds, and that it knows what is final.
 * Nothing is believed of a provider before this was empty. Source: decision 0028.
 *
 * @returns what is wrong, each in a sentence for operators.
 * @throws {ChainUnavailableError} when the provider cannot answer; then nothing is known.
 */
export async function checkProvider(rpc: JsonRpc, rules: ChainRules): Promise<readonly string[]> {
  const chainId = parseAnswer(quantityForm, await rpc.request('eth_chainId', []), 'chain id')
  if (chainId !== BigInt(rules.chainId)) return [`${rpc.name} is a provider of chain ${chainId}, not ${rules.chainId}`]
  const findings = await Promise.all([
    checkFinality(rpc),
    checkToken(rpc, rules.token),
    rules.ethFeed === null ? [] : checkFeed(rpc, rules.ethFeed, 'ETH'),
    rules.secondPrice?.kind === 'feed' ? checkFeed(rpc, rules.secondPrice.address, 'ETH') : [],
    rules.secondPrice?.kind === 'pool' ? checkPool(rpc, rules.secondPrice.address) : [],
    rules.tokenFeed === null ? [] : checkFeed(rpc, rules.tokenFeed, 'USDG'),
  ])
  return findings.flat().map((finding) => `${rpc.name}: ${finding}`)
}

async function checkFinality(rpc: JsonRpc): Promise<readonly string[]> {
  const block = await rpc.request('eth_getBlockByNumber', ['finalized', false]).catch(nullOfRefusal)
  return parseAnswer(blockForm, block, 'block') === null ? ['it does not tell which block is final'] : []
}

async function checkToken(rpc: JsonRpc, token: Hex): Promise<readonly string[]> {
  if (!(await hasCode(rpc, token))) return [`there is no token at ${token}`]
  const symbol = textFrom(await readView(rpc, token, SYMBOL))
  const decimals = numberFrom(await readView(rpc, token, DECIMALS))
  const problems: string[] = []
  if (symbol !== 'USDG') problems.push(`the token at ${token} is not USDG`)
  if (decimals !== BigInt(ASSET_DECIMALS.USDG)) {
    problems.push(`the token at ${token} has ${decimals ?? 'no'} decimals, not ${ASSET_DECIMALS.USDG}`)
  }
  return problems
}

async function checkFeed(rpc: JsonRpc, feed: Hex, asset: Asset): Promise<readonly string[]> {
  if (!(await hasCode(rpc, feed))) return [`there is no price feed at ${feed}`]
  const problems: string[] = []
  const description = textFrom(await readView(rpc, feed, DESCRIPTION))
  if (description !== `${asset} / USD`) problems.push(`the feed at ${feed} is not of ${asset} / USD`)
  if (numberFrom(await readView(rpc, feed, DECIMALS)) !== BigInt(FEED_DECIMALS)) {
    problems.push(`the feed at ${feed} has not ${FEED_DECIMALS} decimals`)
  }
  return problems
}

async function checkPool(rpc: JsonRpc, pool: Hex): Promise<readonly string[]> {
  return (await hasCode(rpc, pool)) ? [] : [`there is no pool at ${pool}`]
}

async function hasCode(rpc: JsonRpc, address: Hex): Promise<boolean> {
  return parseAnswer(bytesForm, await rpc.request('eth_getCode', [address, 'latest']), 'code').length > 2
}

async function readView(rpc: JsonRpc, to: Hex, data: string): Promise<Hex | null> {
  const answer = await rpc.request('eth_call', [{ to, data }, 'latest']).catch(nullOfRefusal)
  return answer === null ? null : parseAnswer(bytesForm, answer, 'answer of a contract')
}

function nullOfRefusal(error: unknown): null {
  if (error instanceof RpcRefusalError) return null
  throw error
}

function numberFrom(data: Hex | null): bigint | null {
  return data?.length === 66 ? BigInt(data) : null
}

/** Reads text in the form of the ABI: where it begins, its length, its bytes. */
function textFrom(data: Hex | null): string | null {
  const words = /^0x0{62}20([0-9a-f]{64})([0-9a-f]*)$/.exec(data ?? '')
  if (words === null) return null
  const [, length = '0', bytes = ''] = words
  return Buffer.from(bytes, 'hex')
    .subarray(0, Math.min(Number(BigInt(`0x${length}`)), 100))
    .toString('utf8')
}
