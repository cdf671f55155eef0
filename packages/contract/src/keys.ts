import { z } from 'zod'
import { budgetPeriods } from './balance.ts'
import { MODEL_CHARACTERS_MAX } from './chat.ts'
import { keyRights } from './kinds.ts'
import { creditsNumber } from './money-schema.ts'
import { recordId, recordIdForm } from './record-id.ts'

const RAW_KEY_LENGTH_MAX = 200
/** Characters of a key's name at most. Source: decision 0011 (keys). */
export const KEY_NAME_LENGTH_MAX = 64

/** Written out, since the document shows it, and what reads patterns elsewhere knows no classes of Unicode. */
// oxlint-disable-next-line no-control-regex
const NO_CONTROLS = /^[^\u0000-\u001f\u007f-\u009f]*$/

const keyName = z
  .string()
  .trim()
  .min(1)
  .max(KEY_NAME_LENGTH_MAX)
  .regex(NO_CONTROLS, 'expected a text without control characters.')
  .describe('What people call the key.')

/** Body of `POST /keys/mirror`. Source: spec 2.11. */
export const mirrorRequest = z.object({
  raw: z.string().max(RAW_KEY_LENGTH_MAX).describe('The key itself. Only its hash is stored.'),
  name: keyName,
})

export type MirrorRequestBody = z.output<typeof mirrorRequest>

/** What a mirror request may say beside yes or no. */
export const mirrorReasons = ['already_mirrored', 'invalid_key', 'not_permitted', 'throttled', 'unavailable'] as const

/** What `POST /keys/mirror` answers. */
export const mirrorReply = z
  .object({
    mirrored: z.boolean().describe('Whether the key works at this gateway now.'),
    reason: z
      .enum(mirrorReasons)
      .optional()
      .describe(
        'already_mirrored: it worked before. invalid_key: not a key, or one that cannot be mirrored. not_permitted: ' +
          'the key in use lacks the right `keys`. throttled: too many. unavailable: try again later. Absent when the ' +
          'key is new here.',
      ),
    retry_after: z.int().optional().describe('throttled: seconds after which another key may be mirrored.'),
  })
  .meta({ id: 'MirrorReply' })

export type MirrorReply = z.output<typeof mirrorReply>

/** Models in a key's list at most. */
const MODELS_MAX = 500
/** The last second of the year 9999: a key that shall live longer has no end. */
const EXPIRY_SECONDS_MAX = 253_402_300_799
/** Keys in one answer at most. */
export const API_KEY_PAGE_MAX = 200

/** Body of `POST /v1/keys`. */
export const newApiKey = z.object({
  name: keyName,
  expires_at: z
    .int()
    .positive()
    .max(EXPIRY_SECONDS_MAX)
    .nullish()
    .describe('Seconds since the epoch. Absent or null: it ends with the key in use.'),
  models: z
    .array(z.string().min(1).max(MODEL_CHARACTERS_MAX))
    .min(1)
    .max(MODELS_MAX)
    .nullish()
    .describe('Ids of the models that it may use. Absent or null: those of the key in use.'),
  rights: z
    .array(z.enum(keyRights))
    .min(1)
    .max(keyRights.length)
    .nullish()
    .describe('What it may do, as far as the key in use may. Absent or null: `inference`.'),
})

export type NewApiKeyBody = z.output<typeof newApiKey>

const apiKeyFields = {
  object: z.literal('api_key'),
  id: z.string(),
  name: z.string(),
  display: z.string().describe('The first characters and the last four.'),
  status: z.enum(['active', 'revoked', 'expired']),
  is_current: z.boolean().describe('Whether the request came with it.'),
  made_with: z.string().nullable().describe('The id of the key that it follows; null for one that follows none.'),
  rights: z.array(z.enum(keyRights)),
  models: z.array(z.string()).nullable().describe('Null for all.'),
  budget_credits: creditsNumber.nullable().describe('What it may spend at most; null without a cap.'),
  budget_period: z.enum(budgetPeriods),
  budget_used: creditsNumber.describe('In the present period, by all keys that share the budget.'),
  created: z.int().describe('Seconds since the epoch, as every time here.'),
  expires_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
  last_used_at: z.int().nullable().describe('Exact to the hour.'),
} as const

/** A key as its owner sees it: everything but the secret. */
export const apiKey = z.object(apiKeyFields).meta({ id: 'ApiKey' })

export type ApiKeyBody = z.output<typeof apiKey>

/** The key in use and those that follow it, the newest first. */
export const apiKeyList = z.object({ object: z.literal('list'), data: z.array(apiKey) }).meta({ id: 'ApiKeyList' })

export type ApiKeyListReply = z.output<typeof apiKeyList>

/** The one answer that has the secret in it. */
export const madeApiKey = z
  .object({ ...apiKeyFields, key: z.string().describe('The key itself. It is shown this once.') })
  .meta({ id: 'MadeApiKey' })

export type MadeApiKeyReply = z.output<typeof madeApiKey>

export const apiKeyPath = z.object({ key_id: recordId('a key') })

/** The form of a key's id. */
export const apiKeyIdForm = recordIdForm('a key')

/** What revoking answers. */
export const revokedApiKeyReply = z
  .object({ id: z.string(), object: z.literal('api_key.deleted'), deleted: z.literal(true) })
  .meta({ id: 'RevokedApiKey' })

export type RevokedApiKeyReply = z.output<typeof revokedApiKeyReply>
