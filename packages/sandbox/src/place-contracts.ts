import { request } from 'undici'
import type { Abi } from 'viem'
import type { CompiledContracts } from './compile-contracts.ts'

/** Where the contracts are on the main network, and so on the local chains, too. Source: decision 0028. */
export const TOKEN_ADDRESS = '0x5fc5360d0400a0fd4f2af552add042d716f1d168'
export const ETH_FEED_ADDRESS = '0x78f3556b67e17df817d51ef5a990cdaf09e8d3a9'
export const TOKEN_FEED_ADDRESS = '0x61b7e5650328764b076a108eff5fa7282a1b9ad2'

/** An account of every local chain that holds coins and signs by itself. */
export const BANKER_ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** What one ETH costs on a local chain, in 10⁻⁸ USD. */
const ETH_PRICE = 2_500_00000000n
const PAR = 100_000_000n

const ASK_TIMEOUT_MS = 10_000

/** Asks a local node. @throws when it does not answer, or answers with an error. */
export async function askNode(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const { body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    headersTimeout: ASK_TIMEOUT_MS,
    bodyTimeout: ASK_TIMEOUT_MS,
  })
  const reply = (await body.json()) as { readonly result?: unknown; readonly error?: { readonly message?: string } }
  if (reply.error !== undefined) throw new Error(`the local chain refused ${method}: ${reply.error.message}`)
  return reply.result
}

/** Calls a function of a contract on a local chain, in a transaction of its own. @returns the transaction's hash. */
export async function callContract(
  url: string,
  to: string,
  signature: string,
  args: readonly unknown[],
): Promise<string> {
  const { encodeFunctionData, parseAbi } = await import('viem')
  // Widened, so that the signature may be any text.
  const abi: Abi = parseAbi<readonly string[]>([`function ${signature}`])
  const data = encodeFunctionData({ abi, functionName: signature.slice(0, signature.indexOf('(')), args: [...args] })
  const transaction = { from: BANKER_ADDRESS, to, data, gas: '0x2dc6c0' }
  return String(await askNode(url, 'eth_sendTransaction', [transaction]))
}

/** Puts the token and the feeds where the product looks for them, with a first price. */
export async function placeContracts(url: string, contracts: CompiledContracts): Promise<void> {
  const place = (name: string, address: string): Promise<unknown> =>
    askNode(url, 'anvil_setCode', [address, contracts[name]?.deployedBytecode])
  await place('PriceFeed', ETH_FEED_ADDRESS)
  await place('PriceFeed', TOKEN_FEED_ADDRESS)
  await callContract(url, ETH_FEED_ADDRESS, 'setDescription(string)', ['ETH / USD'])
  await callContract(url, TOKEN_FEED_ADDRESS, 'setDescription(string)', ['USDG / USD'])
  await pushPrices(url)
  // Last: a chain without the token counts as unfinished, and is made anew.
  await place('Usdg', TOKEN_ADDRESS)
}

/** Has both feeds answer anew, as of the newest block. */
export async function pushPrices(url: string): Promise<void> {
  const block = (await askNode(url, 'eth_getBlockByNumber', ['latest', false])) as { readonly timestamp: string }
  const now = BigInt(block.timestamp)
  await callContract(url, ETH_FEED_ADDRESS, 'push(int256,uint256)', [ETH_PRICE, now])
  await callContract(url, TOKEN_FEED_ADDRESS, 'push(int256,uint256)', [PAR, now])
}
