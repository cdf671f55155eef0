/** What is asked of a wallet: an account, a network, a payment, a signature. Source: EIP-1193, EIP-3326, ERC-20. */
import { trimEndOf } from '@svc/contract'
import type { WalletProvider } from './injected-wallets.ts'

export type Hex = `0x${string}`

/** A refusal that a person can read. */
export class WalletError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WalletError'
  }
}

const REFUSALS: Readonly<Record<number, string>> = {
  4001: 'You declined it in the wallet.',
  4100: 'The wallet has not allowed this page to ask for that.',
  4902: 'The wallet does not know this network. Add it there, then try again.',
  [-32_002]: 'The wallet has an open question already: look into it.',
}

/** @throws {WalletError} */
async function ask(provider: WalletProvider, method: string, params: readonly unknown[] = []): Promise<unknown> {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code')
    const message: unknown = Reflect.get(Object(error), 'message')
    const told = typeof message === 'string' && message !== '' ? message : 'it gave no reason'
    throw new WalletError(REFUSALS[Number(code)] ?? `The wallet did not do it: ${told}`)
  }
}

const ADDRESS = /^0x[0-9a-f]{40}$/i
const HASH = /^0x[0-9a-f]{64}$/i
const SIGNATURE = /^0x(?:[0-9a-f]{2})+$/i

function hexFrom(value: unknown, form: RegExp): Hex {
  if (typeof value === 'string' && form.test(value)) return value as Hex
  throw new WalletError('The wallet answered something that cannot be used.')
}

/** The account that the person lets this page use. @throws {WalletError} */
export async function askAccount(provider: WalletProvider): Promise<Hex> {
  const accounts = await ask(provider, 'eth_requestAccounts')
  return hexFrom(Array.isArray(accounts) ? accounts[0] : null, ADDRESS)
}

/** An account of a wallet, and the network that the wallet is on. */
export interface WalletPlace {
  readonly address: Hex
  readonly chainId: number
}

/** Asks the wallet which account to use. @throws {WalletError} */
export async function connectWallet(provider: WalletProvider): Promise<WalletPlace> {
  const address = await askAccount(provider)
  const chainId = Number(await ask(provider, 'eth_chainId'))
  if (Number.isSafeInteger(chainId)) return { address, chainId }
  throw new WalletError('The wallet answered something that cannot be used.')
}

/** Moves the wallet to a network, and makes sure that it is there. @throws {WalletError} */
export async function moveToNetwork(provider: WalletProvider, chainId: number): Promise<void> {
  const isThere = async (): Promise<boolean> => Number(await ask(provider, 'eth_chainId')) === chainId
  if (await isThere()) return
  await ask(provider, 'wallet_switchEthereumChain', [{ chainId: `0x${chainId.toString(16)}` }])
  if (!(await isThere())) throw new WalletError('The wallet is on another network still.')
}

/** Where and what a wallet pays. */
export interface Payment {
  readonly to: Hex
  /** The contract of the token; null for the network's own coin. */
  readonly token: Hex | null
  /** Smallest units. */
  readonly units: bigint
}

/** The call as wallets take it. */
export function transactionOf({ to, token, units }: Payment): {
  readonly to: Hex
  readonly value: Hex
  readonly data?: Hex
} {
  if (token === null) return { to, value: `0x${units.toString(16)}` }
  return { to: token, value: '0x0', data: transferData(to, units) }
}

/** `transfer(address,uint256)`. */
function transferData(to: Hex, units: bigint): Hex {
  const word = (hex: string): string => hex.padStart(64, '0')
  return `0xa9059cbb${word(to.slice(2).toLowerCase())}${word(units.toString(16))}`
}

/** Has the wallet send it. @returns the hash of the transaction. @throws {WalletError} */
export async function sendPayment(provider: WalletProvider, chainId: number, payment: Payment): Promise<Hex> {
  const from = await askAccount(provider)
  await moveToNetwork(provider, chainId)
  return hexFrom(await ask(provider, 'eth_sendTransaction', [{ from, ...transactionOf(payment) }]), HASH)
}

/** Has the wallet sign a text. @throws {WalletError} */
export async function signText(provider: WalletProvider, account: Hex, text: string): Promise<Hex> {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hexFrom(await ask(provider, 'personal_sign', [`0x${bytes}`, account]), SIGNATURE)
}

const DECIMAL = /^(\d{1,12})(?:[.,](\d*))?$/

/** An amount as the person typed it, in smallest units. Null when it is none, is 0, or is finer than the asset. */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = DECIMAL.exec(text.trim())
  if (match === null) return null
  const [, whole = '0', fraction = ''] = match
  if (trimEndOf(fraction, '0').length > decimals) return null
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  return units > 0n ? units : null
}
