/** The routes about the statement of a team's account. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { exportStatement } from '../money/billing/export-statement.ts'
import { makeReceipt } from '../money/ledger-log/make-receipt.ts'
import { listStatement, readStatement } from '../money/billing/read-statement.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

export function mountTeamStatement(app: FastifyInstance, parts: ConsoleEdge): void {
  const { statements, exports, ledgerLog } = parts.edge
  mountSession(app, parts, consoleEndpoints.getTeamStatement, ({ membership, query }) =>
    readStatement(statements, membership.accountId, query.month),
  )
  mountSession(app, parts, consoleEndpoints.listTeamStatementEntries, ({ membership, query }) =>
    listStatement(statements, membership.accountId, query),
  )
  mountSession(app, parts, consoleEndpoints.getTeamEntryReceipt, ({ membership, path }) =>
    makeReceipt(ledgerLog, { everythingOf: membership.accountId }, path.entry_id),
  )
  mountSession(app, parts, consoleEndpoints.exportTeamStatement, async ({ membership, query, reply }) => {
    const { accountId } = membership
    const lines = await exports.make(accountId, () => exportStatement(statements, accountId, query.month))
    reply.headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="statement-${query.month}.csv"`,
      'x-content-type-options': 'nosniff',
    })
    return reply.send(lines)
  })
}
