/** The sign-in library with the settings that the product insists on. Source: decision 0040 (sign-in). */
import { randomBytes } from 'node:crypto'
import { isPlainEmailAddress, PASSWORD_LENGTH_MIN } from '@svc/contract'
import { betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { magicLink, siwe } from 'better-auth/plugins'
import type { DatabaseSync } from 'node:sqlite'
import type { Pool } from 'pg'
import { DatabaseUnavailableError } from '../../platform/errors/database-unavailable-error.ts'
import { displayName } from './display-name.ts'
import { entryPlugin } from './entry-plugin.ts'
import { fieldNames, tableNames, walletSchema } from './library-schema.ts'
import { hasMailbox, WALLET_EMAIL_DOMAIN } from './sign-in.ts'
import { ADDRESS_HEADER, FIRST_RUN_PATH, SIGN_IN_PATH } from './sign-in-paths.ts'
import { passkeyPlugin } from './passkey-plugin.ts'
import type { Passkeys } from './passkeys.ts'
import type { PasswordAttemptStore } from './password-attempt-store.ts'
import type { SecondFactors } from './second-factors.ts'
import type { SignInDeps, WalletSignature } from './sign-in-policy.ts'

export interface SignInOptions extends SignInDeps {
  readonly attempts: PasswordAttemptStore
  readonly factors: Pick<SecondFactors, 'isProven' | 'prove' | 'noteProven'>
  readonly passkeys: Pick<Passkeys, 'obstacle' | 'beginEntry' | 'enter'>
  readonly client: DatabaseSync | Pool
  /** Origins by which browsers may reach the console; the first is the one that links name. */
  readonly origins: readonly [string, ...string[]]
  readonly secret: string
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** What the library asks of the room that wraps it. */
export interface LibraryHooks {
  /** Does something after the answer; a failure is noted and changes no answer. */
  readonly later: (work: () => Promise<void>) => void
  /** Whether the wallet has signed this message for a sign-in here. */
  readonly isSignedForSignIn: (signed: WalletSignature) => Promise<boolean>
}

const SESSION_SECONDS = 7 * 24 * 3_600
const SESSION_UPDATE_SECONDS = 24 * 3_600
/** How long a link of a mail works. */
const LINK_SECONDS = 15 * 60

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
    // Nothing can be guessed there, and a page asks when it opens, so that the browser offers a passkey by itself.
    '/passkey/options': { window: 60, max: 120 },
    '/passkey/verify': { window: 60, max: 10 },
    '/first-run': { window: 60, max: 5 },
    '/join': { window: 60, max: 10 },
  },
} as const

/** How cookies are called and sent, by the origin of the console. */
export function cookieForm([origin]: SignInOptions['origins']): { readonly prefix: string; readonly secure: boolean } {
  const secure = origin.startsWith('https:')
  // The library's own secure prefix promises less: with this one a browser takes the cookie from this host alone.
  // Source: RFC 6265bis section 4.1.3.2.
  return { prefix: secure ? '__Host-svc' : 'svc', secure }
}

export function createLibrary(options: SignInOptions, hooks: LibraryHooks) {
  const [origin] = options.origins
  const { prefix, secure } = cookieForm(options.origins)
  return betterAuth({
    appName: 'SVC',
    baseURL: origin,
    basePath: SIGN_IN_PATH,
    secret: options.secret,
    trustedOrigins: [...options.origins],
    database: options.client,
    logger: { disabled: true },
    telemetry: { enabled: false },
    onAPIError: { onError: (error) => void (isRefusal(error) || options.onError(error)) },
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
      cookiePrefix: prefix,
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure, path: '/' },
      // One subscriber has a whole network of 64 bits: limits count it as one.
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER], ipv6Subnet: 64 },
      database: { generateId: () => randomBytes(16).toString('hex') },
    },
    databaseHooks: {
      session: {
        create: {
          // The library keeps the network that its limits count by; people look for the address in their list.
          before: (session, ctx) =>
            Promise.resolve({ data: { ...session, ipAddress: ctx?.headers?.get(ADDRESS_HEADER) ?? '' } }),
        },
      },
      user: {
        create: {
          before: async (user, ctx) => {
            await admit(options, user.email, ctx?.path)
            return { data: { ...user, name: displayName(user.name, user.email) } }
          },
        },
      },
    },
    plugins: [
      magicLink({
        expiresIn: LINK_SECONDS,
        storeToken: 'hashed',
        sendMagicLink: (mail, ctx) => {
          const isKnown = async () =>
            (await ctx?.context.internalAdapter.findUserByEmail(mail.email.toLowerCase())) != null
          // The answer is the same, after the same time, whether a mail leaves or not: a stranger does not learn who is
          // known.
          hooks.later(() => sendLink(options, mail, isKnown))
        },
      }),
      siwe({
        domain: new URL(origin).host,
        emailDomainName: WALLET_EMAIL_DOMAIN,
        getNonce: () => Promise.resolve(randomBytes(16).toString('hex')),
        verifyMessage: ({ address, chainId, message, signature }) =>
          hooks.isSignedForSignIn({ address, chainId, text: message, signature }),
        schema: walletSchema,
      }),
      entryPlugin(options),
      passkeyPlugin({ ...options, cookieName: `${prefix}.passkey`, isSecure: secure }),
    ],
  })
}

/** What a client did wrong is no fault of ours; the library has more than one class of such errors. */
function isRefusal(error: unknown): boolean {
  // Said where the request ends, by its status.
  if (error instanceof DatabaseUnavailableError) return true
  const status: unknown = error instanceof Error && 'statusCode' in error ? error.statusCode : null
  return typeof status === 'number' && status < 500
}

export type Library = ReturnType<typeof createLibrary>

/** @param path of the call that makes the person. The first operator was let in by their token before. */
async function admit({ policy, demoEmail }: SignInOptions, email: string, path: string | undefined): Promise<void> {
  if (path === FIRST_RUN_PATH || email === demoEmail || (await policy.mayJoin(email))) return
  throw new APIError('FORBIDDEN', { code: 'SIGN_UP_CLOSED', message: 'Ask the operator for an invitation.' })
}

async function sendLink(
  options: SignInOptions,
  mail: { readonly email: string; readonly url: string; readonly token: string },
  isKnown: () => Promise<boolean>,
): Promise<void> {
  const email = mail.email.toLowerCase()
  if (!isPlainEmailAddress(email) || !hasMailbox(email)) return
  if (!(await isKnown()) && !(await options.policy.mayJoin(email))) return
  const next = new URL(mail.url).searchParams.get('callbackURL')
  await options.sendLink({
    email,
    token: mail.token,
    next: next !== null && /^\/console(?:[/?#]|$)/.test(next) ? next : null,
    expiresAt: options.now() + LINK_SECONDS * 1_000,
  })
}
