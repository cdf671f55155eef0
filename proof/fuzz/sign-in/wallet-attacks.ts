/**
 * Messages that a wallet has signed with its right key, but that are not the one it was given. None signs in.
 */
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createBrowserSession } from '../../../packages/server/testing/browser-session.ts'

type Spoil = (message: string) => string

/** Each makes another text of a message, which the wallet then signs. */
export const messageSpoils: readonly (readonly [string, Spoil])[] = [
  ['line ends of another kind', (text) => text.replaceAll('\n', '\r\n')],
  ['a line at the end', (text) => `${text}\n`],
  ['a line at the start', (text) => `\n${text}`],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['a NUL in the statement', (text) => text.replace('Sign in', 'Sign\0in')],
  ['half a character in the statement', (text) => text.replace('Sign in', 'Sign\ud800in')],
  ['another statement', (text) => text.replace('Sign in to the console.', 'Give me everything.')],
  ['no statement', (text) => text.replace('Sign in to the console.\n\n', '')],
  ['another domain', (text) => text.replace(/^\S+/, 'evil.example')],
  ['a domain with a scheme', (text) => `https://${text}`],
  ['a domain in capitals', (text) => text.replace(/^\S+/, (domain) => domain.toUpperCase().replace('127', '0127'))],
  ['another address', (text) => text.replace(/0x[0-9a-fA-F]{40}/, `0x${'11'.repeat(20)}`)],
  ['an address without its checksum', (text) => text.replace(/0x[0-9a-fA-F]{40}/, (found) => found.toLowerCase())],
  ['another page', (text) => text.replace(/URI: \S+/, 'URI: https://evil.example')],
  ['another version', (text) => text.replace('Version: 1', 'Version: 2')],
  ['a chain with zeros before it', (text) => text.replace('Chain ID: ', 'Chain ID: 0')],
  ['a chain without end', (text) => text.replace(/Chain ID: \d+/, `Chain ID: ${'9'.repeat(400)}`)],
  ['a nonce of its own', (text) => text.replace(/Nonce: \w+/, `Nonce: ${'a'.repeat(32)}`)],
  ['a nonce as an object', (text) => text.replace(/Nonce: \w+/, 'Nonce: __proto__')],
  ['a second nonce', (text) => text.replace(/(Nonce: \w+)/, '$1\n$1')],
  ['an hour of its own', (text) => text.replace(/Issued At: \S+/, 'Issued At: 2020-01-01T00:00:00.000Z')],
  ['an hour of the far future', (text) => text.replace(/Issued At: \S+/, 'Issued At: +275760-09-13T00:00:00.001Z')],
  ['an hour that is none', (text) => text.replace(/Issued At: \S+/, 'Issued At: NaN')],
  ['no end', (text) => text.replace(/\nExpiration Time: \S+/, '')],
  ['a later end', (text) => text.replace(/Expiration Time: \S+/, 'Expiration Time: 9999-12-31T23:59:59.999Z')],
  ['a time before which it counts not', (text) => `${text}\nNot Before: 2020-01-01T00:00:00.000Z`],
  ['resources', (text) => `${text}\nResources:\n- https://evil.example`],
  ['a request id', (text) => text.replace(/(Issued At)/, 'Request ID: 1\n$1')],
  ['very much text', (text) => text.replace('Sign in', `Sign ${'a'.repeat(20_000)} in`)],
]

/** What a sign-in with a wallet sends. */
export interface SignedMessage {
  readonly message: string
  readonly signature: string
}

export const CHAIN_ID = 4663

/** A browser at an address of its own. */
export function openVisitor(port: number, number: number) {
  const headers = { 'x-forwarded-for': `203.0.${(number >> 8) & 255}.${number & 255}` }
  return createBrowserSession(`http://127.0.0.1:${port}/api`, headers)
}

/** Asks for a message and has it signed, changed or as it was given. */
export async function signedMessage(
  visitor: ReturnType<typeof openVisitor>,
  spoil: Spoil = (text) => text,
  account: PrivateKeyAccount = privateKeyToAccount(generatePrivateKey()),
): Promise<SignedMessage> {
  const place = { address: account.address, chainId: CHAIN_ID }
  const given = await visitor.json<{ readonly message: string }>('POST', '/auth/siwe/challenge', place)
  const message = spoil(given.message)
  const signature = await account.signMessage({ message })
  return { message, signature }
}

/** Tries every one of them, and one that is right. @returns what went wrong, in words. */
export async function runWalletAttacks(port: number): Promise<readonly string[]> {
  const faults: string[] = []
  let number = 40_000
  for (const [name, spoil] of messageSpoils) {
    const visitor = openVisitor(port, number++)
    const response = await visitor.call('POST', '/auth/siwe/verify', await signedMessage(visitor, spoil))
    const text = await response.text()
    if (response.status < 400 || response.status >= 500 || visitor.cookies.size > 0) {
      faults.push(`a wallet's message with ${name} was answered with ${response.status}: ${text.slice(0, 200)}`)
    }
  }
  const visitor = openVisitor(port, number)
  const right = await signedMessage(visitor)
  const first = await visitor.call('POST', '/auth/siwe/verify', right)
  if (first.status !== 200) faults.push(`a right message was answered with ${first.status}: ${await first.text()}`)
  const again = await openVisitor(port, number + 1).call('POST', '/auth/siwe/verify', right)
  if (again.status < 400) faults.push('a message signed a person in twice')
  return faults
}
