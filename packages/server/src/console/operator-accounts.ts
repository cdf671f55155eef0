/** The routes about accounts as their operator sees them. */
import {
  type AccountState,
  consoleEndpoints,
  creditsJson,
  formatCredits,
  type Nanocredits,
  nanocreditsOf,
  OPERATOR_PAGE_ROWS,
  parseCredits,
  ZERO,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { type FoundAccount, readAccount, searchAccounts } from '../operations/actions/find-accounts.ts'
import { exportAccount } from '../operations/actions/export-account.ts'
import { recordCredit, type RecordedCredit } from '../operations/actions/record-credit.ts'
import { changeAccountLimits } from '../operations/actions/change-account-limits.ts'
import { readAccountLimits } from '../access/keys/account-limits.ts'
import { changeAccountStatus, endAccount } from '../operations/actions/set-account-state.ts'
import { operatorOf } from './operator-of.ts'
import { renderAccount, renderAccountDetails } from './render-operator-account.ts'
import { limitChangesOf, renderOperatorLimits } from './render-limits.ts'
import { requireOwnPage, sendExport } from './send-export.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

function unknownAccount(): ServiceError {
  return new ServiceError('account_not_found', 'There is no such account.', { param: 'account_id' })
}

function requireAccount(found: FoundAccount | null): FoundAccount {
  if (found === null) throw unknownAccount()
  return found
}

/** @throws {ServiceError} where nothing was recorded. */
function renderCredit({ transferId, result }: RecordedCredit) {
  if (result.kind === 'unknown_account') throw unknownAccount()
  if (result.kind === 'insufficient') throw tooLow(result.available)
  return {
    transfer_id: transferId,
    is_repeated: result.kind === 'already_credited',
    credits: creditsJson(result.posted),
  }
}

function tooLow(available: Nanocredits): ServiceError {
  const text = `Only ${formatCredits(available)} credits are available; nothing was taken away.`
  return new ServiceError('balance_too_low', text, {
    param: 'credits',
    details: { credits_available: creditsJson(available) },
  })
}

export function mountOperatorAccounts(app: FastifyInstance, parts: ConsoleEdge): void {
  const services = parts.edge.operators
  mountSession(app, parts, consoleEndpoints.listOperatorAccounts, async ({ query: { q, state, after } }) => {
    const found = await searchAccounts(services, {
      ...(q === undefined ? {} : { text: q }),
      ...(state === undefined ? {} : { state }),
      ...(after === undefined ? {} : { after }),
      limit: OPERATOR_PAGE_ROWS + 1,
    })
    return {
      data: found.slice(0, OPERATOR_PAGE_ROWS).map(renderAccount),
      has_more: found.length > OPERATOR_PAGE_ROWS,
    }
  })
  mountSession(app, parts, consoleEndpoints.getOperatorAccount, async ({ path }) =>
    renderAccountDetails(requireAccount(await readAccount(services, path.account_id)), services.limits.gatewayLimits),
  )
  mountSession(app, parts, consoleEndpoints.changeAccountState, async ({ session, path, body }) => {
    const by = operatorOf(session)
    const input = { accountId: path.account_id, reason: body.reason }
    const status: Exclude<AccountState, 'closed'> | null = body.state === 'closed' ? null : body.state
    const result =
      status === null
        ? await endAccount(services, by, input)
        : await changeAccountStatus(services, by, { ...input, status })
    if (result === 'unknown_account') throw unknownAccount()
    if (status !== null && result === 'closed') {
      throw new ServiceError('account_closed', 'This account was closed for good.', { param: 'state' })
    }
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.changeAccountLimits, async ({ session, path, body }) => {
    const accountId = path.account_id
    const input = { accountId, changes: limitChangesOf(body), reason: body.reason }
    const result = await changeAccountLimits(services, operatorOf(session), input)
    if (result === 'unknown_account') throw unknownAccount()
    parts.edge.authenticator.forget(accountId)
    return renderOperatorLimits(await readAccountLimits(services.limits, accountId), services.limits.gatewayLimits)
  })
  mountSession(app, parts, consoleEndpoints.changeAccountCredits, async ({ session, path, body }) => {
    const amount = nanocreditsOf(parseCredits(body.credits) ?? ZERO)
    const { kind: source, reason, id } = body
    const request = { source, accountId: path.account_id, amount, reason, id }
    return renderCredit(await recordCredit(services, operatorOf(session), request))
  })
  mountSession(app, parts, consoleEndpoints.exportOperatorAccount, async ({ session, path, query, request, reply }) => {
    requireOwnPage(request.headers)
    const accountId = path.account_id
    return sendExport(parts.edge, reply, {
      accountId,
      open: () => exportAccount(services, operatorOf(session), { accountId, reason: query.reason }),
    })
  })
}
