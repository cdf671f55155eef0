/** Wallets that extensions bring along. Nothing of theirs is loaded: they announce themselves. Source: EIP-6963. */
import { useEffect, useState } from 'react'

/** What a wallet can be asked. Source: EIP-1193. */
interface WalletProvider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

export interface InjectedWallet {
  readonly id: string
  readonly name: string
  readonly provider: WalletProvider
}

interface Announcement extends Event {
  readonly detail?: {
    readonly info?: { readonly uuid?: unknown; readonly name?: unknown }
    readonly provider?: unknown
  }
}

const NAME_LENGTH_MAX = 40

function walletOf({ detail }: Announcement): InjectedWallet | null {
  const { uuid, name } = detail?.info ?? {}
  const provider = detail?.provider as WalletProvider | undefined
  if (typeof uuid !== 'string' || typeof name !== 'string' || typeof provider?.request !== 'function') return null
  return { id: uuid, name: name.slice(0, NAME_LENGTH_MAX), provider }
}

/** The wallets of this browser, in the order in which they have announced themselves. */
export function useInjectedWallets(): readonly InjectedWallet[] {
  const [wallets, setWallets] = useState<readonly InjectedWallet[]>([])
  useEffect(() => {
    const add = (event: Event): void => {
      const wallet = walletOf(event as Announcement)
      if (wallet === null) return
      setWallets((known) => (known.some(({ id }) => id === wallet.id) ? known : [...known, wallet]))
    }
    addEventListener('eip6963:announceProvider', add)
    dispatchEvent(new Event('eip6963:requestProvider'))
    return () => removeEventListener('eip6963:announceProvider', add)
  }, [])
  return wallets
}

export interface WalletPlace {
  readonly address: string
  readonly chainId: number
}

/** Asks the wallet which account to use. @throws {Error} with a sentence for the person. */
export async function connectWallet({ provider, name }: InjectedWallet): Promise<WalletPlace> {
  const accounts = await ask(provider.request({ method: 'eth_requestAccounts' }))
  const chain = await ask(provider.request({ method: 'eth_chainId' }))
  const address: unknown = Array.isArray(accounts) ? accounts[0] : undefined
  const chainId = Number(chain)
  if (typeof address !== 'string' || !Number.isSafeInteger(chainId)) throw new Error(`${name} has named no account.`)
  return { address, chainId }
}

/** Has the wallet sign a text. @throws {Error} with a sentence for the person. */
export async function signText({ provider }: InjectedWallet, address: string, text: string): Promise<string> {
  const hex = [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return String(await ask(provider.request({ method: 'personal_sign', params: [`0x${hex}`, address] })))
}

/** Source: EIP-1193, section "Provider errors". */
const USER_REFUSED = 4001

async function ask(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (cause) {
    const isRefused = Reflect.get(Object(cause), 'code') === USER_REFUSED
    throw new Error(isRefused ? 'You have refused it in the wallet.' : 'The wallet did not answer.', { cause })
  }
}
