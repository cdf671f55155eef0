/** Two more ways in: the first operator's one-time token, and the sandbox's single click. */
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import type { SignInDeps } from './sign-in-policy.ts'

const NAME_LENGTH_MAX = 64
/** Source: NIST SP 800-63B, section 5.1.1: at least 8; 12 is our own choice for an operator. */
const PASSWORD_LENGTH_MIN = 12
const PASSWORD_LENGTH_MAX = 128

/** Makes a person only after their token was taken. */
export const FIRST_RUN_PATH = '/first-run'

const firstRunBody = z.strictObject({
  token: z.string().min(1).max(256),
  email: z.email().max(254),
  name: z.string().trim().min(1).max(NAME_LENGTH_MAX),
  password: z.string().min(PASSWORD_LENGTH_MIN).max(PASSWORD_LENGTH_MAX).optional(),
})

/** Signs a user in; the user is made where there is none yet. */
async function enter(
  ctx: GenericEndpointContext,
  person: { readonly email: string; readonly name: string; readonly password: string | null },
): Promise<string> {
  const { internalAdapter, password: passwords } = ctx.context
  const email = person.email.toLowerCase()
  const found = await internalAdapter.findUserByEmail(email)
  const user =
    found?.user ??
    (await internalAdapter.createUser({ email, name: person.name, emailVerified: true }, { method: 'svc-entry' }))
  if (person.password !== null) {
    const hash = await passwords.hash(person.password)
    await internalAdapter.linkAccount({
      userId: user.id,
      providerId: 'credential',
      accountId: user.id,
      password: hash,
    })
  }
  const session = await internalAdapter.createSession(user.id)
  await setSessionCookie(ctx, { session, user })
  return user.id
}

function demoEndpoint(deps: SignInDeps) {
  return createAuthEndpoint('/sign-in/demo', { method: 'POST', body: z.strictObject({}).optional() }, async (ctx) => {
    if (deps.demoEmail === null) throw new APIError('NOT_FOUND')
    const userId = await enter(ctx, { email: deps.demoEmail, name: 'Demo', password: null })
    await deps.onDemoUser(userId)
    return ctx.json({ ok: true })
  })
}

function firstRunEndpoint(deps: SignInDeps) {
  return createAuthEndpoint(FIRST_RUN_PATH, { method: 'POST', body: firstRunBody }, async (ctx) => {
    const { token, email, name, password = null } = ctx.body
    if (!(await deps.takeFirstRunToken(token))) {
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

/** @returns a plugin of the sign-in library. */
export function entryPlugin(deps: SignInDeps) {
  return {
    id: 'svc-entry',
    endpoints: { signInDemo: demoEndpoint(deps), firstRun: firstRunEndpoint(deps) },
  } satisfies BetterAuthPlugin
}
