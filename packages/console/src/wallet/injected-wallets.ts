/** Wallets that browser extensions put into the page. Source: EIP-6963, EIP-1193. */
import { useSyncExternalStore } from 'react'

export interface WalletProvider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

export interface InjectedWallet {
  readonly id: string
  readonly name: string
  /** An image inside its own address; null where it names one elsewhere, which is not fetched. */
  readonly icon: string | null
  readonly provider: WalletProvider
}

const NAME_LENGTH_MAX = 40
const WALLETS_MAX = 20

let wallets: readonly InjectedWallet[] = []
const listeners = new Set<() => void>()

/** What an extension announces is not ours: every part is looked at. Null when it is no wallet. */
function readAnnouncement(detail: unknown): InjectedWallet | null {
  const info: unknown = Reflect.get(Object(detail), 'info')
  const provider: unknown = Reflect.get(Object(detail), 'provider')
  const [id, name, icon] = ['uuid', 'name', 'icon'].map((part): unknown => Reflect.get(Object(info), part))
  if (typeof id !== 'string' || typeof name !== 'string' || name.trim() === '') return null
  if (typeof Reflect.get(Object(provider), 'request') !== 'function') return null
  return {
    id,
    name: name.slice(0, NAME_LENGTH_MAX),
    icon: typeof icon === 'string' && icon.startsWith('data:image/') ? icon : null,
    // Its one method was looked at.
    provider: provider as WalletProvider,
  }
}

function onAnnounced(event: Event): void {
  const found = event instanceof CustomEvent ? readAnnouncement(event.detail) : null
  if (found === null || wallets.length >= WALLETS_MAX || wallets.some(({ id }) => id === found.id)) return
  wallets = [...wallets, found]
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (listeners.size === 1) {
    globalThis.addEventListener('eip6963:announceProvider', onAnnounced)
    globalThis.dispatchEvent(new Event('eip6963:requestProvider'))
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) globalThis.removeEventListener('eip6963:announceProvider', onAnnounced)
  }
}

/** The wallets of this browser, those that come later included. */
export function useInjectedWallets(): readonly InjectedWallet[] {
  return useSyncExternalStore(subscribe, () => wallets)
}
