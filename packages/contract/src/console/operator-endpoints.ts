import type { ConsoleTable } from './console-endpoint.ts'
import { depositPath } from '../deposits.ts'
import {
  accountExportQuery,
  accountStateChange,
  creditChange,
  creditChangeReply,
  operatorAccountList,
  operatorAccountPath,
  operatorAccountReply,
  operatorAccountsQuery,
} from './operator-accounts.ts'
import {
  depositEvidenceReply,
  depositVerdict,
  operatorDepositList,
  operatorDepositReply,
  operatorDepositsQuery,
} from './operator-deposits.ts'
import {
  auditReply,
  auditStartReply,
  comparedPricesReply,
  journalQuery,
  journalReply,
  upstreamsReply,
} from './operator-insight.ts'
import { operatorOverviewQuery, operatorOverviewReply } from './operator-overview.ts'
import {
  invoiceForm,
  reconciliationList,
  reconciliationPath,
  reconciliationQuery,
  reconciliationReply,
  reconciliationStart,
} from './operator-reconciliations.ts'
import { operatorRequestPath, operatorRequestReply, requestRefund, requestRefundReply } from './operator-requests.ts'
import {
  newOperator,
  operatorList,
  operatorPath,
  operatorReasonBody,
  operatorSettingsChange,
  operatorSettingsReply,
  termsReply,
} from './operator-settings.ts'
import { accountLimitsChange, operatorAccountLimits } from './request-limits.ts'
import { doneReply } from './session.ts'

