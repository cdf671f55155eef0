/** The sign-in library behind our own interface. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import { displayName } from './display-name.ts'
import { SIGN_IN_STATEMENT } from './entry-plugin.ts'
import { cookieForm, createLibrary, type Library, type SignInOptions } from './library.ts'
import { askForAddress, type MailAddressDeps, proveAddress } from './mail-address.ts'
import { openLink } from './open-link.ts'
import { clearAttempts, type PasswordAttemptDeps, takeAttempt } from './password-attempts.ts'
import { limitPassword, type SignInGuardDeps, welcome } from './sign-in-guard.ts'
import { hasMailbox, type Session, type SessionSummary, type SignIn, type User } from './sign-in.ts'
import { CHALLENGE_PATH, DEMO_PATH, OFFERED, PASSWORD_PATH, SIGN_IN_PATH } from './sign-in-paths.ts'
import type { WalletSignature } from './sign-in-policy.ts'
import { readWalletMessage } from './wallet-message.ts'
import { challengeWallet, countsHere, linkWallet, listWallets, unlinkWallet, type WalletDeps } from './wallets.ts'

/** Opens sign-in. The library is loaded by importing this file: do it on first use. */
export function openSignIn(options: SignInOptions): SignIn {
  const background = new Set<Promise<void>>()
  const later = (work: () => Promise<void>): void => {
    const done: Promise<void> = work()
      .catch(options.onError)
      .finally(() => background.delete(done))
    background.add(done)
  }
  const library = createLibrary(options, {
    later,
    isSignedForSignIn: (signed) => isSignedForSignIn({ library, options }, signed),
  })
  const wallets: WalletDeps = { ...options, library, origin: options.origins[0] }
  const addresses: MailAddressDeps = { ...options, library }
  const adapter = async () => (await library.$context).internalAdapter
  const { prefix: cookiePrefix, secure: isSecure } = cookieForm(options.origins)
  const emailOf = async (cookie: string) => (await findSession(library, cookie))?.user.email ?? null
  const guard: SignInGuardDeps = { ...options, cookiePrefix, isSecure, emailOf }
  return {
    answer: (request) => answer(library, { ...options, guard }, request),
    findSession: (cookie) => findSession(library, cookie),
    listSessions: async (userId) => {
      const sessions = await (await adapter()).listSessions(userId)
      return sessions.map(summaryOf).toSorted((one, other) => other.signedInAt - one.signedInAt)
    },
    endSession: async (userId, sessionId) => {
      const internalAdapter = await adapter()
      const found = (await internalAdapter.listSessions(userId)).find(({ id }) => id === sessionId)
      if (found === undefined) return false
      await internalAdapter.deleteSession(found.token)
      return true
    },
    endSessions: async (userId, except) => {
      const internalAdapter = await adapter()
      const ended = (await internalAdapter.listSessions(userId)).filter(({ id }) => id !== except)
      // PostgreSQL takes no empty list.
      if (ended.length > 0) await internalAdapter.deleteSessions(ended.map(({ token }) => token))
    },
    findUser: async (userId) => {
      const found = await (await adapter()).findUserById(userId)
      return found === null ? null : userOf(found)
    },
    findUserByEmail: async (email) => {
      const found = await (await adapter()).findUserByEmail(email.toLowerCase())
      return found === null ? null : userOf(found.user)
    },
    rename: async (userId, name) => {
      const internalAdapter = await adapter()
      const user = await internalAdapter.findUserById(userId)
      if (user !== null) await internalAdapter.updateUser(userId, { name: displayName(name, user.email) })
    },
    hasPassword: async (userId) => (await (await adapter()).findCredentialAccount(userId)) !== null,
    setPassword: (userId, passwords) => setPassword(library, options, userId, passwords),
    askForEmail: (user, email) => later(() => askForAddress(addresses, user, email)),
    proveEmail: (user, token) => proveAddress(addresses, user, token),
    listWallets: (userId) => listWallets(wallets, userId),
    challengeWallet: (user, place) => challengeWallet(wallets, user, place),
    linkWallet: (session, signed) => linkWallet(wallets, session, signed),
    unlinkWallet: (user, walletId, hasOtherWay) => unlinkWallet(wallets, { user, hasOtherWay }, walletId),
    close: async () => void (await Promise.all(background)),
  }
}

