/** The routes about deposits as their operator sees them: what waits, what providers say, and what is decided. */
import { consoleEndpoints, OPERATOR_PAGE_ROWS } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { formatAmount } from '../chain/format-amount.ts'
import { depositNotFound } from '../deposits/claim-deposit.ts'
import type { DecideDepositResult, Decision } from '../deposits/decide-deposit.ts'
import { findEvidence, type Testimonial } from '../deposits/deposit-evidence.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { renderDeposit } from '../deposits/render-deposit.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { decideReview } from '../operations/actions/decide-review.ts'
import type { OperatorServices } from '../operations/actions/operator-services.ts'
import { operatorOf, secondsOf } from './operator-of.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

function renderForOperator(deposit: Deposit) {
  const { accountId, ordinal, sender, note } = deposit
  const amount = formatAmount(deposit.amount, deposit.asset)
  return { ...renderDeposit(deposit), amount_decimal: amount, account_id: accountId, ordinal, sender, note }
}

function renderDecision({ decision, reason, price, decidedBy, decidedAt }: Decision) {
  return { decision, reason, price_usd: price, by: decidedBy, at: secondsOf(decidedAt) }
}

async function requireDeposit({ deposits }: OperatorServices, depositId: string): Promise<Deposit> {
  const deposit = await deposits.find(depositId)
  if (deposit === null) throw depositNotFound()
  return deposit
}

async function showDeposit(services: OperatorServices, depositId: string) {
  const deposit = await requireDeposit(services, depositId)
  const decisions = await services.decisions.list(depositId)
  return { deposit: renderForOperator(deposit), decisions: decisions.map(renderDecision) }
}

function renderTestimonial({ provider, problem, block, transfer, ...words }: Testimonial) {
  return {
    ...{ name: provider, problem, state: words.state, finality: words.finality },
    block: block === null ? null : { number: block.number, hash: block.hash, time: secondsOf(block.time) },
    transfer:
      transfer === null
        ? null
        : {
            ...{ asset: transfer.asset, from: transfer.from, to: transfer.to },
            amount: formatAmount(transfer.amount, transfer.asset),
          },
    is_as_recorded: words.isAsRecorded,
    price_usd: words.price,
  }
}

function notDecidable(message: string): ServiceError {
  return new ServiceError('deposit_not_decidable', message, { param: 'deposit_id' })
}

/** @throws {ServiceError} where nothing was decided. */
function requireDecided(result: DecideDepositResult): void {
  switch (result.kind) {
    case 'unknown_deposit':
      throw depositNotFound()
    case 'credited':
      throw notDecidable('It is credited. An adjustment of the account corrects a balance.')
    case 'not_final':
      throw notDecidable(`It is ${result.state}: it has to be in a block of the chain first.`)
    case 'needs_price':
      throw new ServiceError('deposit_not_decidable', 'It has no price. Name one, in US dollars for one unit.', {
        param: 'price_usd',
      })
    case 'changed_meanwhile':
      throw notDecidable('It changed in this moment. Look at it again.')
    default:
  }
}

export function mountOperatorDeposits(app: FastifyInstance, parts: ConsoleEdge): void {
  const services = parts.edge.operators
  mountSession(app, parts, consoleEndpoints.listOperatorDeposits, async ({ query: { state, account, after } }) => {
    const found = await services.deposits.list({
      ...(state === undefined ? {} : { states: [state] }),
      ...(account === undefined ? {} : { accountId: account }),
      ...(after === undefined ? {} : { after }),
      limit: OPERATOR_PAGE_ROWS + 1,
    })
    return {
      data: found.slice(0, OPERATOR_PAGE_ROWS).map(renderForOperator),
      has_more: found.length > OPERATOR_PAGE_ROWS,
    }
  })
  mountSession(app, parts, consoleEndpoints.getOperatorDeposit, ({ path }) => showDeposit(services, path.deposit_id))
  mountSession(app, parts, consoleEndpoints.getDepositEvidence, async ({ path }) => {
    const evidence = await findEvidence(services.chains, await requireDeposit(services, path.deposit_id))
    return { providers: evidence?.map(renderTestimonial) ?? null }
  })
  mountSession(app, parts, consoleEndpoints.decideOperatorDeposit, async ({ session, path, body }) => {
    const { decision, reason, price_usd: price = null } = body
    const request = { depositId: path.deposit_id, decision, reason, price }
    requireDecided(await decideReview(services, operatorOf(session), request))
    return showDeposit(services, path.deposit_id)
  })
}
