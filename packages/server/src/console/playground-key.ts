/** The route that lets a person who is signed in spend by the public API: it makes a key for their page. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { type ConsoleEdge, mountSession } from './session-route.ts'
import { requireActive } from './team-keys.ts'

export function mountPlaygroundKey(app: FastifyInstance, parts: ConsoleEdge): void {
  const { playgroundKeys, perPlayer } = parts.console
  mountSession(app, parts, consoleEndpoints.createPlaygroundKey, async ({ session, membership }) => {
    requireActive(membership)
    const { userId } = session.user
    await perPlayer.take(userId)
    const { accountId, teamId } = membership
    const { sessionId, expiresAt: sessionExpiresAt } = session
    const made = await playgroundKeys.create({ accountId, teamId, userId, sessionId, sessionExpiresAt })
    return { id: made.keyId, key: made.rawKey, expires_at: Math.floor(made.expiresAt / 1_000) }
  })
}
