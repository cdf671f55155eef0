/** Passkeys as browsers speak of them. Source: W3C Web Authentication, section 5.1 (the JSON forms). */
import { z } from 'zod'
import { personName } from './people.ts'

/** Bytes as browsers write them: base64url without padding. */
const bytes = (lengthMax: number) =>
  z
    .string()
    .min(1)
    .max(lengthMax)
    .regex(/^[\w-]+$/, 'expected base64url.')

const CREDENTIAL_ID_LENGTH_MAX = 1_364
const CLIENT_DATA_LENGTH_MAX = 4_000
const ATTESTATION_LENGTH_MAX = 16_000
const SIGNED_LENGTH_MAX = 2_000

const credentialId = bytes(CREDENTIAL_ID_LENGTH_MAX)
const kind = z.literal('public-key')
const clientDataJSON = bytes(CLIENT_DATA_LENGTH_MAX)

/** What a browser says of a passkey that it has made. */
export const newPasskeyAnswer = z.object({
  id: credentialId,
  rawId: credentialId,
  type: kind,
  response: z.object({
    clientDataJSON,
    attestationObject: bytes(ATTESTATION_LENGTH_MAX),
    transports: z
      .array(
        z
          .string()
          .max(32)
          .regex(/^[\w-]+$/, 'expected a word.'),
      )
      .max(8)
      .optional(),
  }),
  clientExtensionResults: z.looseObject({}).default({}),
})

export type NewPasskeyAnswer = z.output<typeof newPasskeyAnswer>

/** What a browser says of a passkey that signs in. Whose it is comes from the device, too. */
export const passkeyAnswer = z.object({
  id: credentialId,
  rawId: credentialId,
  type: kind,
  response: z.object({
    clientDataJSON,
    authenticatorData: bytes(SIGNED_LENGTH_MAX),
    signature: bytes(SIGNED_LENGTH_MAX),
    userHandle: bytes(128).nullish(),
  }),
  clientExtensionResults: z.looseObject({}).default({}),
})

export type PasskeyAnswer = z.output<typeof passkeyAnswer>

/** Needed where a second factor is on: a passkey signs in without it. */
export const passkeyRequest = z.object({ code: z.string().min(1).max(64).optional() })

const known = z.object({ id: z.string(), type: kind, transports: z.array(z.string()).optional() })

/** What the browser is asked for to make a passkey, as `navigator.credentials.create` has it. */
export const passkeyCreation = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string().describe('Counts once, within five minutes, for this session.'),
  pubKeyCredParams: z.array(z.object({ type: kind, alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(known),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
  extensions: z.object({ credProps: z.literal(true) }),
})

export type PasskeyCreation = z.output<typeof passkeyCreation>

export const newPasskey = personName.extend({ answer: newPasskeyAnswer })

export const madePasskey = z.object({ id: z.string() })

export const passkeyPath = z.object({ passkey_id: z.string().min(1).max(64) })

export const passkeyObstacles = ['bare_address', 'plain_http', 'turned_off'] as const

/** A passkey as its person sees it. */
export const passkeyView = z.object({
  id: z.string(),
  name: z.string(),
  added_at: z.int().describe('Seconds since the epoch.'),
  last_used_at: z.int().nullable(),
  is_backed_up: z.boolean().describe('The device has a copy elsewhere, such as in a password manager.'),
  is_usable: z
    .boolean()
    .describe('False where it was made for another address of the gateway, and while passkeys are turned off.'),
})

export type PasskeyView = z.output<typeof passkeyView>
