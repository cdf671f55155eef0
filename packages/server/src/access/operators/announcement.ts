/** What operators tell everybody who signs in, as other rooms see it. */
export type { Announcement, AnnouncementStore } from './announcement-store.ts'
