/** What operators tell everybody who signs in. Source: decision 0171. */
import type { NewAnnouncement } from '@svc/contract'
import type { Announcement } from '../../access/operators/announcement.ts'
import { type JournalDeps, keepJournal, type Operator } from '../../access/operators/journal.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { Writing } from './operations-deps.ts'

type AnnounceDeps = JournalDeps & Writing<'announcements'>

const MS = 1_000

/**
 * Publishes an announcement, with an entry in the journal that has its title and its times.
 *
 * @throws {ServiceError} `invalid_value` for one that would be over before anybody could read it.
 */
export async function publishAnnouncement(
  deps: AnnounceDeps,
  by: Operator,
  { kind, title, body, starts_at: from, ends_at: to }: NewAnnouncement,
): Promise<Announcement> {
  const now = deps.clock.now()
  const startsAt = from === null ? now : from * MS
  const endsAt = to === null ? null : to * MS
  if (endsAt !== null && (endsAt <= now || endsAt <= startsAt)) {
    throw new ServiceError('invalid_value', 'The end is to come, and after the beginning.', { param: 'ends_at' })
  }
  const announcementId = createId(now)
  const made = { announcementId, kind, title, body, startsAt, endsAt, createdAt: now, createdBy: by.name }
  const details = { kind, title, starts_at: timeText(startsAt), ends_at: endsAt === null ? null : timeText(endsAt) }
  await keepJournal(
    deps,
    by,
    { action: 'announcement.publish', subject: announcementId, details },
    { work: () => deps.writesOf(by).announcements.insert(made), outcomeOf: () => 'done' },
  )
  return { ...made, withdrawnAt: null }
}

/** @throws {ServiceError} `announcement_not_found` for one that is not there, or that was taken back before. */
export async function withdrawAnnouncement(
  deps: AnnounceDeps,
  by: Operator,
  { announcementId, reason }: { readonly announcementId: string; readonly reason: string },
): Promise<void> {
  await keepJournal(
    deps,
    by,
    { action: 'announcement.withdraw', subject: announcementId, reason },
    {
      work: async () => {
        if (await deps.writesOf(by).announcements.withdraw(announcementId, deps.clock.now())) return
        throw new ServiceError('announcement_not_found', 'There is no such announcement that is shown.', {
          param: 'announcement_id',
        })
      },
      outcomeOf: () => 'done',
    },
  )
}

function timeText(at: number): string {
  return new Date(at).toISOString()
}
