/** The routes about the invoices of a team's account, and whom they are made out to. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { ActingMember } from '../access/keys/acting-member.ts'
import type { Session } from '../access/sign-in/sign-in.ts'
import type { Membership } from '../access/teams/membership.ts'
import { rolesWith } from '../access/teams/permissions.ts'
import { issueInvoice } from '../money/invoices/issue-invoice.ts'
import { exportInvoice, getInvoice, listInvoices, renderInvoice } from '../money/invoices/read-invoices.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

interface Person {
  readonly session: Session
  readonly membership: Membership
}

function actingBy({ membership, session }: Person): ActingMember {
  return { teamId: membership.teamId, userId: session.user.userId, roles: rolesWith('deposits:manage') }
}

export function mountTeamInvoices(app: FastifyInstance, parts: ConsoleEdge): void {
  const { deps: invoices, writesOf } = parts.edge.invoices
  const { clock } = parts.edge
  mountSession(app, parts, consoleEndpoints.getTeamBilling, async ({ membership }) => {
    const [details, seller] = await Promise.all([
      invoices.store.findDetails(membership.accountId),
      invoices.readSeller(),
    ])
    if (seller === null) return { details, seller, is_test: invoices.isTest }
    const { note: _note, ...party } = seller
    return { details, seller: party, is_test: invoices.isTest }
  })
  mountSession(app, parts, consoleEndpoints.setTeamBillingDetails, async ({ body, ...person }) => {
    await writesOf(actingBy(person)).setDetails(person.membership.accountId, body, clock.now())
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.listTeamInvoices, ({ membership }) =>
    listInvoices(invoices, membership.accountId),
  )
  mountSession(app, parts, consoleEndpoints.issueTeamInvoice, async ({ body, ...person }) => {
    const { accountId } = person.membership
    const invoice = await issueInvoice(invoices, writesOf(actingBy(person)), { accountId, month: body.month })
    return renderInvoice(invoices, invoice)
  })
  mountSession(app, parts, consoleEndpoints.getTeamInvoice, ({ membership, path }) =>
    getInvoice(invoices, membership.accountId, path.number),
  )
  mountSession(app, parts, consoleEndpoints.exportTeamInvoice, async ({ membership, path, reply }) => {
    const text = await exportInvoice(invoices, membership.accountId, path.number)
    reply.headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="invoice-${path.number}.csv"`,
      'x-content-type-options': 'nosniff',
    })
    return reply.send(text)
  })
}
