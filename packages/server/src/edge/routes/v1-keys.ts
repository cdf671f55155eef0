import { type ApiKeyBody, creditsJson, endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../access/keys/caller.ts'
import { createFollower, listFollowers } from '../../access/keys/follower-keys.ts'
import type { KeySummary } from '../../access/keys/list-keys.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { quotaError } from '../../admission/limits/call-quota.ts'
import { readObjectBody } from '../read-object-body.ts'
import { mountKeyed } from '../route.ts'
import type { KeyRoutesDeps } from '../routes-deps.ts'

/** GET and POST /v1/keys. */
export function v1Keys(app: FastifyInstance, deps: KeyRoutesDeps): void {
  mountKeyed(app, deps, endpoints.listApiKeys, async (_call, caller) => {
    const keys = await listFollowers(deps.followers, caller)
    return { object: 'list', data: keys.map((key) => renderApiKey(key, caller)) }
  })
  mountKeyed(app, deps, endpoints.createApiKey, async (call) => {
    const { caller, value } = await readObjectBody(deps, call, endpoints.createApiKey)
    const body = parseBySchema(endpoints.createApiKey.request.body, value)
    const refusal = await deps.limits.mirrors.take(caller.keyId)
    if (refusal !== null) throw quotaError(refusal, 'keys made with this key')
    const { summary, rawKey } = await createFollower(deps.followers, caller, {
      name: body.name,
      expiresAt: body.expires_at == null ? null : body.expires_at * 1_000,
      models: body.models ?? null,
      rights: body.rights ?? ['inference'],
    })
    return { ...renderApiKey(summary, caller), key: rawKey }
  })
}

function renderApiKey(key: KeySummary, caller: Caller) {
  const { limit, period, spent } = key.budget
  return {
    object: 'api_key',
    id: key.keyId,
    name: key.name,
    display: key.display,
    status: key.status,
    is_current: key.keyId === caller.keyId,
    // What the caller's own key follows is not the caller's to see.
    made_with: key.keyId === caller.keyId ? null : key.mirroredBy,
    rights: [...key.rights],
    models: key.models === null ? null : [...key.models],
    budget_credits: limit === null ? null : creditsJson(limit),
    budget_period: period,
    budget_used: creditsJson(spent),
    created: secondsOf(key.createdAt),
    expires_at: key.expiresAt === null ? null : secondsOf(key.expiresAt),
    revoked_at: key.revokedAt === null ? null : secondsOf(key.revokedAt),
    last_used_at: key.lastUsedAt === null ? null : secondsOf(key.lastUsedAt),
  } satisfies Record<keyof ApiKeyBody, unknown>
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1_000)
}
