import { consoleEndpoints, EMAIL_ADDRESS_LENGTH_MAX, invitedRoles } from '@svc/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { useSession, useTeam } from '../../api/session.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { onItsWay } from '../../ui/email-text.ts'
import { useChange } from '../../ui/use-change.ts'
import { RoleChoice } from './role-choice.tsx'

/** Invites a person to the team by mail. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const team = useTeam()
  const { gateway } = useSession()
  const [role, setRole] = useState<(typeof invitedRoles)[number]>('member')
  const invite = useChange({
    change: (invited: { readonly email: string; readonly role: typeof role }, name) =>
      consoleApi.call(consoleEndpoints.inviteMember, { path: { team_id: team.id }, body: invited }, named(name)),
    refresh: [['team', team.id, 'invitations']],
    done: onItsWay('The invitation is on its way.', gateway.mail_folder),
    onDone: onClose,
  })
  return (
    <ActionDialog
      isSensitive
      title={`Invite to ${team.name}`}
      lead="They get an email with a link that works for 7 days. All members of the team spend from one pool of credits."
      onClose={onClose}
      action="Send the invitation"
      run={invite}
      onSubmit={(text) => invite.mutate({ email: text('email').trim(), role })}
    >
      <TextField
        label="E-mail"
        name="email"
        type="email"
        required
        maxLength={EMAIL_ADDRESS_LENGTH_MAX}
        autoFocus
        autoComplete="off"
      />
      <RoleChoice roles={invitedRoles} value={role} onPick={setRole} />
      {gateway.signup === 'closed' && <NobodyNew />}
    </ActionDialog>
  )
}

/** Said before an invitation is sent that would lead them to a closed door. */
function NobodyNew() {
  const team = useTeam()
  const { user } = useSession()
  return (
    <p role="note" className="rounded bg-warning-soft px-3 py-2 text-warning">
      People who have no account here cannot make one: the operator has to set “Who may make an account” to “Who was
      invited to a team”, or to all.
      {user?.is_operator === true && (
        <>
          {' '}
          <Link
            to="/team/$teamId/operator/settings"
            params={{ teamId: team.id }}
            className="underline underline-offset-2"
          >
            The operator’s settings
          </Link>
        </>
      )}
    </p>
  )
}
