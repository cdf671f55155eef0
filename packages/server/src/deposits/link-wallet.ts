import { randomBytes } from 'node:crypto'
import type { ChainId, Hex } from '../chain/assets.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { proveSignature } from '../chain/prove-signature.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'
import type { LinkedWallet, WalletStore } from './wallet-store.ts'

export interface LinkWalletDeps {
  readonly wallets: WalletStore
  readonly chains: ReadonlyMap<ChainId, ChainReader>
  /** Origin by which people reach the gateway, such as `https://ai.example.com`. */
  readonly origin: () => string
  readonly clock: Clock
}

/** Who wants to link a wallet. */
export interface Linker {
  readonly accountId: string
  /** The session or key that asks: the answer must come from the same. */
  readonly session: string
}

/** Why a wallet was not linked. */
export type LinkRefusal =
  /** It is no message that we have written, or parts of it were changed. */
  | 'wrong_message'
  /** Its time is over, or it was used before. */
  | 'expired'
  | 'wrong_signature'
  /** The wallet is linked on that chain, to whomever. */
  | 'already_linked'
  /** A contract must be asked for its signatures, and the chain does not answer now. */
  | 'chain_unavailable'

export type LinkOutcome =
  | { readonly kind: 'linked'; readonly wallet: LinkedWallet }
  | { readonly kind: 'refused'; readonly reason: LinkRefusal }

/** A message may be signed for so long, in milliseconds. Source: decision 0029. */
const CHALLENGE_MS = 600_000
/** How long a message that is over can still be distinguished from one that never was. Source: own choice. */
const KEPT_MS = 86_400_000

/**
 * Writes the message that a wallet is to sign: it names the account, the chain and this gateway, and works once.
 * Source: ERC-4361.
 *
 * @param address lower case.
 */
export async function challengeWallet(
  { wallets, origin, clock }: Omit<LinkWalletDeps, 'chains'>,
  { accountId, session }: Linker,
  { chainId, address }: { readonly chainId: ChainId; readonly address: Hex },
): Promise<{ readonly message: string; readonly expiresAt: number }> {
  const [{ createSiweMessage }, { getAddress }] = await Promise.all([import('viem/siwe'), import('viem')])
  const now = clock.now()
  const expiresAt = now + CHALLENGE_MS
  const nonce = randomBytes(16).toString('hex')
  await wallets.insertChallenge({ nonce, accountId, session, chainId, expiresAt }, now - KEPT_MS)
  const message = createSiweMessage({
    ...{ address: getAddress(address), chainId, nonce, version: '1' },
    domain: new URL(origin()).host,
    uri: origin(),
    statement: statementOf(accountId),
    resources: [resourceOf(accountId)],
    issuedAt: new Date(now),
    expirationTime: new Date(expiresAt),
  })
  return { message, expiresAt }
}

function statementOf(accountId: string): string {
  return `Payments from this wallet to the treasury are credited to account ${accountId}.`
}

function resourceOf(accountId: string): string {
  return `urn:svc:account:${accountId}`
}

/**
 * Links the wallet that has signed such a message. A contract's signature counts on the message's chain alone: the same
 * address on another chain may belong to another person.
 */
export async function linkWallet(
  deps: LinkWalletDeps,
  linker: Linker,
  { message, signature }: { readonly message: string; readonly signature: Hex },
): Promise<LinkOutcome> {
  const { wallets, clock } = deps
  const claim = await readMessage(deps, linker, message)
  if ('reason' in claim) return { kind: 'refused', reason: claim.reason }
  const now = clock.now()
  if (!(await wallets.useChallenge(claim.nonce, now))) return { kind: 'refused', reason: 'expired' }
  const proof = await proveSignature(deps.chains.get(claim.chainId), { address: claim.address, message, signature })
  if (proof !== 'eoa' && proof !== 'contract') return { kind: 'refused', reason: proof }
  const wallet = { walletId: createId(now), accountId: linker.accountId, chainId: claim.chainId, linkedAt: now }
  const linked = { ...wallet, address: claim.address, proof }
  if (!(await wallets.link(linked))) return { kind: 'refused', reason: 'already_linked' }
  return { kind: 'linked', wallet: { ...linked, unlinkedAt: null } }
}

interface ReadMessage {
  readonly nonce: string
  readonly chainId: ChainId
  readonly address: Hex
}

/** Reads a message and compares every part with what we have written for this linker. */
async function readMessage(
  { wallets, origin, clock }: LinkWalletDeps,
  { accountId, session }: Linker,
  message: string,
): Promise<ReadMessage | { readonly reason: LinkRefusal }> {
  const { parseSiweMessage } = await import('viem/siwe')
  const parsed = parseSiweMessage(message)
  const challenge = parsed.nonce === undefined ? null : await wallets.findChallenge(parsed.nonce)
  if (challenge === null || parsed.address === undefined) return { reason: 'wrong_message' }
  const isOurs =
    challenge.accountId === accountId &&
    challenge.session === session &&
    parsed.chainId === challenge.chainId &&
    parsed.domain === new URL(origin()).host &&
    parsed.uri === origin() &&
    parsed.version === '1' &&
    parsed.statement === statementOf(accountId) &&
    parsed.resources?.length === 1 &&
    parsed.resources[0] === resourceOf(accountId) &&
    parsed.expirationTime?.getTime() === challenge.expiresAt
  if (!isOurs) return { reason: 'wrong_message' }
  if (challenge.usedAt !== null || challenge.expiresAt <= clock.now()) return { reason: 'expired' }
  return { nonce: challenge.nonce, chainId: challenge.chainId, address: parsed.address.toLowerCase() as Hex }
}
