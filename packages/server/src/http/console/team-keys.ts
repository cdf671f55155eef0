/** The routes about a team's keys. */
import { consoleEndpoints, creditsJson, nanocreditsOf, parseCredits, TEAM_KEY_PAGE_MAX, ZERO } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'
import type { KeySummary } from '../../keys/list-keys.ts'
import type { KeyReach } from '../../keys/team-keys.ts'
import { can } from '../../teams/permissions.ts'
import type { Membership } from '../../teams/membership.ts'
import type { Session } from '../../sign-in/sign-in.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

const HOUR_MS = 3_600_000

interface Person {
  readonly session: Session
  readonly membership: Membership
}

function reachOf({ session, membership }: Person): KeyReach {
  const { accountId, teamId, role } = membership
  return { accountId, teamId, userId: session.user.userId, seesAll: can(role, 'keys:all') }
}

const secondsOf = (ms: number | null): number | null => (ms === null ? null : Math.floor(ms / 1_000))

function renderKey(key: KeySummary, userId: string) {
  const { limit, period, spent, resetsAt } = key.budget
  return {
    id: key.keyId,
    name: key.name,
    display: key.display,
    status: key.status,
    models: key.models,
    budget_credits: limit === null ? null : creditsJson(limit),
    budget_period: period,
    budget_used: creditsJson(nanocreditsOf(spent)),
    budget_resets_at: secondsOf(resetsAt),
    created_at: Math.floor(key.createdAt / 1_000),
    expires_at: secondsOf(key.expiresAt),
    revoked_at: secondsOf(key.revokedAt),
    last_used_at: secondsOf(key.lastUsedAt),
    made_by: key.madeBy === null ? null : { id: key.madeBy.userId, name: key.madeBy.name ?? '' },
    is_own: key.madeBy?.userId === userId,
    is_playground: key.isPlayground,
  }
}

/** A key of a suspended account would be refused at its first call; whoever makes one is told now. */
export function requireActive({ accountStatus }: Membership): void {
  if (accountStatus === 'active') return
  throw new ServiceError('account_suspended', 'The account is suspended. Ask the operator of the gateway.')
}

export function mountTeamKeys(app: FastifyInstance, parts: ConsoleEdge): void {
  const { keys } = parts.console
  mountSession(app, parts, consoleEndpoints.listTeamKeys, async ({ query, ...person }) => {
    const page = { limit: TEAM_KEY_PAGE_MAX + 1, ...(query.after === undefined ? {} : { after: query.after }) }
    const found = await keys.list(reachOf(person), page)
    return {
      data: found.slice(0, TEAM_KEY_PAGE_MAX).map((key) => renderKey(key, person.session.user.userId)),
      has_more: found.length > TEAM_KEY_PAGE_MAX,
    }
  })
  mountSession(app, parts, consoleEndpoints.createTeamKey, async ({ body, ...person }) => {
    requireActive(person.membership)
    const { name, budget, expires_at: expiresAt, models } = body
    const made = await keys.create(reachOf(person), {
      name,
      budget: budget == null ? null : { limit: parseCredits(budget.credits) ?? ZERO, period: budget.period },
      expiresAt: expiresAt == null ? null : expiresAt * 1_000,
      models: models ?? null,
    })
    return { id: made.keyId, name: name.trim(), display: made.display, key: made.rawKey }
  })
  mountSession(app, parts, consoleEndpoints.rotateTeamKey, async ({ body, path, ...person }) => {
    requireActive(person.membership)
    const made = await keys.rotate(reachOf(person), path.key_id, body.overlap_hours * HOUR_MS)
    return { id: made.keyId, name: made.name, display: made.display, key: made.rawKey }
  })
  mountSession(app, parts, consoleEndpoints.revokeTeamKey, async ({ path, ...person }) => {
    await keys.revoke(reachOf(person), path.key_id)
    return { done: true }
  })
}
