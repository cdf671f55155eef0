/** Signing in by a passkey: what the browser is asked for, and what it answers. */
import { passkeyAnswer } from '@svc/contract'
import { randomBytes } from 'node:crypto'
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import type { EnterOutcome, Passkeys } from './passkeys.ts'
import type { SecondFactors } from './second-factors.ts'
import { PASSKEY_OPTIONS_PATH, PASSKEY_PATH } from './sign-in-paths.ts'

export interface PasskeyPluginDeps {
  readonly passkeys: Pick<Passkeys, 'beginEntry' | 'enter'>
  readonly factors: Pick<SecondFactors, 'noteProven'>
  /** The whole name of the cookie that ties a challenge to the browser that asked for it. */
  readonly cookieName: string
  readonly isSecure: boolean
}

const BROWSER_BYTES = 16
const BROWSER_FORM = /^[0-9a-f]{32}$/
/** Longer than a challenge counts. */
const BROWSER_SECONDS = 600

const REFUSALS: Readonly<Record<Exclude<EnterOutcome['kind'], 'entered'>, readonly [code: string, message: string]>> = {
  wrong_challenge: ['PASSKEY_EXPIRED', 'This has been used or took too long. Try again.'],
  unknown_passkey: ['PASSKEY_UNKNOWN', 'This passkey signs in to no account here. It may have been removed.'],
  not_proven: ['PASSKEY_NOT_PROVEN', 'This passkey was not proven. Try again, or sign in another way.'],
  copied: [
    'PASSKEY_COPIED',
    'This passkey may have been copied: its device has counted back. Sign in another way, and remove the passkey.',
  ],
}

function refusal(kind: keyof typeof REFUSALS): APIError {
  const [code, message] = REFUSALS[kind]
  return new APIError('UNAUTHORIZED', { code, message })
}

/** Tabs of one browser share its text, so that each of their challenges counts. */
function optionsEndpoint({ passkeys, cookieName, isSecure }: PasskeyPluginDeps) {
  const body = z.strictObject({}).optional()
  return createAuthEndpoint(PASSKEY_OPTIONS_PATH, { method: 'POST', body }, async (ctx) => {
    const known = ctx.getCookie(cookieName)
    const browser = known !== null && BROWSER_FORM.test(known) ? known : randomBytes(BROWSER_BYTES).toString('hex')
    const options = await passkeys.beginEntry(browser)
    // The page that asks is ours, and so is the one that answers.
    const attributes = { httpOnly: true, sameSite: 'strict', secure: isSecure, path: '/' } as const
    ctx.setCookie(cookieName, browser, { ...attributes, maxAge: BROWSER_SECONDS })
    return ctx.json(options)
  })
}

/** A passkey's device has asked for its person, so that the session has proven both factors. */
function enterEndpoint({ passkeys, factors, cookieName }: PasskeyPluginDeps) {
  return createAuthEndpoint(PASSKEY_PATH, { method: 'POST', body: passkeyAnswer }, async (ctx) => {
    const entered = await passkeys.enter(ctx.getCookie(cookieName) ?? '', ctx.body)
    if (entered.kind !== 'entered') throw refusal(entered.kind)
    const { internalAdapter } = ctx.context
    const user = await internalAdapter.findUserById(entered.userId)
    if (user === null) throw refusal('unknown_passkey')
    const session = await internalAdapter.createSession(user.id)
    await factors.noteProven(session.id)
    await setSessionCookie(ctx, { session, user })
    return ctx.json({ ok: true })
  })
}

/** @returns a plugin of the sign-in library. */
export function passkeyPlugin(deps: PasskeyPluginDeps) {
  return {
    id: 'svc-passkey',
    endpoints: { passkeyOptions: optionsEndpoint(deps), passkeyEnter: enterEndpoint(deps) },
  } satisfies BetterAuthPlugin
}
