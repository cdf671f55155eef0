import {
  announcementList,
  announcementPath,
  announcementWithdrawal,
  newAnnouncement,
  operatorAnnouncement,
  operatorAnnouncementList,
} from './announcements.ts'
import type { ConsoleTable } from './console-endpoint.ts'
import { doneReply } from './session.ts'

/** What everybody reads, and operators write. */
export const announcementEndpoints = {
  listAnnouncements: {
    id: 'listAnnouncements',
    method: 'GET',
    path: '/console/announcements',
    permission: null,
    request: {},
    reply: { description: 'What is shown now.', json: announcementList },
    errors: [],
  },
  listOperatorAnnouncements: {
    id: 'listOperatorAnnouncements',
    method: 'GET',
    path: '/console/operator/announcements',
    permission: 'operator',
    request: {},
    reply: { description: 'The latest, shown or not.', json: operatorAnnouncementList },
    errors: [],
  },
  publishAnnouncement: {
    id: 'publishAnnouncement',
    method: 'POST',
    path: '/console/operator/announcements',
    permission: 'operator',
    request: { body: newAnnouncement },
    reply: { description: 'It is shown to everybody who signs in.', json: operatorAnnouncement },
    isIdempotent: true,
    errors: [],
  },
  withdrawAnnouncement: {
    id: 'withdrawAnnouncement',
    method: 'POST',
    path: '/console/operator/announcements/{announcement_id}/withdraw',
    permission: 'operator',
    request: { path: announcementPath, body: announcementWithdrawal },
    reply: { description: 'It is not shown any more.', json: doneReply },
    errors: ['announcement_not_found'],
  },
} as const satisfies ConsoleTable<
  'listAnnouncements' | 'listOperatorAnnouncements' | 'publishAnnouncement' | 'withdrawAnnouncement'
>
