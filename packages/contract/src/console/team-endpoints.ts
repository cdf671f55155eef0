import type { ConsoleTable } from './console-endpoint.ts'
import { receiptBody } from '../log/receipt.ts'
import { logKeysReply } from './operator-overview.ts'
import { playgroundKey } from './playground.ts'
import { teamLimits } from './request-limits.ts'
import { doneReply } from './session.ts'
import {
  keyChange,
  madeTeamKey,
  newTeamKey,
  rotation,
  teamKey,
  teamKeyList,
  teamKeyPath,
  teamKeysQuery,
  teamPath,
} from './team-keys.ts'
import {
  teamBalance,
  teamUsageDays,
  teamUsageDaysQuery,
  teamUsageEntries,
  teamUsageFileQuery,
  teamUsageList,
  teamUsagePath,
  teamUsageQuery,
  teamUsageReply,
} from './team-money.ts'
import { teamTimings, teamTimingsQuery } from './timings.ts'

/** What the pages of a team call. Roles that see only their own keys and requests get those. */
export const teamEndpoints = {
  getTeamBalance: {
    id: 'getTeamBalance',
    method: 'GET',
    path: '/console/teams/{team_id}/balance',
    permission: 'team:read',
    request: { path: teamPath },
    reply: { description: 'What the team can spend.', json: teamBalance },
    errors: [],
  },
  getTeamLimits: {
    id: 'getTeamLimits',
    method: 'GET',
    path: '/console/teams/{team_id}/limits',
    permission: 'team:read',
    request: { path: teamPath },
    reply: { description: 'How often and how much at once the team’s keys may ask.', json: teamLimits },
    errors: [],
  },
  listTeamKeys: {
    id: 'listTeamKeys',
    method: 'GET',
    path: '/console/teams/{team_id}/keys',
    permission: 'keys:own',
    request: { path: teamPath, query: teamKeysQuery },
    reply: { description: 'The keys, newest first.', json: teamKeyList },
    errors: [],
  },
  createTeamKey: {
    id: 'createTeamKey',
    method: 'POST',
    path: '/console/teams/{team_id}/keys',
    permission: 'keys:own',
    isSensitive: true,
    request: { path: teamPath, body: newTeamKey },
    reply: { description: 'The key, with its secret, this once.', json: madeTeamKey },
    isIdempotent: true,
    errors: ['account_suspended'],
  },
  getTeamKey: {
    id: 'getTeamKey',
    method: 'GET',
    path: '/console/teams/{team_id}/keys/{key_id}',
    permission: 'keys:own',
    request: { path: teamKeyPath },
    reply: { description: 'The key, without its secret.', json: teamKey },
    errors: ['key_not_found'],
  },
  changeTeamKey: {
    id: 'changeTeamKey',
    method: 'PATCH',
    path: '/console/teams/{team_id}/keys/{key_id}',
    permission: 'keys:own',
    isSensitive: true,
    request: { path: teamKeyPath, body: keyChange },
    reply: { description: 'The key as it is now.', json: teamKey },
    errors: ['key_not_found'],
  },
  rotateTeamKey: {
    id: 'rotateTeamKey',
    method: 'POST',
    path: '/console/teams/{team_id}/keys/{key_id}/rotate',
    permission: 'keys:own',
    isSensitive: true,
    request: { path: teamKeyPath, body: rotation },
    reply: { description: 'The successor, with its secret, this once.', json: madeTeamKey },
    isIdempotent: true,
    errors: ['key_not_found', 'account_suspended'],
  },
  revokeTeamKey: {
    id: 'revokeTeamKey',
    method: 'DELETE',
    path: '/console/teams/{team_id}/keys/{key_id}',
    permission: 'keys:own',
    request: { path: teamKeyPath },
    reply: { description: 'It is revoked, as it may have been before.', json: doneReply },
    errors: ['key_not_found'],
  },
  createPlaygroundKey: {
    id: 'createPlaygroundKey',
    method: 'POST',
    path: '/console/teams/{team_id}/playground-key',
    permission: 'play',
    request: { path: teamPath },
    reply: { description: 'A key for the page that asks, with its secret, this once.', json: playgroundKey },
    isIdempotent: true,
    errors: ['account_suspended'],
  },
  listTeamUsage: {
    id: 'listTeamUsage',
    method: 'GET',
    path: '/console/teams/{team_id}/usage',
    permission: 'usage:own',
    request: { path: teamPath, query: teamUsageQuery },
    reply: { description: 'Requests, newest first.', json: teamUsageList },
    errors: [],
  },
  listTeamTimings: {
    id: 'listTeamTimings',
    method: 'GET',
    path: '/console/teams/{team_id}/usage-timings',
    permission: 'usage:own',
    request: { path: teamPath, query: teamTimingsQuery },
    reply: { description: 'How long requests took, and how many failed.', json: teamTimings },
    errors: [],
  },
  getTeamUsage: {
    id: 'getTeamUsage',
    method: 'GET',
    path: '/console/teams/{team_id}/usage/{request_id}',
    permission: 'usage:own',
    request: { path: teamUsagePath },
    reply: { description: 'What became of one request.', json: teamUsageReply },
    errors: ['usage_not_found'],
  },
  getTeamUsageEntries: {
    id: 'getTeamUsageEntries',
    method: 'GET',
    path: '/console/teams/{team_id}/usage/{request_id}/entries',
    permission: 'usage:own',
    request: { path: teamUsagePath },
    reply: { description: 'How the money of one request moved.', json: teamUsageEntries },
    errors: ['usage_not_found'],
  },
  getTeamReceipt: {
    id: 'getTeamReceipt',
    method: 'GET',
    path: '/console/teams/{team_id}/usage/{request_id}/receipt',
    permission: 'usage:own',
    request: { path: teamUsagePath },
    reply: { description: 'The receipt of one request, as GET /v1/receipts gives it.', json: receiptBody },
    errors: ['usage_not_found', 'receipt_pending', 'server_is_overloaded'],
  },
  getLogKeys: {
    id: 'getLogKeys',
    method: 'GET',
    path: '/console/log-keys',
    permission: null,
    request: {},
    reply: { description: 'The keys that sign the ledger log.', json: logKeysReply },
    errors: [],
  },
  exportTeamUsage: {
    id: 'exportTeamUsage',
    method: 'GET',
    path: '/console/teams/{team_id}/usage.csv',
    permission: 'usage:own',
    request: { path: teamPath, query: teamUsageFileQuery },
    reply: {
      description: 'All requests that the filters select, newest first.',
      bytes: { types: ['text/csv'], description: 'RFC 4180, UTF-8, with a head.' },
    },
    errors: [],
  },
  listTeamUsageDays: {
    id: 'listTeamUsageDays',
    method: 'GET',
    path: '/console/teams/{team_id}/usage-days',
    permission: 'usage:own',
    request: { path: teamPath, query: teamUsageDaysQuery },
    reply: { description: 'Totals by day and model, key, person or type.', json: teamUsageDays },
    errors: [],
  },
} as const satisfies ConsoleTable<
  | 'getTeamBalance'
  | 'getTeamLimits'
  | 'listTeamKeys'
  | 'createTeamKey'
  | 'getTeamKey'
  | 'changeTeamKey'
  | 'rotateTeamKey'
  | 'revokeTeamKey'
  | 'createPlaygroundKey'
  | 'listTeamUsage'
  | 'listTeamTimings'
  | 'getTeamUsage'
  | 'getTeamUsageEntries'
  | 'getTeamReceipt'
  | 'getLogKeys'
  | 'exportTeamUsage'
  | 'listTeamUsageDays'
>
