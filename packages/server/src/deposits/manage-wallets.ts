/** Linked wallets as clients ask for them. */
import type {
  LinkedWalletBody,
  LinkedWalletList,
  LinkWalletRequest,
  UnlinkedWalletReply,
  WalletChallengeReply,
  WalletChallengeRequest,
} from '@svc/contract'
import { ServiceError } from '../platform/errors/service-error.ts'
import { challengeWallet, linkWallet, type Linker, type LinkRefusal, type LinkWalletDeps } from './link-wallet.ts'
import type { LinkedWallet, WalletStore } from './wallet-store.ts'

export interface ManageWalletsDeps {
  readonly store: Pick<WalletStore, 'list' | 'unlink'>
  /** Null where every account has addresses of its own: then nothing is linked. */
  readonly linking: LinkWalletDeps | null
}

/** Seconds after which a chain that did not answer is worth another question. */
const CHAIN_PAUSE_SECONDS = 15

/**
 * Gives the message that a wallet is to sign.
 *
 * @throws {ServiceError} `chain_not_enabled`.
 */
export async function giveWalletChallenge(
  { linking }: ManageWalletsDeps,
  linker: Linker,
  request: WalletChallengeRequest,
): Promise<WalletChallengeReply> {
  const deps = requireLinking(linking)
  if (!deps.chains.has(request.chainId)) {
    throw new ServiceError('chain_not_enabled', `This gateway takes no deposits on chain ${request.chainId}.`, {
      param: 'chainId',
    })
  }
  const { message, expiresAt } = await challengeWallet(deps, linker, request)
  return { object: 'wallet_challenge', message, expires: secondsOf(expiresAt) }
}

/**
 * Links the wallet that has signed.
 *
 * @throws {ServiceError} `chain_not_enabled`, `wallet_not_proven`, `wallet_already_linked` or `chain_unavailable`.
 */
export async function linkSignedWallet(
  { linking }: ManageWalletsDeps,
  linker: Linker,
  request: LinkWalletRequest,
): Promise<LinkedWalletBody> {
  const outcome = await linkWallet(requireLinking(linking), linker, request)
  if (outcome.kind === 'refused') throw refusalOf(outcome.reason)
  return renderWallet(outcome.wallet)
}

/** Lists the wallets of an account, newest first. */
export async function listWallets({ store }: ManageWalletsDeps, accountId: string): Promise<LinkedWalletList> {
  const wallets = await store.list(accountId)
  return { object: 'list', data: await Promise.all(wallets.map(renderWallet)) }
}

/**
 * Unlinks a wallet.
 *
 * @throws {ServiceError} `wallet_not_found`, also for a wallet of another account and one that was unlinked before.
 */
export async function unlinkWallet(
  { store }: ManageWalletsDeps,
  accountId: string,
  unlinked: { readonly walletId: string; readonly now: number },
): Promise<UnlinkedWalletReply> {
  const { walletId, now } = unlinked
  if (!(await store.unlink(accountId, walletId, now))) throw walletNotFound()
  return { id: renderWalletId(walletId), object: 'linked_wallet.deleted', deleted: true }
}

/** One text for what does not exist and for what belongs to another account. */
export function walletNotFound(): ServiceError {
  return new ServiceError('wallet_not_found', 'There is no such linked wallet of your account.')
}

function requireLinking(linking: LinkWalletDeps | null): LinkWalletDeps {
  if (linking !== null) return linking
  throw new ServiceError(
    'chain_not_enabled',
    'This gateway links no wallets: GET /deposits/address shows where to pay.',
  )
}

function refusalOf(reason: LinkRefusal): ServiceError {
  switch (reason) {
    case 'wrong_message':
      return new ServiceError('wallet_not_proven', 'The message is not one that was given to this key.', {
        param: 'message',
      })
    case 'expired':
      return new ServiceError('wallet_not_proven', 'This message has been used or has expired. Request a new one.', {
        param: 'message',
      })
    case 'wrong_signature':
      return new ServiceError('wallet_not_proven', 'The wallet of the message has not signed it.', {
        param: 'signature',
      })
    case 'already_linked':
      return new ServiceError('wallet_already_linked', 'The wallet is linked on this network already.')
    case 'chain_unavailable':
      return new ServiceError('chain_unavailable', 'The wallet is no key, and the chain cannot be asked now.', {
        retryAfterSeconds: CHAIN_PAUSE_SECONDS,
      })
  }
}

async function renderWallet(wallet: LinkedWallet): Promise<LinkedWalletBody> {
  const { getAddress } = await import('viem')
  const { walletId, chainId, address, proof, linkedAt, unlinkedAt } = wallet
  return {
    object: 'linked_wallet',
    id: renderWalletId(walletId),
    ...{ chainId, address: getAddress(address), proof },
    linked: secondsOf(linkedAt),
    unlinked: unlinkedAt === null ? null : secondsOf(unlinkedAt),
  }
}

function renderWalletId(walletId: string): string {
  return `wal_${walletId}`
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000)
}
