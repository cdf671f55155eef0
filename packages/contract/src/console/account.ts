import { z } from 'zod'
import { passkeyObstacles, passkeyView } from './passkeys.ts'
import { plainEmail } from './people.ts'

/** Source: decision 0040 (sign-in). */
/** Source: NIST SP 800-63B, section 5.1.1: at least 8; 12 is our own choice for an operator. */
export const PASSWORD_LENGTH_MIN = 12
export const PASSWORD_LENGTH_MAX = 128
const MESSAGE_LENGTH_MAX = 4_000
const SIGNATURE_LENGTH_MAX = 20_000

/** How a person signs in. */
export const accountWays = z.object({
  name: z.string(),
  email: z.string().nullable(),
  has_password: z.boolean(),
  second_factor: z.object({
    is_on: z.boolean(),
    recovery_codes_left: z.int().describe('0 where it is off.'),
  }),
  passkeys: z.array(passkeyView).describe('Oldest first.'),
  passkeys_off: z
    .enum(passkeyObstacles)
    .nullable()
    .describe('Why browsers give this gateway no passkeys, by its address; null where they do.'),
  wallets: z.array(
    z.object({
      id: z.string(),
      address: z.string().describe('With the checksum of ERC-55.'),
      chain_id: z.int(),
      linked_at: z.int().describe('Seconds since the epoch.'),
    }),
  ),
})

export const newPassword = z.object({
  current: z.string().min(1).max(PASSWORD_LENGTH_MAX).nullish().describe('Needed where there is one.'),
  next: z.string().min(PASSWORD_LENGTH_MIN).max(PASSWORD_LENGTH_MAX),
})

/** An email address that a person without one wants to add. */
export const newEmail = z.object({ email: plainEmail })

/** What the link of the email carries. */
export const emailProof = z.object({ token: z.string().min(1).max(200) })

export const walletPlace = z.object({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected 0x and 40 hex digits.'),
  chain_id: z.int().positive(),
})

/** What the wallet is to sign, with `personal_sign`. */
export const walletMessage = z.object({ message: z.string(), expires_at: z.int() })

export const signedWallet = z.object({
  message: z.string().min(1).max(MESSAGE_LENGTH_MAX),
  signature: z
    .string()
    .max(SIGNATURE_LENGTH_MAX)
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'expected 0x and hex digits in pairs.'),
})

export const signInWalletPath = z.object({ wallet_id: z.string().min(1).max(64) })

/** Six digits of an authenticator app, or a recovery code. */
export const factorCode = z.object({ code: z.string().min(1).max(64) })

/** What an authenticator app is told. It counts once a code of it was confirmed. */
export const newFactor = z.object({
  secret: z.string().describe('In base 32, for people who type it.'),
  address: z.string().describe('For a QR code.'),
})

export type NewFactorReply = z.output<typeof newFactor>

/** Shown once. */
export const recoveryCodes = z.object({ codes: z.array(z.string()) })
