/** The sign-in library behind our own interface. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import { displayName } from './display-name.ts'
import { SIGN_IN_STATEMENT } from './entry-plugin.ts'
import { cookieForm, createLibrary, type Library, type LibraryHooks, type SignInOptions } from './library.ts'
import { askForAddress, type MailAddressDeps, proveAddress } from './mail-address.ts'
import { openLink } from './open-link.ts'
import { clearAttempts, type PasswordAttemptDeps, takeAttempt } from './password-attempts.ts'
import { limitPassword, type SignInGuardDeps, welcome } from './sign-in-guard.ts'
import type { SecondFactors } from './second-factors.ts'
import { hasMailbox, type Session, type SessionSummary, type SignIn, type User } from './sign-in.ts'
import {
  ADDRESS_HEADER,
  CHALLENGE_PATH,
  DEMO_PATH,
  FACTOR_PATH,
  FIRST_RUN_PATH,
  JOIN_PATH,
  OFFERED,
  PASSKEY_OPTIONS_PATH,
  PASSWORD_PATH,
  SIGN_IN_PATH,
} from './sign-in-paths.ts'
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
  const { factors } = options
  const findProven = async (cookie: string | undefined): Promise<Session | null> => {
    const visit = await findVisit(library, factors, cookie)
    return visit?.isProven === true ? visit.session : null
  }
  const emailOf = async (cookie: string) => (await findProven(cookie))?.user.email ?? null
  const guard: SignInGuardDeps = { ...options, cookiePrefix, isSecure, emailOf }
  return {
    answer: (request) => answer(library, { ...options, guard, later }, request),
    findSession: findProven,
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
    sendNewPasskey: (mail) => later(() => options.sendNewPasskey(mail)),
    close: async () => void (await Promise.all(background)),
  }
}

interface Answering extends SignInOptions {
  readonly guard: SignInGuardDeps
  readonly later: LibraryHooks['later']
}

async function answer(library: Library, options: Answering, request: Request): Promise<Response> {
  const { policy, demoEmail, guard, factors, passkeys } = options
  const path = new URL(request.url).pathname.slice(SIGN_IN_PATH.length)
  const isOffered = OFFERED.has(`${request.method} ${path}`)
  const isOff =
    (path === DEMO_PATH && demoEmail === null) ||
    (path === PASSWORD_PATH && !(await policy.allowsPasswords())) ||
    (path.startsWith('/passkey/') && (await passkeys.obstacle()) !== null) ||
    (path.startsWith('/siwe/') && !(await policy.allowsWallets()))
  if (!isOffered || isOff) {
    return Response.json({ code: 'NOT_FOUND', message: 'There is nothing here.' }, { status: 404 })
  }
  if (path === FACTOR_PATH) return finishSignIn(library, options, request)
  const refused = path === PASSWORD_PATH ? await limitPassword(guard, request) : null
  if (refused !== null) return refused
  const answered = path === '/magic-link/verify' ? await openLink(library, request) : await library.handler(request)
  if (answered.status === 429) return tooMany(answered)
  if (!answered.ok || path === CHALLENGE_PATH || path === PASSKEY_OPTIONS_PATH) return answered
  const cookies = answered.headers.getSetCookie()
  const pairs = cookies.map((cookie) => cookie.split(';')[0] ?? '').join('; ')
  const visit = await findVisit(library, factors, pairs)
  // The library repeats the session's token in its body, where scripts could read it.
  if (visit?.isProven === false) return Response.json({ ok: true, second_factor: true }, { headers: setting(cookies) })
  return Response.json(
    { ok: true },
    { headers: setting([...cookies, ...(await greet(options, request, cookies, path))]) },
  )
}

function setting(cookies: readonly string[]): [string, string][] {
  return cookies.map((cookie) => ['set-cookie', cookie])
}

/** Ways in whose email says already that a person signs in, and that of the sandbox. Only they make people with addresses. */
const BY_EMAIL: ReadonlySet<string> = new Set(['/magic-link/verify', JOIN_PATH, FIRST_RUN_PATH, DEMO_PATH])

/** @returns the cookies that a finished sign-in sets besides. */
async function greet(
  { guard, later, sendNewDevice, now }: Answering,
  request: Request,
  cookies: readonly string[],
  path: string,
): Promise<readonly string[]> {
  const known = await welcome(guard, request, cookies)
  if (known === null) return []
  const { email, cookie, isNewDevice } = known
  if (isNewDevice && !BY_EMAIL.has(path) && hasMailbox(email)) {
    const { headers } = request
    const from = { userAgent: headers.get('user-agent'), address: headers.get(ADDRESS_HEADER) }
    later(() => sendNewDevice({ email, ...from, at: now() }))
  }
  return [cookie]
}

/** How long a sign-in waits for its second factor. Source: own choice. */
const FACTOR_WAIT_MS = 10 * 60_000

/** Takes the code of a person whose session opens nothing yet. */
async function finishSignIn(library: Library, options: Answering, request: Request): Promise<Response> {
  const cookie = request.headers.get('cookie') ?? ''
  const visit = await findVisit(library, options.factors, cookie)
  const isWaiting = visit?.isProven === false && visit.session.signedInAt > options.now() - FACTOR_WAIT_MS
  if (!isWaiting) return Response.json({ code: 'SIGN_IN_FIRST', message: 'Sign in first.' }, { status: 401 })
  const body: unknown = await request.json().catch(() => null)
  const code = String(Reflect.get(Object(body), 'code') ?? '').slice(0, CODE_LENGTH_MAX)
  const { sessionId, user } = visit.session
  const outcome = await options.factors.prove({ userId: user.userId, sessionId }, code)
  if (outcome === 'wrong') {
    return Response.json({ code: 'WRONG_CODE', message: 'This code is wrong, or was used.' }, { status: 400 })
  }
  if (outcome !== 'right') {
    const message = `Too many wrong codes. Try again in ${outcome.waitSeconds} s.`
    const headers = { 'retry-after': String(outcome.waitSeconds) }
    return Response.json({ code: 'TOO_MANY_CODES', message }, { status: 429, headers })
  }
  return Response.json(
    { ok: true },
    { headers: setting(await greet(options, request, cookie.split('; '), FACTOR_PATH)) },
  )
}

const CODE_LENGTH_MAX = 64

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

interface Visit {
  readonly session: Session
  /** False where a second factor is on, and was not proven in this session. */
  readonly isProven: boolean
}

async function findVisit(
  library: Library,
  factors: Pick<SecondFactors, 'isProven'>,
  cookie: string | undefined,
): Promise<Visit | null> {
  if (cookie === undefined || !cookie.includes('svc.session_token=')) return null
  const found = await library.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
  if (found === null) return null
  const { session, user } = found
  return {
    session: {
      sessionId: session.id,
      user: userOf(user),
      signedInAt: session.createdAt.getTime(),
      expiresAt: session.expiresAt.getTime(),
    },
    isProven: await factors.isProven({ userId: user.id, sessionId: session.id }),
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
