/** The routes about single requests of any account, and about what the gateway earns and loses. */
import { consoleEndpoints, creditsJson, nanocreditsOf, OVERVIEW_DAYS_MAX, parseCredits, ZERO } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { OverviewRow } from '../money/billing/read-overview.ts'
import { findRequest } from '../operations/actions/find-request.ts'
import type { OperatorServices } from '../operations/actions/operator-services.ts'
import { refundRequest } from '../operations/actions/refund-request.ts'
import { renderRequest } from '../operations/actions/render-request.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { operatorOf, secondsOf } from './operator-of.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

const DAY_MS = 86_400_000
/** Days that are shown where none are named. */
const USUAL_DAYS = 7

export function mountOperatorRequests(app: FastifyInstance, parts: ConsoleEdge): void {
  const { edge } = parts
  const services = edge.operators
  mountSession(app, parts, consoleEndpoints.getOperatorRequest, async ({ path: { request_id: id } }) => {
    const found = await findRequest(services.requests, id)
    if (found !== null) return renderRequest(found)
    throw new ServiceError('usage_not_found', `There is no request ${id}.`, { param: 'request_id' })
  })
  mountSession(app, parts, consoleEndpoints.refundRequest, async ({ session, path, body }) => {
    const { credits, reason } = body
    const amount = credits === undefined ? null : (parseCredits(credits) ?? ZERO)
    const request = { requestId: path.request_id, amount, reason }
    const refunded = await refundRequest({ ...services, ...services.requests }, operatorOf(session), request)
    return {
      transfer_id: refunded.transferId,
      account_id: refunded.accountId,
      credits: creditsJson(refunded.amount),
      is_repeated: refunded.result.kind === 'already_credited',
    }
  })
  mountSession(app, parts, consoleEndpoints.getOperatorOverview, async ({ query }) => {
    const to = query.to ?? edge.clock.now() + 1
    const from = query.from ?? to - USUAL_DAYS * DAY_MS
    requireSpan(from, to)
    const { total, accounts, ...lists } = await services.readOverview({ from, to })
    const { days, upstreams, models, errors } = lists
    return {
      ...{ from: secondsOf(from), to: secondsOf(to), total: renderRow(total) },
      days: days.map((row) => renderRow(row)),
      upstreams: upstreams.map((row) => renderRow(row)),
      models: models.map((row) => renderRow(row)),
      accounts: await Promise.all(accounts.map((row) => renderAccountRow(services, row))),
      errors: errors.map((row) => renderRow(row)),
    }
  })
}

function requireSpan(from: number, to: number): void {
  if (from >= to) throw new ServiceError('invalid_value', 'The start must be before the end.', { param: 'from' })
  if (to - from <= OVERVIEW_DAYS_MAX * DAY_MS) return
  throw new ServiceError('invalid_value', `At most ${OVERVIEW_DAYS_MAX} days are shown at a time.`, { param: 'from' })
}

const credits = (amount: bigint) => creditsJson(nanocreditsOf(amount))

function renderRow({ name, requests, failed, charge, cost, writeOff }: OverviewRow, label: string | null = null) {
  return {
    ...{ name, label, requests, failed, credits_charged: credits(charge), credits_cost: credits(cost) },
    ...{ credits_left: credits(charge - cost), credits_written_off: credits(writeOff) },
  }
}

async function renderAccountRow({ accounts }: Pick<OperatorServices, 'accounts'>, row: OverviewRow) {
  return renderRow(row, (await accounts.find(row.name))?.name ?? null)
}
