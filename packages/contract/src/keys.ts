import { z } from 'zod'

const RAW_KEY_LENGTH_MAX = 200
/** Characters of a key's name at most. Source: decision 0011 (keys). */
export const KEY_NAME_LENGTH_MAX = 64

/** Written out, since the document shows it, and what reads patterns elsewhere knows no classes of Unicode. */
// oxlint-disable-next-line no-control-regex
const NO_CONTROLS = /^[^\u0000-\u001f\u007f-\u009f]*$/

/** Body of `POST /keys/mirror`. Source: spec 2.11. */
export const mirrorRequest = z.object({
  raw: z.string().max(RAW_KEY_LENGTH_MAX).describe('The key itself. Only its hash is stored.'),
  name: z
    .string()
    .trim()
    .min(1)
    .max(KEY_NAME_LENGTH_MAX)
    .regex(NO_CONTROLS, 'expected a text without control characters.')
    .describe('What people call the key.'),
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
