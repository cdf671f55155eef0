/** How a terminal is signed in from a browser. The flow is that of RFC 8628, in the forms of this API. */
import { z } from 'zod'

/** Characters of a machine's name at most, so that it fits into the name of a key. */
export const DEVICE_NAME_LENGTH_MAX = 40
const DEVICE_CODE_LENGTH_MAX = 128

/** Body of `POST /v1/device/code`. */
export const newDeviceCode = z.object({
  device_name: z
    .string()
    .trim()
    .min(1)
    .max(DEVICE_NAME_LENGTH_MAX)
    .regex(/^[A-Za-z0-9][A-Za-z0-9 ._'-]*$/, 'expected letters, digits, blanks, dots, dashes and apostrophes.')
    .describe('What people call the machine. The person who decides reads it, and the key is named after it.'),
  wants_keys: z.boolean().nullish().describe('Whether the key shall have the right `keys`; the person decides.'),
})

export type NewDeviceCodeBody = z.output<typeof newDeviceCode>

/** What the terminal shows, and what it keeps. Source: RFC 8628 section 3.2. */
export const deviceCodeReply = z
  .object({
    object: z.literal('device_code'),
    device_code: z.string().describe('For the terminal alone: it fetches the key with it.'),
    user_code: z.string().describe('For the person, who types it on the page.'),
    verification_uri: z.string().describe('The page. The code is not in it: who types it has seen the terminal.'),
    expires_in: z.int().describe('Seconds until both codes end.'),
    interval: z.int().describe('Seconds between two polls, at least.'),
  })
  .meta({ id: 'DeviceCode' })

export type DeviceCodeReply = z.output<typeof deviceCodeReply>

/** Body of `POST /v1/device/token`. */
export const deviceTokenRequest = z.object({ device_code: z.string().min(1).max(DEVICE_CODE_LENGTH_MAX) })

/** What became of the request. */
export const deviceTokenReply = z
  .object({
    object: z.literal('device_token'),
    status: z
      .enum(['pending', 'approved', 'denied', 'expired'])
      .describe('pending: ask again after `interval`. expired: ask for new codes.'),
    interval: z.int().describe('Seconds until the next poll, at least.'),
    key: z.string().nullable().describe('The key, once it is approved; null before, and otherwise.'),
  })
  .meta({ id: 'DeviceToken' })

export type DeviceTokenReply = z.output<typeof deviceTokenReply>
