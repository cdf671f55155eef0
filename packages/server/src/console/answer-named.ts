/** Requests of the console that create something: with an Idempotency-Key each has its effect once. */
import type { ConsoleEndpoint } from '@svc/contract'
import { type Idempotency, parseIdempotencyKey } from '../admission/idempotency/idempotency.ts'
import type { Session } from '../access/sign-in/sign-in.ts'
import { runIdempotent, written } from '../edge/idempotent-response.ts'
import type { RouteCall } from '../edge/route.ts'
import type { RouteKit } from '../edge/route-kit.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Does the work of a request, or answers it as it was answered before under the same name.
 *
 * @param asked.given what was asked, parsed: its path and its body.
 * @throws {ServiceError} 400 for a name that is none, 409, 422.
 */
export async function answerNamed(
  { edge, idempotency }: { readonly edge: RouteKit; readonly idempotency: Pick<Idempotency, 'begin'> },
  { request, reply }: RouteCall,
  asked: {
    readonly row: ConsoleEndpoint & { readonly id?: string }
    readonly session: Session
    readonly given: unknown
    readonly work: () => unknown
  },
): Promise<unknown> {
  const name = parseIdempotencyKey(request.headers['idempotency-key'])
  if (name === null) return asked.work()
  const begun = await idempotency.begin({
    ...{ accountId: asked.session.user.userId, callerId: asked.session.user.userId },
    requestId: request.id,
    endpoint: `${asked.row.method} ${asked.row.path}`,
    name,
    body: Buffer.from(JSON.stringify(asked.given)),
  })
  reply.type(JSON_TYPE)
  if (begun.kind === 'replay') {
    reply.headers({ 'x-request-id': begun.requestId, 'idempotent-replayed': 'true' })
    return begun.answer.body
  }
  const body = JSON.stringify(await runIdempotent(edge, begun.run, async () => asked.work()))
  await written(edge, begun.run.finish({ contentType: JSON_TYPE, headers: {}, body }))
  return body
}
