/**
 * What a browser is asked for, and whether its answer holds. The library that checks answers is loaded at the first of
 * them: most gateways start without one. Source: W3C Web Authentication, sections 7.1 and 7.2.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { NewPasskeyAnswer, PasskeyAnswer } from '@svc/contract'
import type { StoredPasskey } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'
import type { User } from './sign-in.ts'

export type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON }

/** EdDSA, ES256 and RS256: what devices have. Source: IANA, COSE algorithms. */
const ALGORITHMS = [-8, -7, -257]
/** Source: W3C Web Authentication, section 4: at most 1023 bytes. */
const CREDENTIAL_ID_LENGTH_MAX = 1_364

interface Asking {
  readonly party: RelyingParty
  /** In base64url. */
  readonly challenge: string
  readonly timeoutMs: number
}

export interface AskForNewPasskey extends Asking {
  readonly user: User
  /** What the gateway is called. */
  readonly brand: string
  /** Those that the person has: their devices make no second one. */
  readonly known: readonly StoredPasskey[]
}

/** What the browser is asked for to make a passkey. The device must know its person, and find the passkey by itself. */
export function askForNewPasskey(asking: AskForNewPasskey): PublicKeyCredentialCreationOptionsJSON {
  const { party, challenge, timeoutMs, user, brand, known } = asking
  const name = user.hasEmail ? user.email : user.name
  return {
    rp: { id: party.id, name: brand },
    user: { id: userHandle(user.userId), name, displayName: user.name },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: timeoutMs,
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      ...{ type: 'public-key', id: credentialId },
      transports: [...transports] as NonNullable<AuthenticatorTransports>,
    })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    // Which make of device it is decides nothing here.
    attestation: 'none',
    extensions: { credProps: true },
  }
}

type AuthenticatorTransports = RegistrationResponseJSON['response']['transports']

/** What the browser is asked for to use a passkey, whichever of its person's it is. */
export function askForPasskey({ party, challenge, timeoutMs }: Asking): PublicKeyCredentialRequestOptionsJSON {
  return { rpId: party.id, challenge, timeout: timeoutMs, userVerification: 'required' }
}

/** The challenge that an answer says it signs; null where it says nothing that can be read. */
export function challengeOf({ response }: { readonly response: { readonly clientDataJSON: string } }): string | null {
  try {
    const client: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
    const challenge: unknown = Reflect.get(Object(client), 'challenge')
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}

export type ProvenPasskey = Pick<StoredPasskey, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'isBackedUp'>

interface Expected {
  readonly party: RelyingParty
  readonly challenge: string
}

/** @returns null where the answer does not prove a new passkey whose device knows its person. */
export async function proveNewPasskey(
  { party, challenge }: Expected,
  answer: NewPasskeyAnswer,
): Promise<ProvenPasskey | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  try {
    const attested = decodeAttestationObject(isoBase64URL.toBuffer(answer.response.attestationObject))
    // The gateway asks for no certificates, and the library would fetch lists of withdrawn ones from wherever they say.
    if (attested.get('attStmt').get('x5c') !== undefined || !['none', 'packed'].includes(attested.get('fmt'))) {
      return null
    }
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: answer as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified || registrationInfo.credential.id.length > CREDENTIAL_ID_LENGTH_MAX) return null
    const { credential, credentialBackedUp: isBackedUp } = registrationInfo
    // What the answer calls the passkey is not signed; what the device has written is.
    if (credential.id !== answer.id) return null
    return {
      ...{ credentialId: credential.id, counter: credential.counter, isBackedUp },
      publicKey: isoBase64URL.fromBuffer(credential.publicKey),
      transports: answer.response.transports ?? [],
    }
  } catch {
    // The library says in English what is wrong with a forged answer, and throws for all of it.
    return null
  }
}

/** What a use says of the device. */
export type ProvenUse = Pick<StoredPasskey, 'counter' | 'isBackedUp'>

/**
 * The counter is not looked at: the store compares it when it writes it, in one statement.
 *
 * @returns null where the answer does not prove the passkey in the hands of its person.
 */
export async function provePasskey(
  { party, challenge }: Expected,
  passkey: StoredPasskey,
  answer: PasskeyAnswer,
): Promise<ProvenUse | null> {
  const handle = answer.response.userHandle
  if (handle !== userHandle(passkey.userId) || passkey.rpId !== party.id) return null
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, 'base64url'))
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id: passkey.credentialId, publicKey, counter: 0 },
    })
    if (!verified) return null
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
  } catch {
    return null
  }
}

/** By which a device tells the people of one gateway apart. The id says nothing of the person. */
function userHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}
