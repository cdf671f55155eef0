/**
 * More ways in: the first operator's one-time token, the invitation email, the sandbox's single click; and the
 * message that a wallet signs.
 */
import { SHOWN_NAME_LENGTH_MAX, PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MAX } from '@svc/contract'
import { randomBytes } from 'node:crypto'
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import { CHALLENGE_PATH, DEMO_PATH, FIRST_RUN_PATH, JOIN_PATH } from './sign-in-paths.ts'
import type { SignInDeps } from './sign-in-policy.ts'
import { WALLET_MESSAGE_MS, writeWalletMessage } from './wallet-message.ts'

const NONCE_BYTES = 16

export interface EntryDeps extends SignInDeps {
  readonly origins: readonly [string, ...string[]]
  readonly now: () => number
}

const token = z.string().min(1).max(256)

const firstRunBody = z.strictObject({
  token,
  email: z.email().max(254),
  name: z.string().trim().min(1).max(SHOWN_NAME_LENGTH_MAX),
  password: z.string().min(PASSWORD_LENGTH_MIN).max(PASSWORD_LENGTH_MAX).optional(),
})

const joinBody = z.strictObject({ token, name: z.string().trim().min(1).max(SHOWN_NAME_LENGTH_MAX) })

const challengeBody = z.strictObject({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  chainId: z.int().positive(),
})

/** What a wallet shows when it is asked to sign a person in. */
export const SIGN_IN_STATEMENT = 'Sign in to the console.'

interface Person {
  readonly email: string
  readonly name: string
  readonly password: string | null
}

/** The user of an address, made where there is none yet: of several requests at the same moment one makes it. */
async function findOrMake(ctx: GenericEndpointContext, person: Pick<Person, 'email' | 'name'>) {
  const { internalAdapter } = ctx.context
  const email = person.email.toLowerCase()
  const find = async () => (await internalAdapter.findUserByEmail(email))?.user ?? null
  const known = await find()
  if (known !== null) return { user: known, isNew: false }
  const made = internalAdapter.createUser({ email, name: person.name, emailVerified: true }, { method: 'svc-entry' })
  try {
    return { user: await made, isNew: true }
  } catch (error) {
    const user = await find()
    if (user === null) throw error
    return { user, isNew: false }
  }
}

/** Signs a user in; the user is made where there is none yet. */
async function enter(ctx: GenericEndpointContext, person: Person): Promise<string> {
  const { internalAdapter, password: passwords } = ctx.context
  const { user } = await findOrMake(ctx, person)
  if (person.password !== null) {
    const hash = await passwords.hash(person.password)
    await internalAdapter.linkAccount({
      userId: user.id,
      providerId: 'credential',
      accountId: user.id,
      password: hash,
    })
  }
  await begin(ctx, user)
  return user.id
}

async function begin(ctx: GenericEndpointContext, user: Awaited<ReturnType<typeof findOrMake>>['user']): Promise<void> {
  const session = await ctx.context.internalAdapter.createSession(user.id)
  await setSessionCookie(ctx, { session, user })
}

function demoEndpoint(deps: EntryDeps) {
  return createAuthEndpoint(DEMO_PATH, { method: 'POST', body: z.strictObject({}).optional() }, async (ctx) => {
    if (deps.demoEmail === null) throw new APIError('NOT_FOUND')
    const userId = await enter(ctx, { email: deps.demoEmail, name: 'Demo', password: null })
    await deps.onDemoUser(userId)
    return ctx.json({ ok: true })
  })
}

function firstRunEndpoint(deps: EntryDeps) {
  return createAuthEndpoint(FIRST_RUN_PATH, { method: 'POST', body: firstRunBody }, async (ctx) => {
    const { email, name, password = null } = ctx.body
    if (!(await deps.takeFirstRunToken(ctx.body.token))) {
      throw new APIError('FORBIDDEN', {
        code: 'FIRST_RUN_TOKEN_INVALID',
        message: 'This link was used already or is not the newest. Start the gateway again for a new one.',
      })
    }
    const userId = await enter(ctx, { email, name, password })
    await deps.onFirstOperator(userId, name)
    return ctx.json({ ok: true })
  })
}

/**
 * The email of an invitation proves whose the address is, so it lets in a person who has no account yet. A person who
 * has one signs in as ever: an email that works for days is no key to an account.
 */
function joinEndpoint(deps: EntryDeps) {
  return createAuthEndpoint(JOIN_PATH, { method: 'POST', body: joinBody }, async (ctx) => {
    const email = await deps.findInvited(ctx.body.token)
    if (email === null) {
      throw new APIError('FORBIDDEN', { code: 'INVITATION_ENDED', message: 'This invitation is not open any more.' })
    }
    const { user, isNew } = await findOrMake(ctx, { email, name: ctx.body.name })
    if (!isNew) {
      throw new APIError('CONFLICT', {
        code: 'SIGN_IN_FIRST',
        message: 'There is an account for this address: sign in.',
      })
    }
    await begin(ctx, user)
    await deps.onJoined(ctx.body.token, user.id)
    return ctx.json({ ok: true })
  })
}

/** Gives the message with a nonce that the library's own verification takes once. */
function challengeEndpoint({ origins, now }: EntryDeps) {
  return createAuthEndpoint(CHALLENGE_PATH, { method: 'POST', body: challengeBody }, async (ctx) => {
    const nonce = randomBytes(NONCE_BYTES).toString('hex')
    await ctx.context.internalAdapter.createVerificationValue({
      identifier: `siwe:${nonce}`,
      value: nonce,
      expiresAt: new Date(now() + WALLET_MESSAGE_MS),
    })
    const frame = { origin: origins[0], statement: SIGN_IN_STATEMENT, nonce }
    return ctx.json({ message: await writeWalletMessage(frame, ctx.body, now()) })
  })
}

/** @returns a plugin of the sign-in library. */
export function entryPlugin(deps: EntryDeps) {
  return {
    id: 'svc-entry',
    endpoints: {
      signInDemo: demoEndpoint(deps),
      firstRun: firstRunEndpoint(deps),
      join: joinEndpoint(deps),
      walletChallenge: challengeEndpoint(deps),
    },
  } satisfies BetterAuthPlugin
}
