import type { Database } from '../../platform/db/database.ts'

export interface Announcement {
  readonly announcementId: string
  readonly kind: 'news' | 'maintenance'
  readonly title: string
  readonly body: string
  /** Milliseconds since the epoch. */
  readonly startsAt: number
  /** Null for news without an end. */
  readonly endsAt: number | null
  readonly createdAt: number
  readonly createdBy: string
  /** Null unless an operator has taken it back. */
  readonly withdrawnAt: number | null
}

export interface AnnouncementStore {
  insert(announcement: Omit<Announcement, 'withdrawnAt'>): Promise<void>
  /** Returns false for one that is not there, or that was taken back before. */
  withdraw(announcementId: string, now: number): Promise<boolean>
  /** Newest first. */
  list(limit: number): Promise<readonly Announcement[]>
  /** Those that people see: news since their beginning, a maintenance since it was announced; until their end. */
  listShown(now: number, limit: number): Promise<readonly Announcement[]>
}

/** Makes the store of what operators tell everybody. */
export function createAnnouncementStore(database: Database): AnnouncementStore {
  const { read } = database
  const all = () =>
    read
      .selectFrom('announcement')
      .select(['announcement_id as announcementId', 'kind', 'title', 'body', 'starts_at as startsAt'])
      .select(['ends_at as endsAt', 'created_at as createdAt', 'created_by as createdBy'])
      .select('withdrawn_at as withdrawnAt')
  return {
    async insert({ announcementId, kind, title, body, startsAt, endsAt, createdAt, createdBy }) {
      const row = {
        ...{ announcement_id: announcementId, kind, title, body, starts_at: startsAt, ends_at: endsAt },
        ...{ created_at: createdAt, created_by: createdBy },
      }
      await database.write([read.insertInto('announcement').values(row).compile()])
    },
    async withdraw(announcementId, now) {
      const statement = read
        .updateTable('announcement')
        .set({ withdrawn_at: now })
        .where('announcement_id', '=', announcementId)
        .where('withdrawn_at', 'is', null)
      const [withdrawn] = await database.write([statement.compile()])
      return withdrawn === 1
    },
    list: (limit) => all().orderBy('announcement_id', 'desc').limit(limit).execute(),
    listShown: (now, limit) =>
      all()
        .where('withdrawn_at', 'is', null)
        .where((where) => where.or([where('ends_at', 'is', null), where('ends_at', '>', now)]))
        .where((where) => where.or([where('kind', '=', 'maintenance'), where('starts_at', '<=', now)]))
        .orderBy('kind')
        .orderBy('announcement_id', 'desc')
        .limit(limit)
        .execute(),
  }
}
