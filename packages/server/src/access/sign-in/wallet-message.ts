/** The message that a wallet signs to sign its owner in, or to be added to a person. Source: ERC-4361. */
import type { WalletPlace } from './sign-in.ts'

/** A message may be signed for so long, in milliseconds. Source: decision 0040 (sign-in): at most 10 minutes. */
export const WALLET_MESSAGE_MS = 10 * 60_000

/** What of the message does not depend on the wallet. */
export interface WalletMessageFrame {
  /** Of the console, such as `https://ai.example.com`. */
  readonly origin: string
  readonly statement: string
  readonly nonce: string
}

/** @param place its address in any letter case. */
export async function writeWalletMessage(
  { origin, statement, nonce }: WalletMessageFrame,
  { address, chainId }: WalletPlace,
  now: number,
): Promise<string> {
  const [{ createSiweMessage }, { getAddress }] = await Promise.all([import('viem/siwe'), import('viem')])
  return createSiweMessage({
    ...{ address: getAddress(address), chainId, nonce, statement, version: '1' },
    domain: new URL(origin).host,
    uri: origin,
    issuedAt: new Date(now),
    expirationTime: new Date(now + WALLET_MESSAGE_MS),
  })
}

export interface ReadWalletMessage extends WalletPlace {
  readonly nonce: string
}

/**
 * Reads a message that we have written. It must be that very text: nothing is added, and no part says otherwise.
 *
 * @returns null when it is not, or its time is over.
 */
export async function readWalletMessage(
  frame: Omit<WalletMessageFrame, 'nonce'>,
  text: string,
  now: number,
): Promise<ReadWalletMessage | null> {
  const { parseSiweMessage } = await import('viem/siwe')
  const { address, chainId, nonce, issuedAt } = parseSiweMessage(text)
  if (address === undefined || chainId === undefined || nonce === undefined || issuedAt === undefined) return null
  const issued = issuedAt.getTime()
  if (Number.isNaN(issued) || issued > now || now >= issued + WALLET_MESSAGE_MS) return null
  const expected = await writeWalletMessage({ ...frame, nonce }, { address, chainId }, issued).catch(() => null)
  return expected === text ? { address, chainId, nonce } : null
}
