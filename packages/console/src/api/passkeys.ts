/** Passkeys of this browser and its devices. What speaks with them is loaded when it is needed. */
import type { NewPasskeyAnswer, PasskeyCreation } from '@svc/contract'
import { passkeyOptions, SignInError, signInByPasskey } from './sign-in.ts'

const load = () => import('@simplewebauthn/browser')

/** Browsers tie passkeys to a name: a console that was opened by an IP address has none. */
export function isOpenedByName(): boolean {
  return !/^(?:[\d.]+|\[.*\])$/.test(location.hostname)
}

/** Whether this browser knows passkeys at all, at the address at which this page was opened. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && isOpenedByName()
}

/** What went wrong between the browser, its person and their device, in words for the person. */
export class PasskeyError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PasskeyError'
  }
}

const WORDS: Readonly<Record<string, string>> = {
  // Browsers say the same of a person who has cancelled and of one who has no passkey, and mean to.
  NotAllowedError: 'No passkey was used: it was cancelled, took too long, or there is none here.',
  InvalidStateError: 'This device has a passkey for your account already.',
  NotSupportedError: 'This device can make no passkey that signs in here.',
  ConstraintError: 'This device cannot ask who you are: set a PIN, a fingerprint or a face on it first.',
  SecurityError: 'The browser gives this address no passkeys.',
}

async function withDevice<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // The library names its error as the browser's, or keeps that as the cause.
    const { cause } = error
    const name = WORDS[error.name] === undefined && cause instanceof Error ? cause.name : error.name
    throw new PasskeyError(WORDS[name] ?? 'The browser could not use a passkey.')
  }
}

/** Has a device make a passkey. @throws {PasskeyError} */
export async function makePasskey(optionsJSON: PasskeyCreation): Promise<NewPasskeyAnswer> {
  const { startRegistration } = await load()
  return withDevice(async () => {
    const { response, ...made } = await startRegistration({ optionsJSON: optionsJSON as CreationOptions })
    return { ...made, response, clientExtensionResults: { ...made.clientExtensionResults } }
  })
}

type CreationOptions = Parameters<Awaited<ReturnType<typeof load>>['startRegistration']>[0]['optionsJSON']

/** Signs in by a passkey that the person chooses. @throws {PasskeyError | SignInError} */
export async function enterByPasskey(): Promise<unknown> {
  const { startAuthentication } = await load()
  const optionsJSON = await passkeyOptions()
  return enter(optionsJSON.rpId, await withDevice(() => startAuthentication({ optionsJSON })))
}

/**
 * Lets the browser offer passkeys where a name is typed, until one is chosen or another offer is made.
 *
 * @returns a way of signing in by the one that was chosen; null where the browser makes no such offers.
 */
export async function offerPasskeys(): Promise<(() => Promise<unknown>) | null> {
  const { browserSupportsWebAuthnAutofill, startAuthentication } = await load()
  if (!(await browserSupportsWebAuthnAutofill())) return null
  const optionsJSON = await passkeyOptions()
  const answer = await startAuthentication({ optionsJSON, useBrowserAutofill: true })
  return () => enter(optionsJSON.rpId, answer)
}

/** Takes back what `offerPasskeys` offers. */
export async function endOffer(): Promise<void> {
  const { WebAuthnAbortService } = await load()
  WebAuthnAbortService.cancelCeremony()
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof load>>['startAuthentication']>>

/** A passkey that the gateway does not know is forgotten by the browser, where it can be told so. */
async function enter(rpId: string | undefined, answer: Answer): Promise<unknown> {
  try {
    return await signInByPasskey(answer)
  } catch (error) {
    if (error instanceof SignInError && error.code === 'PASSKEY_UNKNOWN' && rpId !== undefined) {
      await signalUnknown(rpId, answer.id)
    }
    throw error
  }
}

/** Source: W3C Web Authentication, level 3, section 5.1.10.1. */
async function signalUnknown(rpId: string, credentialId: string): Promise<void> {
  const signal: unknown = Reflect.get(PublicKeyCredential, 'signalUnknownCredential')
  if (typeof signal !== 'function') return
  await Promise.resolve(signal.call(PublicKeyCredential, { rpId, credentialId })).catch(() => undefined)
}
