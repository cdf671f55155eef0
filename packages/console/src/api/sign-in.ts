/** The sign-in pages' calls. They belong to the sign-in library of the gateway and not to the contract. */

/** A refusal that a person can read. */
export class SignInError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignInError'
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'The address or the password is wrong.',
  SIGN_UP_CLOSED: 'There is no account for this. Ask the operator for an invitation.',
}

/** @throws {SignInError} with a sentence for the person. */
async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`/api/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new SignInError('The gateway cannot be reached.')
  })
  if (response.ok) return
  if (response.status === 429) throw new SignInError('Too many attempts. Wait a minute and try again.')
  const answer: unknown = await response.json().catch(() => null)
  const code: unknown = Reflect.get(Object(answer), 'code')
  const message: unknown = Reflect.get(Object(answer), 'message')
  throw new SignInError(REFUSALS[String(code)] ?? (typeof message === 'string' ? message : 'That did not work.'))
}

export const signInByDemo = (): Promise<void> => post('/sign-in/demo', {})

export const signInByPassword = (person: { readonly email: string; readonly password: string }): Promise<void> =>
  post('/sign-in/email', person)

/** The answer is the same whether a mail leaves or not. */
export const sendSignInLink = (email: string): Promise<void> =>
  post('/sign-in/magic-link', { email, callbackURL: '/console', errorCallbackURL: '/console/sign-in' })

export const firstRun = (person: {
  readonly token: string
  readonly email: string
  readonly name: string
  readonly password?: string
}): Promise<void> => post('/first-run', person)

export const signOut = (): Promise<void> => post('/sign-out', {})
