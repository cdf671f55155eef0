/** What goes around the library's answers: limits of passwords before, and the mark of a known browser after. */
import { DEVICE_COOKIE, deviceCookie } from './known-device.ts'
import { attemptName, clearAttempts, type PasswordAttemptDeps, takeAttempt } from './password-attempts.ts'

export interface SignInGuardDeps extends PasswordAttemptDeps {
  readonly cookiePrefix: string
  readonly isSecure: boolean
  /** The address of whom a cookie signs in; null without a session, or where a second factor is missing. */
  readonly emailOf: (cookie: string) => Promise<string | null>
}

/** What a sign-in leaves behind. */
export interface Welcome {
  readonly email: string
  /** The header that it sets. */
  readonly cookie: string
  /** Whether the account has never signed in there. */
  readonly isNewDevice: boolean
}

const ADDRESS_LENGTH_MAX = 320

/**
 * Lets a password be tried, or refuses. Whether there is such an account changes neither the answer nor its time.
 *
 * @returns the refusal; null where the attempt is counted and may be made.
 */
export async function limitPassword(deps: SignInGuardDeps, request: Request): Promise<Response | null> {
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null)
  const email: unknown = Reflect.get(Object(body), 'email')
  // The library refuses it in its own words, and looks at no password.
  if (typeof email !== 'string' || email.length > ADDRESS_LENGTH_MAX) return null
  const device = { ...deviceOf(deps), cookies: request.headers.get('cookie') }
  const seconds = await takeAttempt(deps, attemptName(device, email))
  if (seconds === null) return null
  const message = `Too many wrong passwords for this account. Try again in ${seconds} s, or sign in another way.`
  return Response.json(
    { code: 'TOO_MANY_PASSWORDS', message },
    { status: 429, headers: { 'retry-after': String(seconds) } },
  )
}

/**
 * A person who has signed in, by whichever way, is the account's owner: its failures are forgotten, and their browser
 * is known from now on.
 *
 * @param cookies what the answer sets.
 * @returns null where signing in failed, or is not finished.
 */
export async function welcome(
  deps: SignInGuardDeps,
  request: Request,
  cookies: readonly string[],
): Promise<Welcome | null> {
  const session = cookies.map((cookie) => cookie.split(';')[0] ?? '').find((pair) => /session_token=./.test(pair))
  const email = session === undefined ? null : await deps.emailOf(session)
  if (email === null) return null
  const device = { ...deviceOf(deps), cookies: request.headers.get('cookie') }
  const name = attemptName(device, email)
  await clearAttempts(deps, name)
  if (name.kind === 'device') await clearAttempts(deps, { kind: 'account', email: email.toLowerCase() })
  return { email, cookie: deviceCookie(device, email, deps.isSecure), isNewDevice: name.kind === 'account' }
}

function deviceOf({ secret, cookiePrefix }: SignInGuardDeps) {
  return { secret, cookieName: `${cookiePrefix}.${DEVICE_COOKIE}` }
}