async function answer(
  library: Library,
  { policy, demoEmail, guard }: SignInOptions & { readonly guard: SignInGuardDeps },
  request: Request,
): Promise<Response> {
  const path = new URL(request.url).pathname.slice(SIGN_IN_PATH.length)
  const isOffered = OFFERED.has(`${request.method} ${path}`)
  const isOff =
    (path === DEMO_PATH && demoEmail === null) ||
    (path === PASSWORD_PATH && !(await policy.allowsPasswords())) ||
    (path.startsWith('/siwe/') && !(await policy.allowsWallets()))
  if (!isOffered || isOff) {
    return Response.json({ code: 'NOT_FOUND', message: 'There is nothing here.' }, { status: 404 })
  }
  const refused = path === PASSWORD_PATH ? await limitPassword(guard, request) : null
  if (refused !== null) return refused
  const answered = path === '/magic-link/verify' ? await openLink(library, request) : await library.handler(request)
  if (answered.status === 429) return tooMany(answered)
  if (!answered.ok || path === CHALLENGE_PATH) return answered
  const cookies = answered.headers.getSetCookie()
  const known = await welcome(guard, request, cookies)
  // The library repeats the session's token in its body, where scripts could read it.
  const headers = [...cookies, ...(known === null ? [] : [known])].map((cookie): [string, string] => [
    'set-cookie',
    cookie,
  ])
  return Response.json({ ok: true }, { headers })
}

/** The library's refusal by address, in the form of every other one. */
function tooMany({ headers }: Response): Response {
  const seconds = headers.get('x-retry-after') ?? '60'
  const message = `Too many attempts from this address. Try again in ${seconds} s.`
  return Response.json({ code: 'TOO_MANY_ATTEMPTS', message }, { status: 429, headers: { 'retry-after': seconds } })
}

/** The message must be the one that was given, word for word, and the proof must count on its chain. */
async function isSignedForSignIn(
  { library, options }: { readonly library: Library; readonly options: SignInOptions },
  signed: WalletSignature,
): Promise<boolean> {
  const frame = { origin: options.origins[0], statement: SIGN_IN_STATEMENT }
  const read = await readWalletMessage(frame, signed.text, options.now())
  if (read === null || read.address !== signed.address || read.chainId !== signed.chainId) return false
  const proof = await options.verifyWallet(signed)
  return proof !== null && countsHere(library, proof, read)
}

async function setPassword(
  library: Library,
  limit: PasswordAttemptDeps,
  userId: string,
  { current, next }: { readonly current: string | null; readonly next: string },
): Promise<boolean> {
  const { internalAdapter, password: passwords } = await library.$context
  const account = await internalAdapter.findCredentialAccount(userId)
  if (account === null) {
    const password = await passwords.hash(next)
    await internalAdapter.linkAccount({ userId, providerId: 'credential', accountId: userId, password })
    return true
  }
  if (current === null) return false
  const name = { kind: 'user', userId } as const
  const seconds = await takeAttempt(limit, name)
  if (seconds !== null) {
    const message = `Too many wrong passwords. Try again in ${seconds} s.`
    throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: seconds })
  }
  if (!(await passwords.verify({ hash: account.password ?? '', password: current }))) return false
  await clearAttempts(limit, name)
  await internalAdapter.updateAccount(account.id, { password: await passwords.hash(next) })
  return true
}

async function findSession(library: Library, cookie: string | undefined): Promise<Session | null> {
  if (cookie === undefined || !cookie.includes('svc.session_token=')) return null
  const found = await library.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
  if (found === null) return null
  const { session, user } = found
  return {
    sessionId: session.id,
    user: userOf(user),
    signedInAt: session.createdAt.getTime(),
    expiresAt: session.expiresAt.getTime(),
  }
}

function userOf(user: { readonly id: string; readonly email: string; readonly name: string }): User {
  return {
    userId: user.id,
    email: user.email,
    hasEmail: hasMailbox(user.email),
    name: user.name,
  }
}

function summaryOf(session: {
  readonly id: string
  readonly userAgent?: string | null | undefined
  readonly ipAddress?: string | null | undefined
  readonly createdAt: Date
  readonly expiresAt: Date
}): SessionSummary {
  return {
    sessionId: session.id,
    userAgent: session.userAgent ?? null,
    address: session.ipAddress ?? null,
    signedInAt: session.createdAt.getTime(),
    expiresAt: session.expiresAt.getTime(),
  }
}
