/** A wallet extension for pages under test: announces itself as extensions do, and signs with an account of a chain. */
import type { BrowserContext } from 'playwright-core'
import type { EvmChain } from './evm-chain.ts'

export interface PageWallet {
  /** Methods that pages have asked, in order. */
  readonly asked: string[]
  /** Refuses the next question as a person would who declines. */
  declineNext(): void
}

const BINDING = 'askTestWallet'

/** Source: EIP-6963. Runs in the page. */
const ANNOUNCE = `
  const info = Object.freeze({
    uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test Wallet', rdns: 'example.wallet',
    icon: 'data:image/svg+xml,' + encodeURIComponent(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path fill="#7a5" d="M0 0h1v1H0z"/></svg>'),
  })
  const request = async (call) => {
    const { result, error } = await globalThis.${BINDING}(call)
    if (error) throw error
    return result
  }
  const announce = () => globalThis.dispatchEvent(
    new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider: { request } }) }))
  globalThis.addEventListener('eip6963:requestProvider', announce)
  announce()
`

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Gives every page of a browser a wallet that holds one of the chain's accounts. It begins on another network. */
export async function addPageWallet(context: BrowserContext, chain: EvmChain, at = 1): Promise<PageWallet> {
  const account = chain.accounts[at]
  if (account === undefined) throw new Error('a chain has ten accounts')
  const asked: string[] = []
  let network = '0x1'
  let declines = false
  const answer = async ({ method, params: [first] = [] }: Call): Promise<unknown> => {
    switch (method) {
      case 'eth_requestAccounts':
        return [account.address]
      case 'eth_chainId':
        return network
      case 'wallet_switchEthereumChain':
        network = (first as { readonly chainId: string }).chainId
        return null
      case 'eth_sendTransaction': {
        const { to, value, data } = first as Readonly<Record<'to' | 'value' | 'data', `0x${string}`>>
        return chain.send({ from: account, to, value: BigInt(value), ...(data === undefined ? {} : { data }) })
      }
      case 'personal_sign':
        return account.signMessage?.({ message: { raw: first as `0x${string}` } })
      default:
        throw new Error(`the test wallet does not know ${method}`)
    }
  }
  await context.exposeFunction(BINDING, async (call: Call) => {
    asked.push(call.method)
    if (declines) {
      declines = false
      return { error: { code: 4001, message: 'User rejected the request.' } }
    }
    return { result: await answer(call) }
  })
  await context.addInitScript(ANNOUNCE)
  return {
    asked,
    declineNext() {
      declines = true
    },
  }
}
