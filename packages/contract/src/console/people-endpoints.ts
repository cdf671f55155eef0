import type { ConsoleTable } from './console-endpoint.ts'
import {
  madeTeam,
  memberRole,
  newInvitation,
  removedMemberQuery,
  responseStorage,
  rotationOverlap,
  teamAlert,
  teamCap,
  teamErasure,
  teamInvitation,
  teamInvitationList,
  teamInvitationPath,
  teamMemberList,
  teamMemberPath,
  teamName,
  teamSettings,
} from './people.ts'
import { doneReply } from './session.ts'
import { teamPath } from './team-keys.ts'

/** Teams, who is in them, and who is asked to come. `null` means what every person may do. */
export const peopleEndpoints = {
  createTeam: {
    id: 'createTeam',
    method: 'POST',
    path: '/console/teams',
    permission: null,
    request: { body: teamName },
    reply: { description: 'A team with an account of its own, without credits.', json: madeTeam },
    isIdempotent: true,
    errors: ['limit_reached'],
  },
  renameTeam: {
    id: 'renameTeam',
    method: 'PATCH',
    path: '/console/teams/{team_id}',
    permission: 'team:manage',
    request: { path: teamPath, body: teamName },
    reply: { description: 'It has the new name.', json: doneReply },
    errors: [],
  },
  getTeamSettings: {
    id: 'getTeamSettings',
    method: 'GET',
    path: '/console/teams/{team_id}/settings',
    permission: 'team:read',
    request: { path: teamPath },
    reply: { description: 'Cap and alert.', json: teamSettings },
    errors: [],
  },
  setTeamCap: {
    id: 'setTeamCap',
    method: 'POST',
    path: '/console/teams/{team_id}/cap',
    permission: 'team:manage',
    isSensitive: true,
    request: { path: teamPath, body: teamCap },
    reply: { description: 'The cap holds.', json: doneReply },
    errors: [],
  },
  setTeamAlert: {
    id: 'setTeamAlert',
    method: 'POST',
    path: '/console/teams/{team_id}/alert',
    permission: 'team:manage',
    request: { path: teamPath, body: teamAlert },
    reply: { description: 'The alert is set.', json: doneReply },
    errors: ['mail_not_enabled'],
  },
  setRotationOverlap: {
    id: 'setRotationOverlap',
    method: 'POST',
    path: '/console/teams/{team_id}/rotation-overlap',
    permission: 'keys:rotation',
    isSensitive: true,
    request: { path: teamPath, body: rotationOverlap },
    reply: { description: 'The overlap is set. Keys that have to be rotated already keep their end.', json: doneReply },
    errors: [],
  },
  setResponseStorage: {
    id: 'setResponseStorage',
    method: 'POST',
    path: '/console/teams/{team_id}/response-storage',
    permission: 'team:manage',
    isSensitive: true,
    request: { path: teamPath, body: responseStorage },
    reply: {
      description: 'Responses are stored for thirty days, or not any more: then those that were stored are removed.',
      json: doneReply,
    },
    errors: [],
  },
  listTeamMembers: {
    id: 'listTeamMembers',
    method: 'GET',
    path: '/console/teams/{team_id}/members',
    permission: 'team:read',
    request: { path: teamPath },
    reply: { description: 'All members of the team.', json: teamMemberList },
    errors: [],
  },
  setMemberRole: {
    id: 'setMemberRole',
    method: 'PATCH',
    path: '/console/teams/{team_id}/members/{user_id}',
    permission: 'members:manage',
    isSensitive: true,
    request: { path: teamMemberPath, body: memberRole },
    reply: { description: 'They have the role.', json: doneReply },
    errors: ['member_not_found', 'last_owner'],
  },
  removeMember: {
    id: 'removeMember',
    method: 'DELETE',
    path: '/console/teams/{team_id}/members/{user_id}',
    permission: 'members:manage',
    request: { path: teamMemberPath, query: removedMemberQuery },
    reply: { description: 'They are out of the team.', json: doneReply },
    errors: ['member_not_found', 'last_owner'],
  },
  leaveTeam: {
    id: 'leaveTeam',
    method: 'DELETE',
    path: '/console/teams/{team_id}/membership',
    permission: 'team:read',
    request: { path: teamPath },
    reply: {
      description: 'The person is out of the team; the keys that they have made there are revoked.',
      json: doneReply,
    },
    errors: ['last_owner'],
  },
  listTeamInvitations: {
    id: 'listTeamInvitations',
    method: 'GET',
    path: '/console/teams/{team_id}/invitations',
    permission: 'members:manage',
    request: { path: teamPath },
    reply: { description: 'Who was asked and has not answered.', json: teamInvitationList },
    errors: [],
  },
  inviteMember: {
    id: 'inviteMember',
    method: 'POST',
    path: '/console/teams/{team_id}/invitations',
    permission: 'members:manage',
    isSensitive: true,
    request: { path: teamPath, body: newInvitation },
    reply: { description: 'The email is on its way.', json: teamInvitation },
    isIdempotent: true,
    errors: ['already_member', 'limit_reached', 'mail_not_enabled'],
  },
  resendInvitation: {
    id: 'resendInvitation',
    method: 'POST',
    path: '/console/teams/{team_id}/invitations/{invitation_id}/resend',
    permission: 'members:manage',
    request: { path: teamInvitationPath },
    reply: { description: 'A new email is on its way; the link of the one before ends.', json: teamInvitation },
    isIdempotent: true,
    errors: ['invitation_not_found', 'mail_not_enabled'],
  },
  revokeInvitation: {
    id: 'revokeInvitation',
    method: 'DELETE',
    path: '/console/teams/{team_id}/invitations/{invitation_id}',
    permission: 'members:manage',
    request: { path: teamInvitationPath },
    reply: { description: 'It is withdrawn.', json: doneReply },
    errors: ['invitation_not_found'],
  },
  exportTeamAccount: {
    id: 'exportTeamAccount',
    method: 'GET',
    path: '/console/teams/{team_id}/export',
    permission: 'account:data',
    isSensitive: true,
    request: { path: teamPath },
    reply: {
      description: 'Everything that belongs to the account of the team, as a JSON document that comes in pieces.',
      bytes: { types: ['application/json'], description: 'A file to keep.' },
    },
    errors: [],
  },
  eraseTeamAccount: {
    id: 'eraseTeamAccount',
    method: 'POST',
    path: '/console/teams/{team_id}/erase',
    permission: 'account:data',
    isSensitive: true,
    request: { path: teamPath, body: teamErasure },
    reply: { description: 'Nothing that names a person is left of the account.', json: doneReply },
    errors: ['account_in_use', 'credits_left'],
  },
} as const satisfies ConsoleTable<
  | 'createTeam'
  | 'renameTeam'
  | 'getTeamSettings'
  | 'setTeamCap'
  | 'setTeamAlert'
  | 'setRotationOverlap'
  | 'setResponseStorage'
  | 'listTeamMembers'
  | 'setMemberRole'
  | 'removeMember'
  | 'leaveTeam'
  | 'listTeamInvitations'
  | 'inviteMember'
  | 'resendInvitation'
  | 'revokeInvitation'
  | 'exportTeamAccount'
  | 'eraseTeamAccount'
>
