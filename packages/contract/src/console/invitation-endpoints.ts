import type { ConsoleTable } from './console-endpoint.ts'
import { invitationToken, invitationView, joinedTeam, ownInvitationList, ownInvitationPath } from './people.ts'
import { doneReply } from './session.ts'

/** Invitations as those see them whom they are for. */
export const invitationEndpoints = {
  viewInvitation: {
    id: 'viewInvitation',
    method: 'POST',
    path: '/console/invitations/view',
    permission: 'public',
    request: { body: invitationToken },
    reply: { description: 'What the email is about.', json: invitationView },
    errors: ['invitation_not_found'],
  },
  acceptInvitation: {
    id: 'acceptInvitation',
    method: 'POST',
    path: '/console/invitations/accept',
    permission: null,
    request: { body: invitationToken },
    reply: { description: 'The person is in the team.', json: joinedTeam },
    errors: ['invitation_not_found'],
  },
  listOwnInvitations: {
    id: 'listOwnInvitations',
    method: 'GET',
    path: '/console/invitations',
    permission: null,
    request: {},
    reply: { description: 'Invitations to the address of the person.', json: ownInvitationList },
    errors: [],
  },
  acceptOwnInvitation: {
    id: 'acceptOwnInvitation',
    method: 'POST',
    path: '/console/invitations/{invitation_id}/accept',
    permission: null,
    request: { path: ownInvitationPath },
    reply: { description: 'The person is in the team.', json: joinedTeam },
    errors: ['invitation_not_found'],
  },
  declineOwnInvitation: {
    id: 'declineOwnInvitation',
    method: 'DELETE',
    path: '/console/invitations/{invitation_id}',
    permission: null,
    request: { path: ownInvitationPath },
    reply: { description: 'The invitation is declined.', json: doneReply },
    errors: ['invitation_not_found'],
  },
} as const satisfies ConsoleTable<
  'viewInvitation' | 'acceptInvitation' | 'listOwnInvitations' | 'acceptOwnInvitation' | 'declineOwnInvitation'
>
