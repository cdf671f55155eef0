import { consoleEndpoints, type OwnInvitation } from '@svc/contract'
import { consoleApi } from '../api/client.ts'
import { ownInvitationsQuery } from '../api/own-invitations.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toasts.tsx'
import { useChange } from '../ui/use-change.ts'

/** Teams that ask for this person. Shown above every page. */
export function OwnInvitations({ invitations }: { readonly invitations: readonly OwnInvitation[] }) {
  return (
    <ul className="mb-6 flex flex-col gap-2" aria-label="Invitations">
      {invitations.map((invitation) => (
        <Invitation key={invitation.id} invitation={invitation} />
      ))}
    </ul>
  )
}

function Invitation({ invitation }: { readonly invitation: OwnInvitation }) {
  const path = { invitation_id: invitation.id }
  const accept = useChange({
    change: () => consoleApi.call(consoleEndpoints.acceptOwnInvitation, { path }),
    refresh: [],
    onDone: ({ team_id: teamId }) => location.assign(`/console/team/${teamId}`),
  })
  const decline = useChange({
    change: () => consoleApi.call(consoleEndpoints.declineOwnInvitation, { path }),
    refresh: [ownInvitationsQuery.queryKey],
    done: 'The invitation is declined.',
  })
  return (
    <li className="flex flex-wrap items-center gap-3 rounded-lg border border-accent/40 bg-accent-soft px-4 py-3">
      <p className="min-w-0 flex-1 basis-60">
        {invitation.invited_by === '' ? 'You are invited' : `${invitation.invited_by} asks you`} to join the team{' '}
        <strong>{invitation.team_name}</strong>, as {invitation.role}.
      </p>
      <div className="flex gap-2">
        <Button
          look="secondary"
          isBusy={decline.isPending}
          onClick={() => decline.mutate(undefined, { onError: toast.failure })}
        >
          Decline
        </Button>
        <Button isBusy={accept.isPending} onClick={() => accept.mutate(undefined, { onError: toast.failure })}>
          Join
        </Button>
      </div>
    </li>
  )
}
