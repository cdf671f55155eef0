/** The routes about a person's second factor. Each needs a fresh sign-in, and whatever weakens it a code. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { CodeOutcome } from '../access/sign-in/second-factors.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

/** @throws {ServiceError} 403 for a wrong code, 429 after several. */
export function requireRight(outcome: CodeOutcome): void {
  if (outcome !== 'right') throw refusalOf(outcome)
}

function refusalOf(outcome: Exclude<CodeOutcome, 'right'>): ServiceError {
  if (outcome === 'wrong') {
    return new ServiceError('wrong_code', 'This code is wrong, or was used.', { param: 'code' })
  }
  const { waitSeconds } = outcome
  const message = `Too many wrong codes. Try again in ${waitSeconds} s.`
  return new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: waitSeconds })
}

export function mountSecondFactor(app: FastifyInstance, parts: ConsoleEdge): void {
  const { console: deps } = parts
  const { factors } = deps
  mountSession(app, parts, consoleEndpoints.beginSecondFactor, async ({ session }) => {
    const begun = await factors.begin(session.user)
    if (begun !== null) return begun
    throw new ServiceError('second_factor_on', 'A second factor is on. Remove it first.')
  })
  mountSession(app, parts, consoleEndpoints.confirmSecondFactor, async ({ session, body }) => {
    const { sessionId, user } = session
    const confirmed = await factors.confirm({ userId: user.userId, sessionId }, body.code)
    if (confirmed === 'wrong' || 'waitSeconds' in confirmed) throw refusalOf(confirmed)
    // Sessions that have proven nothing end: none of them could go on.
    await (await deps.signIn()).endSessions(user.userId, sessionId)
    return { codes: confirmed }
  })
  mountSession(app, parts, consoleEndpoints.renewRecoveryCodes, async ({ session, body }) => {
    const { userId } = session.user
    requireRight(await factors.take(userId, body.code))
    const codes = await factors.renewCodes(userId)
    // The factor was removed since its code was right.
    if (codes === null) throw refusalOf('wrong')
    return { codes }
  })
  mountSession(app, parts, consoleEndpoints.removeSecondFactor, async ({ session, body }) => {
    const { userId } = session.user
    requireRight(await factors.take(userId, body.code))
    await factors.remove(userId)
    return { done: true }
  })
}
