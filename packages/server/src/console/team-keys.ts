/** The routes about a team's keys. */
import { consoleEndpoints, type KeyChange, parseCredits, TEAM_KEY_PAGE_MAX, ZERO } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { KeyChanges } from '../access/keys/change-key.ts'
import type { KeySummary } from '../access/keys/list-keys.ts'
import type { KeyReach } from '../access/keys/team-keys.ts'
import { can, rolesWith } from '../access/teams/permissions.ts'
import type { Membership } from '../access/teams/membership.ts'
import type { Session } from '../access/sign-in/sign-in.ts'
import { renderTeamKey } from './render-team-key.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

const HOUR_MS = 3_600_000

interface Person {
  readonly session: Session
  readonly membership: Membership
}

/** Whose keys a person may handle in the team of the path. */
export function reachOf({ session, membership }: Person): KeyReach {
  const { accountId, teamId, role } = membership
  const seesAll = can(role, 'keys:all')
  const roles = rolesWith(seesAll ? 'keys:all' : 'keys:own')
  return { accountId, teamId, userId: session.user.userId, seesAll, roles }
}

function renderKey(key: KeySummary, userId: string) {
  return { ...renderTeamKey(key), is_own: key.madeBy?.userId === userId }
}

function changesOf(change: KeyChange): KeyChanges {
  const { name, budget, expires_at: expiresAt, models, requests_per_minute: requestsPerMinute } = change
  return {
    ...(name === undefined ? {} : { name }),
    ...(budget === undefined ? {} : { budget: budget === null ? null : budgetOf(budget) }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : expiresAt * 1_000 }),
    ...(models === undefined ? {} : { models }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
  }
}

function budgetOf({ credits, period }: NonNullable<KeyChange['budget']>) {
  return { limit: parseCredits(credits) ?? ZERO, period }
}

/** A key of a suspended account would be refused at its first call; its maker reads so now. */
export function requireActive({ accountStatus }: Membership): void {
  if (accountStatus === 'active') return
  throw new ServiceError('account_suspended', 'The account is suspended. Ask the operator of the gateway.')
}

export function mountTeamKeys(app: FastifyInstance, parts: ConsoleEdge): void {
  const { keys } = parts.console
  mountSession(app, parts, consoleEndpoints.listTeamKeys, async ({ query, ...person }) => {
    const { state, after } = query
    const page = {
      limit: TEAM_KEY_PAGE_MAX + 1,
      ...(state === undefined ? {} : { state }),
      ...(after === undefined ? {} : { after }),
    }
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
      budget: budget == null ? null : budgetOf(budget),
      expiresAt: expiresAt == null ? null : expiresAt * 1_000,
      models: models ?? null,
      requestsPerMinute: body.requests_per_minute ?? null,
      kind: body.kind,
    })
    return { id: made.keyId, name: name.trim(), display: made.display, key: made.rawKey }
  })
  mountSession(app, parts, consoleEndpoints.getTeamKey, async ({ path, ...person }) =>
    renderKey(await keys.read(reachOf(person), path.key_id), person.session.user.userId),
  )
  mountSession(app, parts, consoleEndpoints.changeTeamKey, async ({ body, path, ...person }) => {
    const changed = await keys.change(reachOf(person), path.key_id, changesOf(body))
    return renderKey(changed, person.session.user.userId)
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
