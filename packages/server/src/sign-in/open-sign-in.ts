/** The sign-in library behind our own interface, with the settings that the product insists on. */
import { randomBytes } from 'node:crypto'
import { betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { magicLink, siwe } from 'better-auth/plugins'
import type { DatabaseSync } from 'node:sqlite'
import type { Pool } from 'pg'
import { entryPlugin, FIRST_RUN_PATH } from './entry-plugin.ts'
import { fieldNames, tableNames, walletSchema } from './library-schema.ts'
import type { Session, SessionSummary, SignIn, User } from './sign-in.ts'
import type { SignInDeps } from './sign-in-policy.ts'

export interface SignInOptions extends SignInDeps {
  readonly client: DatabaseSync | Pool
  /** Origins by which browsers may reach the console; the first is the one that links name. */
  readonly origins: readonly [string, ...string[]]
  readonly secret: string
  readonly onError: (error: unknown) => void
}

/** Below this path the library answers. */
export const SIGN_IN_PATH = '/api/auth'
/** Set by the edge from the connection, over whatever the client sent. */
export const ADDRESS_HEADER = 'x-svc-address'

const SESSION_SECONDS = 7 * 24 * 3_600
const SESSION_UPDATE_SECONDS = 24 * 3_600
const LINK_SECONDS = 15 * 60
const PASSWORD_LENGTH_MIN = 12
const WALLET_EMAIL_DOMAIN = 'wallet.invalid'

/**
 * What the library offers to browsers. Everything else that it can do is not reachable: each further path is surface.
 */
const OFFERED: ReadonlySet<string> = new Set([
  'POST /sign-in/magic-link',
  'GET /magic-link/verify',
  'POST /sign-in/email',
  'POST /sign-in/demo',
  'POST /siwe/nonce',
  'POST /siwe/verify',
  'POST /first-run',
  'POST /sign-out',
  'POST /change-password',
])

/** Counted by address and path, in the database, so that several processes count together. Source: own choice. */
const RATE_LIMIT = {
  enabled: true,
  storage: 'database',
  modelName: 'sign_in_rate_limit',
  fields: { lastRequest: 'last_request' },
  window: 60,
  max: 60,
  customRules: {
    // Nothing can be guessed there.
    '/sign-in/demo': { window: 60, max: 120 },
    '/sign-in/*': { window: 60, max: 5 },
    '/magic-link/verify': { window: 60, max: 10 },
    '/siwe/*': { window: 60, max: 10 },
    '/first-run': { window: 60, max: 5 },
    '/change-password': { window: 60, max: 5 },
  },
} as const

function createLibrary(options: SignInOptions) {
  const [origin] = options.origins
  const secure = origin.startsWith('https:')
  return betterAuth({
    appName: 'SVC',
    baseURL: origin,
    basePath: SIGN_IN_PATH,
    secret: options.secret,
    trustedOrigins: [...options.origins],
    database: options.client,
    logger: { disabled: true },
    telemetry: { enabled: false },
    onAPIError: { onError: (error) => void (error instanceof APIError || options.onError(error)) },
    user: { ...tableNames.user, ...fieldNames.user, changeEmail: { enabled: false }, deleteUser: { enabled: false } },
    session: {
      ...fieldNames.session,
      modelName: tableNames.session.modelName,
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_UPDATE_SECONDS,
      // Ended sessions must end at once, on every process.
      cookieCache: { enabled: false },
    },
    account: { ...tableNames.account, ...fieldNames.account, accountLinking: { enabled: false } },
    verification: { ...tableNames.verification, ...fieldNames.verification },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH_MIN,
      revokeSessionsOnPasswordReset: true,
    },
    rateLimit: RATE_LIMIT,
    advanced: {
      cookiePrefix: 'svc',
      useSecureCookies: secure,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure, path: '/' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: () => randomBytes(16).toString('hex') },
    },
    databaseHooks: { user: { create: { before: (user, ctx) => admit(options, user.email, ctx?.path) } } },
    plugins: [
      magicLink({
        expiresIn: LINK_SECONDS,
        storeToken: 'hashed',
        // The answer is the same whether a mail leaves or not, so that nobody learns who has an account.
        sendMagicLink: async ({ email, url }, ctx) => {
          const known = await ctx?.context.internalAdapter.findUserByEmail(email.toLowerCase())
          if (known != null || (await options.policy.mayJoin(email))) await options.sendLink({ email, url })
        },
      }),
      siwe({
        domain: new URL(origin).host,
        emailDomainName: WALLET_EMAIL_DOMAIN,
        getNonce: () => Promise.resolve(randomBytes(16).toString('hex')),
        verifyMessage: ({ address, chainId, message, signature }) =>
          options.verifyWallet({ address, chainId, text: message, signature }),
        schema: walletSchema,
      }),
      entryPlugin(options),
    ],
  })
}

type Library = ReturnType<typeof createLibrary>

/** @param path of the call that makes the person. The first operator was let in by their token before. */
async function admit({ policy, demoEmail }: SignInOptions, email: string, path: string | undefined): Promise<void> {
  if (path === FIRST_RUN_PATH || email === demoEmail || (await policy.mayJoin(email))) return
  throw new APIError('FORBIDDEN', { code: 'SIGN_UP_CLOSED', message: 'Ask the operator for an invitation.' })
}

/** Opens sign-in. The library is loaded by importing this file: do it on first use. */
export function openSignIn(options: SignInOptions): SignIn {
  const library = createLibrary(options)
  return {
    answer: (request) => answer(library, options, request),
    findSession: (cookie) => findSession(library, cookie),
    listSessions: async (userId) => {
      const { internalAdapter } = await library.$context
      const sessions = await internalAdapter.listSessions(userId)
      return sessions.map(summaryOf).toSorted((one, other) => other.signedInAt - one.signedInAt)
    },
    endSession: async (userId, sessionId) => {
      const { internalAdapter } = await library.$context
      const found = (await internalAdapter.listSessions(userId)).find(({ id }) => id === sessionId)
      if (found === undefined) return false
      await internalAdapter.deleteSession(found.token)
      return true
    },
    endSessions: async (userId, except) => {
      const { internalAdapter } = await library.$context
      const ended = (await internalAdapter.listSessions(userId)).filter(({ id }) => id !== except)
      await internalAdapter.deleteSessions(ended.map(({ token }) => token))
    },
    findUser: async (userId) => {
      const found = await (await library.$context).internalAdapter.findUserById(userId)
      return found === null ? null : userOf(found)
    },
    findUserByEmail: async (email) => {
      const found = await (await library.$context).internalAdapter.findUserByEmail(email.toLowerCase())
      return found === null ? null : userOf(found.user)
    },
    close: () => Promise.resolve(),
  }
}

async function answer(library: Library, { policy }: SignInOptions, request: Request): Promise<Response> {
  const path = new URL(request.url).pathname.slice(SIGN_IN_PATH.length)
  const isOffered = OFFERED.has(`${request.method} ${path}`)
  const isOff =
    (path === '/sign-in/email' && !(await policy.allowsPasswords())) ||
    (path.startsWith('/siwe/') && !(await policy.allowsWallets()))
  if (!isOffered || isOff)
    return Response.json({ code: 'NOT_FOUND', message: 'There is nothing here.' }, { status: 404 })
  return library.handler(request)
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
    hasEmail: !user.email.endsWith(`@${WALLET_EMAIL_DOMAIN}`),
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
