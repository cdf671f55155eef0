import type { FastifyReply } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { secondsOf } from './operator-of.ts'
import type { PageRoutesDeps } from './page-routes-deps.ts'

/** Only the console itself fetches the file: a link on another page opens none. @throws {ServiceError} 403. */
export function requireOwnPage(headers: Readonly<Record<string, unknown>>): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin') return
  throw new ServiceError('foreign_origin', 'Only pages of the console may fetch this.')
}

/** Sends the document of an account as a file that is made while it is sent. @throws {ServiceError} where there is none. */
export async function sendExport(
  { exports, clock }: Pick<PageRoutesDeps, 'exports' | 'clock'>,
  reply: FastifyReply,
  made: {
    readonly accountId: string
    readonly open: () => Promise<AsyncGenerator<string, void, undefined> | null>
  },
): Promise<FastifyReply> {
  const { accountId } = made
  const file = await exports.make(accountId, made.open)
  if (file === null) throw new ServiceError('account_not_found', 'There is no such account.', { param: 'account_id' })
  const day = new Date(secondsOf(clock.now()) * 1_000).toISOString().slice(0, 10)
  reply.header('content-type', 'application/json; charset=utf-8')
  reply.header('content-disposition', `attachment; filename="account-${accountId}-${day}.json"`)
  return reply.send(file)
}
