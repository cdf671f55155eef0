import type { Asset, Hex } from './assets.ts'
import { ChainUnavailableError, RpcRefusalError } from './chain-unavailable.ts'
import type { JsonRpc } from './json-rpc.ts'
import type { ChainRules } from './chain-rules.ts'
import { balanceForm, bytesForm, parseAnswer } from './rpc-forms.ts'

export interface BalanceQuestion {
  readonly asset: Asset
  readonly addresses: readonly Hex[]
  readonly block: number
}

/** In the order of the addresses. */
export type Balances = readonly (bigint | null)[]

/** Balances that one call of the reading contract returns at most. */
const CALL_ADDRESSES = 200
/** From so many addresses on it is worth to ask whether the reading contract is there. */
const MULTICALL_FROM = 8

/**
 * Reads balances at a block, many with one call where the chain has a contract for it. An impossible balance is null,
 * and the others count; all is null where the provider has dropped the state of that block.
 */
export async function findBalances(
  rpc: JsonRpc,
  rules: ChainRules,
  { asset, addresses, block }: BalanceQuestion,
): Promise<Balances | null> {
  const tag = `0x${block.toString(16)}`
  try {
    const useCall = addresses.length >= MULTICALL_FROM && (await hasCode(rpc, rules.multicall))
    if (!useCall) return await Promise.all(addresses.map((address) => readOne(rpc, rules, { asset, address, tag })))
    const balances: (bigint | null)[] = []
    for (let start = 0; start < addresses.length; start += CALL_ADDRESSES) {
      const part = addresses.slice(start, start + CALL_ADDRESSES)
      balances.push(...(await readMany(rpc, rules, { asset, part, tag })))
    }
    return balances
  } catch (error) {
    if (error instanceof RpcRefusalError) return null
    throw error
  }
}

async function hasCode(rpc: JsonRpc, address: Hex): Promise<boolean> {
  return parseAnswer(bytesForm, await rpc.request('eth_getCode', [address, 'latest']), 'code').length > 2
}

async function readOne(
  rpc: JsonRpc,
  rules: ChainRules,
  { asset, address, tag }: { readonly asset: Asset; readonly address: Hex; readonly tag: string },
): Promise<bigint | null> {
  if (asset === 'ETH') return balanceFrom(await rpc.request('eth_getBalance', [address, tag]))
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
  return balanceFrom(await rpc.request('eth_call', [{ to: rules.token, data }, tag]))
}

function balanceFrom(answer: unknown): bigint | null {
  return balanceForm.safeParse(answer).data ?? null
}

async function readMany(
  rpc: JsonRpc,
  rules: ChainRules,
  { asset, part, tag }: { readonly asset: Asset; readonly part: readonly Hex[]; readonly tag: string },
): Promise<Balances> {
  const { encodeFunctionData, decodeFunctionResult, parseAbi } = await import('viem')
  const abi = parseAbi([
    'struct Call { address target; bool allowFailure; bytes callData; }',
    'struct Result { bool success; bytes returnData; }',
    'function aggregate3(Call[] calls) payable returns (Result[])',
    'function getEthBalance(address account) view returns (uint256)',
    'function balanceOf(address account) view returns (uint256)',
  ])
  const functionName = asset === 'ETH' ? 'getEthBalance' : 'balanceOf'
  const target = asset === 'ETH' ? rules.multicall : rules.token
  const calls = part.map((address) => ({
    target,
    allowFailure: false,
    callData: encodeFunctionData({ abi, functionName, args: [address] }),
  }))
  const data = encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] })
  const answer = parseAnswer(bytesForm, await rpc.request('eth_call', [{ to: rules.multicall, data }, tag]), 'result')
  const decode = () => decodeFunctionResult({ abi, functionName: 'aggregate3', data: answer })
  const results = readOrNull(decode)
  if (results?.length !== part.length)
    throw new ChainUnavailableError(`${rpc.name} told other balances than it was asked`)
  return results.map(({ returnData }) => balanceFrom(returnData))
}

/** The library throws errors of its own for bytes that are no such result. */
function readOrNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
