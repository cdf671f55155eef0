import { endpoints, type ClaimRequest } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { claimDeposit } from '../claim-deposit.ts'
import { readBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { quotaError } from '../../admission/limits/call-quota.ts'
import type { DepositRoutesDeps } from './deposit-routes-deps.ts'
import { readObjectBody } from '../../edge/read-object-body.ts'
import { mountKeyed } from '../../edge/route.ts'

/** Every fault of a claim's body has one code. Source: decision 0030 (claims). */
function parseClaim(value: unknown): ClaimRequest {
  const read = readBySchema(endpoints.claimDeposit.request.body, value)
  if (read.success) return read.data
  const { message, param } = read.problem
  throw new ServiceError('invalid_request', message, { param })
}

/** POST /deposits/claim. The key is checked, then its throttle, then the body. Source: spec 2.9, 4. */
export function depositsClaim(app: FastifyInstance, deps: DepositRoutesDeps): void {
  mountKeyed(app, deps, endpoints.claimDeposit, async (call, { keyId }) => {
    const refusal = await deps.limits.claims.take(keyId)
    if (refusal !== null) throw quotaError(refusal, 'claims with this key', 'claim_rate_limited')
    const { caller, value } = await readObjectBody(deps, call, endpoints.claimDeposit)
    const { body, retryAfterSeconds } = await claimDeposit(deps.deposits.claims, caller.accountId, parseClaim(value))
    if (retryAfterSeconds !== null) {
      call.reply.headers({ 'retry-after': retryAfterSeconds, 'retry-after-ms': retryAfterSeconds * 1_000 })
    }
    return body
  })
}
