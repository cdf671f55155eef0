/**
 * How often a password may be tried for one account, from however many addresses. Failures slow the next attempts down
 * and never end them, and what strangers do does not slow a person who signs in by another way or in a browser that the
 * account knows. Source: decision 0097 (wrong passwords).
 */
import { createHmac } from 'node:crypto'
import { type KnownDevice, recogniseDevice } from './known-device.ts'
import type { PasswordAttemptStore } from './password-attempt-store.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** What to wait after each failure. Four cost nothing; a day of guessing is about a hundred. Source: own choice. */
const DELAYS = [
  ...([0, 0, 0, 0] as const),
  ...[30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS, 8 * MINUTE_MS, 15 * MINUTE_MS],
] as const

export interface PasswordAttemptDeps {
  readonly attempts: PasswordAttemptStore
  readonly secret: string
  readonly now: () => number
}

/** Whose failures are counted: an account's, those of a browser that it knows, or of a signed-in person. */
export type AttemptName =
  | { readonly kind: 'account'; readonly email: string }
  | { readonly kind: 'device'; readonly deviceId: string }
  | { readonly kind: 'user'; readonly userId: string }
  /** Codes of a person's second factor. */
  | { readonly kind: 'factor'; readonly userId: string }

/**
 * Says under which name a sign-in is counted. It depends on what the browser sends alone, so that it tells nothing
 * about whether there is such an account.
 */
export function attemptName(
  device: Omit<KnownDevice, 'email'>,
  email: string,
): Extract<AttemptName, { kind: 'account' | 'device' }> {
  const deviceId = recogniseDevice({ ...device, email })
  return deviceId === null ? { kind: 'account', email: email.toLowerCase() } : { kind: 'device', deviceId }
}

/**
 * Counts an attempt before it is made, so that many at the same moment are no more than the limit.
 *
 * @returns null when it may be made; else how many seconds to wait.
 */
export async function takeAttempt(
  { attempts, secret, now }: PasswordAttemptDeps,
  name: AttemptName,
): Promise<number | null> {
  const until = await attempts.take(hashName(secret, name), DELAYS, now())
  return until === null ? null : Math.max(1, Math.ceil((until - now()) / SECOND_MS))
}

/** Forgets the failures of a name: its owner has signed in. */
export async function clearAttempts(
  { attempts, secret }: Pick<PasswordAttemptDeps, 'attempts' | 'secret'>,
  name: AttemptName,
): Promise<void> {
  await attempts.clear(hashName(secret, name))
}

/** The database holds no address that a stranger has typed. */
function hashName(secret: string, name: AttemptName): string {
  const id = name.kind === 'account' ? name.email : name.kind === 'device' ? name.deviceId : name.userId
  return createHmac('sha256', secret).update(`password attempt\n${name.kind}\n${id}`).digest('hex')
}
