/** The routes about a team's credits and requests. */
import { consoleEndpoints } from '@svc/contract'
import { formatVerifierKey } from '@svc/contract/log/signed-note'
import type { FastifyInstance } from 'fastify'
import { exportTeamUsage } from '../money/billing/export-usage.ts'
import {
  listTeamUsage,
  listTeamUsageDays,
  readTeamBalance,
  readTeamUsage,
  readTeamUsageEntries,
  type UsageReach,
} from '../money/billing/read-team-usage.ts'
import { makeReceipt } from '../money/ledger-log/make-receipt.ts'
import { listTeamTimings } from '../money/billing/read-timings.ts'
import type { Session } from '../access/sign-in/sign-in.ts'
import type { Membership } from '../access/teams/membership.ts'
import { can } from '../access/teams/permissions.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

interface Person {
  readonly session: Session
  readonly membership: Membership
}

function reachOf({ session, membership }: Person): UsageReach {
  const { accountId, teamId, role } = membership
  return { accountId, teamId, userId: session.user.userId, seesAll: can(role, 'usage:all') }
}

export function mountTeamMoney(app: FastifyInstance, parts: ConsoleEdge): void {
  const { edge } = parts
  mountSession(app, parts, consoleEndpoints.getTeamBalance, ({ membership }) =>
    readTeamBalance(edge.balance, membership),
  )
  mountSession(app, parts, consoleEndpoints.listTeamUsage, ({ query, ...person }) =>
    listTeamUsage(edge.usage, reachOf(person), query),
  )
  mountSession(app, parts, consoleEndpoints.getTeamUsage, ({ path, ...person }) =>
    readTeamUsage(edge.usage, reachOf(person), path.request_id),
  )
  mountSession(app, parts, consoleEndpoints.getTeamUsageEntries, ({ path, ...person }) =>
    readTeamUsageEntries(edge.usage, reachOf(person), path.request_id),
  )
  mountSession(app, parts, consoleEndpoints.getTeamReceipt, async ({ path, ...person }) => {
    const record = await readTeamUsage(edge.usage, reachOf(person), path.request_id)
    return makeReceipt(edge.ledgerLog, 'any', record.request_id)
  })
  mountSession(app, parts, consoleEndpoints.getLogKeys, async () => ({
    keys: (await edge.ledgerLog.log.keys()).map(formatVerifierKey),
  }))
  mountSession(app, parts, consoleEndpoints.exportTeamUsage, async ({ query, reply, ...person }) => {
    const lines = await edge.exports.make(person.membership.accountId, () =>
      exportTeamUsage(edge.usage, reachOf(person), query),
    )
    const day = new Date(edge.clock.now()).toISOString().slice(0, 10)
    reply.header('content-disposition', `attachment; filename="usage-${day}.csv"`)
    return reply.type('text/csv; charset=utf-8').send(lines)
  })
  mountSession(app, parts, consoleEndpoints.listTeamUsageDays, ({ query, ...person }) =>
    listTeamUsageDays(edge.usage, reachOf(person), { ...query, now: edge.clock.now() }),
  )
  mountSession(app, parts, consoleEndpoints.listTeamTimings, ({ query, ...person }) =>
    listTeamTimings(edge.timings, reachOf(person), query),
  )
}
