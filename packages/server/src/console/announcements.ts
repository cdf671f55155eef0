/** The routes about what operators tell everybody who signs in. */
import { type Announcement as Shown, consoleEndpoints, type OperatorAnnouncement } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Announcement } from '../access/operators/announcement.ts'
import { publishAnnouncement, withdrawAnnouncement } from '../operations/actions/announce.ts'
import { operatorOf, secondsOf } from './operator-of.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

/** What a page has room for. */
const SHOWN_MAX = 5
const LISTED_MAX = 100

function render({ announcementId, kind, title, body, startsAt, endsAt }: Announcement): Shown {
  return { ...{ id: announcementId, kind, title, body }, starts_at: secondsOf(startsAt), ends_at: secondsOf(endsAt) }
}

function stateOf({ kind, startsAt, endsAt, withdrawnAt }: Announcement, now: number): OperatorAnnouncement['state'] {
  if (withdrawnAt !== null) return 'withdrawn'
  if (endsAt !== null && endsAt <= now) return 'over'
  return kind === 'news' && startsAt > now ? 'waiting' : 'shown'
}

function renderForOperator(announcement: Announcement, now: number): OperatorAnnouncement {
  return {
    ...render(announcement),
    state: stateOf(announcement, now),
    created_at: secondsOf(announcement.createdAt),
    created_by: announcement.createdBy,
  }
}

export function mountAnnouncements(app: FastifyInstance, parts: ConsoleEdge): void {
  const { operators: services, clock } = parts.edge
  mountSession(app, parts, consoleEndpoints.listAnnouncements, async () => ({
    data: (await services.announcements.listShown(clock.now(), SHOWN_MAX)).map(render),
  }))
  mountSession(app, parts, consoleEndpoints.listOperatorAnnouncements, async () => ({
    data: (await services.announcements.list(LISTED_MAX)).map((each) => renderForOperator(each, clock.now())),
  }))
  mountSession(app, parts, consoleEndpoints.publishAnnouncement, async ({ session, body }) =>
    renderForOperator(await publishAnnouncement(services, operatorOf(session), body), clock.now()),
  )
  mountSession(app, parts, consoleEndpoints.withdrawAnnouncement, async ({ session, path, body }) => {
    const { announcement_id: announcementId } = path
    await withdrawAnnouncement(services, operatorOf(session), { announcementId, reason: body.reason })
    return { done: true }
  })
}
