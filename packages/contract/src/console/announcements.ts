import { z } from 'zod'
import { recordId } from '../record-id.ts'
import { operatorReason } from './operator-settings.ts'

export const ANNOUNCEMENT_TITLE_LENGTH_MAX = 120
export const ANNOUNCEMENT_BODY_LENGTH_MAX = 1_000

export const announcementKinds = ['news', 'maintenance'] as const

/** Control characters and marks that turn the direction of text. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const plainText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .transform((text) => text.replaceAll(/\r\n?/g, '\n'))
    .refine((text) => !HIDDEN.test(text), 'expected visible characters.')

/** Until the year 2100: a time in seconds, and no mistake for milliseconds. */
const SECONDS_MAX = 4_102_444_800
const seconds = z.int().min(0).max(SECONDS_MAX)

/** What operators tell everybody who signs in. */
export const announcement = z.object({
  id: z.string(),
  kind: z.enum(announcementKinds),
  title: z.string(),
  body: z.string(),
  starts_at: z.int().describe('Seconds since the epoch. A maintenance is announced from when it is made.'),
  ends_at: z.int().nullable().describe('From then on it is not shown; null for news without an end.'),
})

export type Announcement = z.output<typeof announcement>

/** Those that are shown now, the nearest maintenance first, then the newest. */
export const announcementList = z.object({ data: z.array(announcement) })

export const operatorAnnouncement = announcement.extend({
  state: z.enum(['shown', 'waiting', 'over', 'withdrawn']),
  created_at: z.int(),
  created_by: z.string(),
})

export type OperatorAnnouncement = z.output<typeof operatorAnnouncement>

/** Newest first. */
export const operatorAnnouncementList = z.object({ data: z.array(operatorAnnouncement) })

export const newAnnouncement = z
  .strictObject({
    kind: z.enum(announcementKinds),
    title: plainText(ANNOUNCEMENT_TITLE_LENGTH_MAX),
    body: plainText(ANNOUNCEMENT_BODY_LENGTH_MAX),
    starts_at: seconds.nullable().default(null).describe('Null for now.'),
    ends_at: seconds.nullable().default(null),
  })
  .superRefine(({ kind, starts_at: from, ends_at: to }, context) => {
    if (to === null && kind === 'maintenance') {
      context.addIssue({ code: 'custom', path: ['ends_at'], message: 'A maintenance needs its end.' })
    }
    if (to !== null && from !== null && to <= from) {
      context.addIssue({ code: 'custom', path: ['ends_at'], message: 'The end comes after the beginning.' })
    }
  })

export type NewAnnouncement = z.output<typeof newAnnouncement>

export const announcementPath = z.object({ announcement_id: recordId('an announcement') })
export const announcementWithdrawal = z.object({ reason: operatorReason })
