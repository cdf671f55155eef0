import { claimReply, claimRequest, depositsQuery } from '../deposits.ts'
import { notifyReply } from '../notifications.ts'
import {
  linkedWallet,
  linkedWalletList,
  linkWalletRequest,
  unlinkedWalletReply,
  walletChallengeReply,
  walletChallengeRequest,
} from '../wallets.ts'
import type { ConsoleTable } from './console-endpoint.ts'
import { receiptBody } from '../log/receipt.ts'
import { depositsEndpoints } from '../endpoints/deposits.ts'
import {
  teamDeposit,
  teamDepositAddress,
  teamDepositList,
  teamDepositPath,
  teamPrices,
  teamReceiptRequest,
  teamWalletPath,
} from './team-funding.ts'
import { teamPath } from './team-keys.ts'
import {
  teamStatement,
  teamStatementEntries,
  teamStatementEntriesQuery,
  teamStatementEntryPath,
  teamStatementQuery,
} from './team-statement.ts'

/**
 * What the pages about funding call. A member who sees all requests sees deposits and statements; paying in takes more.
 */
export const fundingEndpoints = {
  getTeamDepositAddress: {
    id: 'getTeamDepositAddress',
    method: 'GET',
    path: '/console/teams/{team_id}/deposits/address',
    permission: 'deposits:manage',
    request: { path: teamPath },
    reply: { description: 'Where to pay; no chains where the operator takes no deposits.', json: teamDepositAddress },
    errors: [],
  },
  listTeamPrices: {
    id: 'listTeamPrices',
    method: 'GET',
    path: '/console/teams/{team_id}/deposits/prices',
    permission: 'deposits:manage',
    request: { path: teamPath },
    reply: { description: 'What one ETH is worth now. A deposit is worth the price of its block.', json: teamPrices },
    errors: [],
  },
  claimTeamDeposit: {
    id: 'claimTeamDeposit',
    method: 'POST',
    path: '/console/teams/{team_id}/deposits/claim',
    permission: 'deposits:manage',
    request: { path: teamPath, body: claimRequest },
    reply: { description: 'The deposit, and whether it is in the balance.', json: claimReply },
    errors: depositsEndpoints.claimDeposit.errors,
  },
  listTeamDeposits: {
    id: 'listTeamDeposits',
    method: 'GET',
    path: '/console/teams/{team_id}/deposits',
    permission: 'usage:all',
    request: { path: teamPath, query: depositsQuery },
    reply: { description: 'Deposits, newest first.', json: teamDepositList },
    errors: [],
  },
  getTeamDeposit: {
    id: 'getTeamDeposit',
    method: 'GET',
    path: '/console/teams/{team_id}/deposits/{deposit_id}',
    permission: 'usage:all',
    request: { path: teamDepositPath },
    reply: { description: 'One deposit.', json: teamDeposit },
    errors: ['deposit_not_found'],
  },
  sendTeamReceipt: {
    id: 'sendTeamReceipt',
    method: 'POST',
    path: '/console/teams/{team_id}/deposits/{deposit_id}/receipt',
    permission: 'deposits:manage',
    request: { path: teamDepositPath, body: teamReceiptRequest },
    reply: { description: 'Whether the receipt was sent.', json: notifyReply },
    isIdempotent: true,
    errors: ['deposit_not_found'],
  },
  listTeamWallets: {
    id: 'listTeamWallets',
    method: 'GET',
    path: '/console/teams/{team_id}/wallets',
    permission: 'deposits:manage',
    request: { path: teamPath },
    reply: { description: 'Linked wallets, newest first.', json: linkedWalletList },
    errors: [],
  },
  challengeTeamWallet: {
    id: 'challengeTeamWallet',
    method: 'POST',
    path: '/console/teams/{team_id}/wallets/challenge',
    permission: 'deposits:manage',
    isSensitive: true,
    request: { path: teamPath, body: walletChallengeRequest },
    reply: { description: 'What the wallet is to sign.', json: walletChallengeReply },
    errors: ['chain_not_enabled'],
  },
  linkTeamWallet: {
    id: 'linkTeamWallet',
    method: 'POST',
    path: '/console/teams/{team_id}/wallets',
    permission: 'deposits:manage',
    isSensitive: true,
    request: { path: teamPath, body: linkWalletRequest },
    reply: { description: 'The wallet that is linked now.', json: linkedWallet },
    errors: ['chain_not_enabled', 'wallet_not_proven', 'wallet_already_linked', 'chain_unavailable'],
  },
  unlinkTeamWallet: {
    id: 'unlinkTeamWallet',
    method: 'DELETE',
    path: '/console/teams/{team_id}/wallets/{wallet_id}',
    permission: 'deposits:manage',
    request: { path: teamWalletPath },
    reply: { description: 'It is unlinked.', json: unlinkedWalletReply },
    errors: ['wallet_not_found'],
  },
  getTeamEntryReceipt: {
    id: 'getTeamEntryReceipt',
    method: 'GET',
    path: '/console/teams/{team_id}/statement/entries/{entry_id}/receipt',
    permission: 'usage:all',
    request: { path: teamStatementEntryPath },
    reply: {
      description: 'The receipt of one movement of the balance, as GET /v1/receipts gives it.',
      json: receiptBody,
    },
    errors: ['usage_not_found', 'receipt_pending', 'server_is_overloaded'],
  },
  getTeamStatement: {
    id: 'getTeamStatement',
    method: 'GET',
    path: '/console/teams/{team_id}/statement',
    permission: 'usage:all',
    request: { path: teamPath, query: teamStatementQuery },
    reply: { description: 'The month of the account.', json: teamStatement },
    errors: [],
  },
  listTeamStatementEntries: {
    id: 'listTeamStatementEntries',
    method: 'GET',
    path: '/console/teams/{team_id}/statement/entries',
    permission: 'usage:all',
    request: { path: teamPath, query: teamStatementEntriesQuery },
    reply: { description: 'What moved the balance, oldest first.', json: teamStatementEntries },
    errors: [],
  },
  exportTeamStatement: {
    id: 'exportTeamStatement',
    method: 'GET',
    path: '/console/teams/{team_id}/statement/csv',
    permission: 'usage:all',
    request: { path: teamPath, query: teamStatementQuery },
    reply: {
      description: 'The whole month as a file.',
      bytes: { types: ['text/csv'], description: 'Opening balance, every entry, closing balance.' },
    },
    errors: [],
  },
} as const satisfies ConsoleTable<
  | 'getTeamDepositAddress'
  | 'listTeamPrices'
  | 'claimTeamDeposit'
  | 'listTeamDeposits'
  | 'getTeamDeposit'
  | 'sendTeamReceipt'
  | 'getTeamEntryReceipt'
  | 'listTeamWallets'
  | 'challengeTeamWallet'
  | 'linkTeamWallet'
  | 'unlinkTeamWallet'
  | 'getTeamStatement'
  | 'listTeamStatementEntries'
  | 'exportTeamStatement'
>