/** What the operator's pages call. Whatever changes something is sensitive, and so is what leaves the house. */
export const operatorEndpoints = {
  getTerms: {
    id: 'getTerms',
    method: 'GET',
    path: '/console/terms',
    permission: 'public',
    request: {},
    reply: { description: 'The terms that the gateway shows itself.', json: termsReply },
    errors: [],
  },
  getOperatorSettings: {
    id: 'getOperatorSettings',
    method: 'GET',
    path: '/console/operator/settings',
    permission: 'operator',
    request: {},
    reply: { description: 'What is set, and by whom.', json: operatorSettingsReply },
    errors: [],
  },
  changeOperatorSettings: {
    id: 'changeOperatorSettings',
    method: 'PATCH',
    path: '/console/operator/settings',
    permission: 'operator',
    isSensitive: true,
    request: { body: operatorSettingsChange },
    reply: { description: 'Saved. It applies to every process.', json: doneReply },
    errors: [],
  },
  listOperators: {
    id: 'listOperators',
    method: 'GET',
    path: '/console/operator/operators',
    permission: 'operator',
    request: {},
    reply: { description: 'Who runs the gateway, oldest first.', json: operatorList },
    errors: [],
  },
  addOperator: {
    id: 'addOperator',
    method: 'POST',
    path: '/console/operator/operators',
    permission: 'operator',
    isSensitive: true,
    request: { body: newOperator },
    reply: { description: 'They are one.', json: doneReply },
    isIdempotent: true,
    errors: ['operator_not_found'],
  },
  removeOperator: {
    id: 'removeOperator',
    method: 'POST',
    path: '/console/operator/operators/{user_id}/remove',
    permission: 'operator',
    isSensitive: true,
    request: { path: operatorPath, body: operatorReasonBody },
    reply: { description: 'The person is no longer an operator.', json: doneReply },
    errors: ['operator_not_found', 'last_operator'],
  },
  listOperatorAccounts: {
    id: 'listOperatorAccounts',
    method: 'GET',
    path: '/console/operator/accounts',
    permission: 'operator',
    request: { query: operatorAccountsQuery },
    reply: { description: 'Accounts, newest first.', json: operatorAccountList },
    errors: [],
  },
  getOperatorAccount: {
    id: 'getOperatorAccount',
    method: 'GET',
    path: '/console/operator/accounts/{account_id}',
    permission: 'operator',
    request: { path: operatorAccountPath },
    reply: { description: 'One account.', json: operatorAccountReply },
    errors: ['account_not_found'],
  },
  changeAccountState: {
    id: 'changeAccountState',
    method: 'POST',
    path: '/console/operator/accounts/{account_id}/state',
    permission: 'operator',
    isSensitive: true,
    request: { path: operatorAccountPath, body: accountStateChange },
    reply: { description: 'It is so, as it may have been before.', json: doneReply },
    errors: ['account_not_found', 'account_closed'],
  },
  changeAccountLimits: {
    id: 'changeAccountLimits',
    method: 'PATCH',
    path: '/console/operator/accounts/{account_id}/limits',
    permission: 'operator',
    isSensitive: true,
    request: { path: operatorAccountPath, body: accountLimitsChange },
    reply: { description: 'They hold within about a second, on every process.', json: operatorAccountLimits },
    errors: ['account_not_found'],
  },
  changeAccountCredits: {
    id: 'changeAccountCredits',
    method: 'POST',
    path: '/console/operator/accounts/{account_id}/credits',
    permission: 'operator',
    isSensitive: true,
    request: { path: operatorAccountPath, body: creditChange },
    reply: { description: 'It is recorded, once.', json: creditChangeReply },
    isIdempotent: true,
    errors: ['account_not_found', 'balance_too_low', 'id_already_used'],
  },
  exportOperatorAccount: {
    id: 'exportOperatorAccount',
    method: 'GET',
    path: '/console/operator/accounts/{account_id}/export',
    permission: 'operator',
    isSensitive: true,
    request: { path: operatorAccountPath, query: accountExportQuery },
    reply: {
      description: 'Everything that belongs to the account, as a JSON document that comes in pieces.',
      bytes: { types: ['application/json'], description: 'A file to keep.' },
    },
    errors: ['account_not_found'],
  },
  listOperatorDeposits: {
    id: 'listOperatorDeposits',
    method: 'GET',
    path: '/console/operator/deposits',
    permission: 'operator',
    request: { query: operatorDepositsQuery },
    reply: { description: 'Deposits, newest first.', json: operatorDepositList },
    errors: [],
  },
  getOperatorDeposit: {
    id: 'getOperatorDeposit',
    method: 'GET',
    path: '/console/operator/deposits/{deposit_id}',
    permission: 'operator',
    request: { path: depositPath },
    reply: { description: 'One deposit and what was decided about it.', json: operatorDepositReply },
    errors: ['deposit_not_found'],
  },
  getDepositEvidence: {
    id: 'getDepositEvidence',
    method: 'GET',
    path: '/console/operator/deposits/{deposit_id}/evidence',
    permission: 'operator',
    request: { path: depositPath },
    reply: { description: 'What each provider of the chain says now.', json: depositEvidenceReply },
    errors: ['deposit_not_found'],
  },
  decideOperatorDeposit: {
    id: 'decideOperatorDeposit',
    method: 'POST',
    path: '/console/operator/deposits/{deposit_id}/decision',
    permission: 'operator',
    isSensitive: true,
    request: { path: depositPath, body: depositVerdict },
    reply: { description: 'It is decided, as it may have been before.', json: operatorDepositReply },
    errors: ['deposit_not_found', 'deposit_not_decidable'],
  },
  getOperatorRequest: {
    id: 'getOperatorRequest',
    method: 'GET',
    path: '/console/operator/requests/{request_id}',
    permission: 'operator',
    request: { path: operatorRequestPath },
    reply: { description: 'All that is known of one request.', json: operatorRequestReply },
    errors: ['usage_not_found'],
  },
  refundRequest: {
    id: 'refundRequest',
    method: 'POST',
    path: '/console/operator/requests/{request_id}/refund',
    permission: 'operator',
    isSensitive: true,
    request: { path: operatorRequestPath, body: requestRefund },
    reply: { description: 'It is recorded, once.', json: requestRefundReply },
    isIdempotent: true,
    errors: ['usage_not_found', 'id_already_used'],
  },
  getOperatorOverview: {
    id: 'getOperatorOverview',
    method: 'GET',
    path: '/console/operator/overview',
    permission: 'operator',
    request: { query: operatorOverviewQuery },
    reply: { description: 'What was earned and lost.', json: operatorOverviewReply },
    errors: ['server_is_overloaded'],
  },
  listReconciliations: {
    id: 'listReconciliations',
    method: 'GET',
    path: '/console/operator/reconciliations',
    permission: 'operator',
    request: {},
    reply: { description: 'Reconciliations with upstreams, newest first.', json: reconciliationList },
    errors: [],
  },
  startReconciliation: {
    id: 'startReconciliation',
    method: 'POST',
    path: '/console/operator/reconciliations',
    permission: 'operator',
    request: { query: reconciliationQuery, form: invoiceForm },
    reply: { description: 'It runs; the list tells what came of it.', json: reconciliationStart },
    isIdempotent: true,
    errors: ['unsupported_media_type', 'invalid_form', 'request_too_large', 'server_is_overloaded'],
  },
  getReconciliation: {
    id: 'getReconciliation',
    method: 'GET',
    path: '/console/operator/reconciliations/{run_id}',
    permission: 'operator',
    request: { path: reconciliationPath },
    reply: { description: 'What one of them has found.', json: reconciliationReply },
    errors: ['job_not_found'],
  },
  getUpstreams: {
    id: 'getUpstreams',
    method: 'GET',
    path: '/console/operator/upstreams',
    permission: 'operator',
    request: {},
    reply: { description: 'How the upstreams fare.', json: upstreamsReply },
    errors: [],
  },
  comparePrices: {
    id: 'comparePrices',
    method: 'GET',
    path: '/console/operator/prices',
    permission: 'operator',
    request: {},
    reply: { description: 'What everything is sold at, and what it costs.', json: comparedPricesReply },
    errors: [],
  },
  getAudit: {
    id: 'getAudit',
    method: 'GET',
    path: '/console/operator/audit',
    permission: 'operator',
    request: {},
    reply: { description: 'The last audit, and whether one runs.', json: auditReply },
    errors: [],
  },
  startAudit: {
    id: 'startAudit',
    method: 'POST',
    path: '/console/operator/audit',
    permission: 'operator',
    request: {},
    reply: { description: 'It runs; `GET` tells what came of it.', json: auditStartReply },
    isIdempotent: true,
    errors: [],
  },
  listJournal: {
    id: 'listJournal',
    method: 'GET',
    path: '/console/operator/journal',
    permission: 'operator',
    request: { query: journalQuery },
    reply: { description: 'What operators did, newest first.', json: journalReply },
    errors: [],
  },
} as const satisfies ConsoleTable<
  | 'getTerms'
  | 'getOperatorSettings'
  | 'changeOperatorSettings'
  | 'listOperators'
  | 'addOperator'
  | 'removeOperator'
  | 'listOperatorAccounts'
  | 'getOperatorAccount'
  | 'changeAccountState'
  | 'changeAccountLimits'
  | 'changeAccountCredits'
  | 'exportOperatorAccount'
  | 'listOperatorDeposits'
  | 'getOperatorDeposit'
  | 'getDepositEvidence'
  | 'decideOperatorDeposit'
  | 'getOperatorRequest'
  | 'refundRequest'
  | 'getOperatorOverview'
  | 'listReconciliations'
  | 'startReconciliation'
  | 'getReconciliation'
  | 'getUpstreams'
  | 'comparePrices'
  | 'getAudit'
  | 'startAudit'
  | 'listJournal'
>
