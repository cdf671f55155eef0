/** The wallets of a person: each signs them in. */
import { randomBytes } from 'node:crypto'
import type { Library } from './library.ts'
import type { LinkWalletOutcome, Session, SignInWallet, User, WalletPlace } from './sign-in.ts'
import type { SignInDeps } from './sign-in-policy.ts'
import { readWalletMessage, WALLET_MESSAGE_MS, writeWalletMessage } from './wallet-message.ts'

/** Wallets of one person at most. Source: own choice. */
const WALLETS_MAX = 20
const NONCE_BYTES = 16
const MODEL = 'walletAddress'

export interface WalletDeps extends Pick<SignInDeps, 'verifyWallet'> {
  readonly library: Library
  /** Of the console. */
  readonly origin: string
  readonly now: () => number
}

/** A row of the library. */
interface WalletRow {
  readonly id: string
  readonly userId: string
  readonly address: string
  readonly chainId: number
  readonly createdAt: Date
}

async function find(library: Library, field: 'userId' | 'address', value: string): Promise<readonly WalletRow[]> {
  const { adapter } = await library.$context
  return adapter.findMany<WalletRow>({ model: MODEL, where: [{ field, value }], limit: WALLETS_MAX * 2 })
}

const statementOf = (user: User): string => `Add this wallet to the account of ${user.userId}.`
const identifierOf = (nonce: string): string => `svc-wallet:${nonce}`

/**
 * Whether a wallet's proof counts on this chain. A key is the same on every chain. A contract's code is its own on
 * each: the same address elsewhere may belong to another person.
 *
 * @param address with its checksum.
 */
export async function countsHere(library: Library, proof: 'eoa' | 'contract', place: WalletPlace): Promise<boolean> {
  if (proof === 'eoa') return true
  const known = await find(library, 'address', place.address)
  return known.length === 0 || known.some(({ chainId }) => chainId === place.chainId)
}

export async function listWallets({ library }: Pick<WalletDeps, 'library'>, userId: string) {
  const rows = (await find(library, 'userId', userId)).toSorted(
    (one, other) => one.createdAt.getTime() - other.createdAt.getTime(),
  )
  return rows.map((row): SignInWallet => {
    const { id: walletId, address, chainId } = row
    return { walletId, address, chainId, linkedAt: row.createdAt.getTime() }
  })
}

export async function challengeWallet({ library, origin, now }: WalletDeps, user: User, place: WalletPlace) {
  const { internalAdapter } = await library.$context
  const nonce = randomBytes(NONCE_BYTES).toString('hex')
  const expiresAt = now() + WALLET_MESSAGE_MS
  await internalAdapter.createVerificationValue({
    identifier: identifierOf(nonce),
    value: user.userId,
    expiresAt: new Date(expiresAt),
  })
  return { message: await writeWalletMessage({ origin, statement: statementOf(user), nonce }, place, now()), expiresAt }
}

export async function linkWallet(
  deps: WalletDeps,
  { user, sessionId }: Session,
  signed: { readonly message: string; readonly signature: string },
): Promise<LinkWalletOutcome> {
  const { library, origin } = deps
  const { internalAdapter, adapter } = await library.$context
  const frame = { origin, statement: statementOf(user) }
  const read = await readWalletMessage(frame, signed.message, deps.now())
  const challenge = read === null ? null : await internalAdapter.consumeVerificationValue(identifierOf(read.nonce))
  if (read === null || challenge?.value !== user.userId) return 'wrong_message'
  const { chainId, address } = read
  const proof = await deps.verifyWallet({ address, chainId, text: signed.message, signature: signed.signature })
  if (proof === null) return 'wrong_signature'
  // A chain may take seconds to say whether a contract has signed, and a session that ends meanwhile adds no way in.
  const sessions = await internalAdapter.listSessions(user.userId)
  if (!sessions.some(({ id }) => id === sessionId)) return 'signed_out'
  const known = await find(library, 'address', address)
  if (known.some(({ userId }) => userId !== user.userId) || !(await countsHere(library, proof, read))) return 'taken'
  if (known.some((row) => row.chainId === chainId)) return 'linked'
  if ((await find(library, 'userId', user.userId)).length >= WALLETS_MAX) return 'too_many'
  await adapter.create({
    model: MODEL,
    data: { userId: user.userId, address, chainId, isPrimary: false, createdAt: new Date(deps.now()) },
  })
  return 'linked'
}

/**
 * The last way in stays. Of two that are removed at the same time each leaves the other: a request that finds none left
 * afterwards puts its own back.
 */
export async function unlinkWallet(
  { library }: Pick<WalletDeps, 'library'>,
  { user, hasOtherWay }: { readonly user: User; readonly hasOtherWay: () => Promise<boolean> },
  walletId: string,
): Promise<boolean> {
  const { adapter } = await library.$context
  const own = await find(library, 'userId', user.userId)
  const row = own.find(({ id }) => id === walletId)
  if (row === undefined || (own.length === 1 && !(await hasOtherWay()))) return false
  await adapter.delete({ model: MODEL, where: [{ field: 'id', value: row.id }] })
  if ((await find(library, 'userId', user.userId)).length > 0 || (await hasOtherWay())) return true
  await adapter.create({ model: MODEL, data: { ...row, isPrimary: false }, forceAllowId: true })
  return false
}
