import { consoleEndpoints, type TeamInvitation } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { invitationsQuery } from '../../api/people.ts'
import { useSession, useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { bodyRow, cell, headCell, restCell, right, table, tableFrame } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { onItsWay } from '../../ui/email-text.ts'
import { useChange } from '../../ui/use-change.ts'

/** Who was asked and has not answered; nothing where all have. */
export function InvitationTable() {
  const team = useTeam()
  const { data } = useSuspenseQuery(invitationsQuery(team.id)).data
  if (data.length === 0) return null
  return (
    <div>
      <h2 className="mb-3 font-semibold">Open invitations</h2>
      <div className={tableFrame} role="region" aria-label="Open invitations" tabIndex={0}>
        <table className={table}>
          <thead>
            <tr>
              <th className={headCell}>E-mail</th>
              <th className={clsx(headCell, 'hidden sm:table-cell')}>Role</th>
              <th className={clsx(headCell, 'hidden md:table-cell')}>Asked by</th>
              <th className={clsx(headCell, 'hidden sm:table-cell')}>Open until</th>
              <th className={headCell}>
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((invitation) => (
              <InvitationRow key={invitation.id} invitation={invitation} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function InvitationRow({ invitation }: { readonly invitation: TeamInvitation }) {
  const team = useTeam()
  const { gateway } = useSession()
  const path = { team_id: team.id, invitation_id: invitation.id }
  const refresh = [['team', team.id, 'invitations']]
  const resend = useChange({
    change: (_nothing, name) => consoleApi.call(consoleEndpoints.resendInvitation, { path }, named(name)),
    refresh,
    done: onItsWay('A new email is on its way. The link before it has ended.', gateway.mail_folder),
  })
  const revoke = useChange({
    change: () => consoleApi.call(consoleEndpoints.revokeInvitation, { path }),
    refresh,
    done: `Invitation to ${invitation.email} withdrawn.`,
  })
  return (
    <tr className={bodyRow}>
      <td className={restCell}>
        <MailAddress text={invitation.email} />
        <span className="block text-[12px] text-soft sm:hidden">
          {invitation.role}
          {invitation.is_expired && ', over'}
        </span>
      </td>
      <td className={clsx(cell, 'hidden sm:table-cell')}>{invitation.role}</td>
      <td className={clsx(cell, 'hidden whitespace-nowrap md:table-cell')}>{invitation.invited_by}</td>
      <td className={clsx(cell, 'hidden sm:table-cell')}>
        {invitation.is_expired ? <span className="text-warning">over</span> : <Time seconds={invitation.expires_at} />}
      </td>
      <td className={clsx(cell, right, 'py-1.5! whitespace-nowrap')}>
        <Button
          look="quiet"
          className="max-sm:px-1.5!"
          isBusy={resend.isPending}
          aria-label={`Send again to ${invitation.email}`}
          onClick={() => resend.mutate(undefined, { onError: toast.failure })}
        >
          Send again
        </Button>
        <Button
          look="quiet"
          className="max-sm:px-1.5!"
          isBusy={revoke.isPending}
          aria-label={`Withdraw the invitation to ${invitation.email}`}
          onClick={() => revoke.mutate(undefined, { onError: toast.failure })}
        >
          Withdraw
        </Button>
      </td>
    </tr>
  )
}

/** An address that breaks before its @ where it has to. */
function MailAddress({ text }: { readonly text: string }) {
  const at = text.lastIndexOf('@')
  return (
    <span className="wrap-anywhere">
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </span>
  )
}
