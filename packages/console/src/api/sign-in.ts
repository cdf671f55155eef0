/** The sign-in pages' calls. They belong to the sign-in library of the gateway and not to the contract. */
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'

/** A refusal that a person can read. */
export class SignInError extends Error {
  /** What the gateway calls it; null where it was not reached. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.name = 'SignInError'
    this.code = code
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'The address or the password is wrong.',
  SIGN_UP_CLOSED: 'There is no account for this. Ask the operator for an invitation.',
  INVALID_TOKEN: 'This link has been used or has expired.',
}

/** @throws {SignInError} with a sentence for the person. */
async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`/api/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new SignInError('The gateway cannot be reached.')
  })
  if (response.ok) return response.json()
  const answer: unknown = await response.json().catch(() => null)
  const code: unknown = Reflect.get(Object(answer), 'code')
  const message: unknown = Reflect.get(Object(answer), 'message')
  const words = REFUSALS[String(code)] ?? (typeof message === 'string' ? message : 'That did not work.')
  throw new SignInError(words, typeof code === 'string' ? code : null)
}

/** Whether a way of signing in has let the person in, or asks for a code besides. */
export function awaitsCode(answer: unknown): boolean {
  return Reflect.get(Object(answer), 'second_factor') === true
}

/** @param code of the authenticator app, or for recovery. */
export const finishSignIn = (code: string): Promise<unknown> => post('/second-factor', { code })

export const signInByDemo = (): Promise<unknown> => post('/sign-in/demo', {})

export const signInByPassword = (person: { readonly email: string; readonly password: string }): Promise<unknown> =>
  post('/sign-in/email', person)

/** The answer is the same whether a mail leaves or not. @param next page of the console that the link leads to. */
export const sendSignInLink = (email: string, next: string): Promise<unknown> =>
  post('/sign-in/magic-link', { email, callbackURL: next })

export const signInByLink = (token: string): Promise<unknown> => post('/magic-link/verify', { token })

/** What the browser is asked for, as `navigator.credentials.get` has it. */
export async function passkeyOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return (await post('/passkey/options', {})) as PublicKeyCredentialRequestOptionsJSON
}

/** @param answer of the browser. */
export const signInByPasskey = (answer: object): Promise<unknown> => post('/passkey/verify', answer)

/** The message that the wallet is to sign. */
export async function challengeWallet(place: { readonly address: string; readonly chainId: number }): Promise<string> {
  return String(Reflect.get(Object(await post('/siwe/challenge', place)), 'message'))
}

export const signInByWallet = (signed: { readonly message: string; readonly signature: string }): Promise<unknown> =>
  post('/siwe/verify', signed)

/** Makes an account for a new person by the invitation email. */
export const joinByInvitation = (person: { readonly token: string; readonly name: string }): Promise<unknown> =>
  post('/join', person)

export const firstRun = (person: {
  readonly token: string
  readonly email: string
  readonly name: string
  readonly password?: string
}): Promise<unknown> => post('/first-run', person)

/** Signs out, and takes what the playground has kept out of this browser. */
export async function signOut(): Promise<void> {
  await post('/sign-out', {})
  const { leavePlayground } = await import('../pages/playground/leave-playground.ts')
  await leavePlayground()
}
