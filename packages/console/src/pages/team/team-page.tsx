import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { membersQuery } from '../../api/people.ts'
import { useCan, useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { AccountDataCard } from './account-data-card.tsx'
import { DeparturesCard } from './departures-card.tsx'
import { InvitationTable } from './invitation-table.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LimitsCard } from './limits-card.tsx'
import { LeaveTeam } from './leave-team.tsx'
import { MemberTable } from './member-table.tsx'
import { StorageCard } from './storage-card.tsx'
import { AlertCard, CapCard, NameCard } from './settings-cards.tsx'

const route = getRouteApi('/signed-in/team/$teamId/team')

export function TeamPage() {
  const team = useTeam()
  const { data: members } = useSuspenseQuery(membersQuery(team.id)).data
  const canInvite = useCan('members:manage')
  const ownsData = useCan('account:data')
  const { invite } = route.useSearch()
  const navigate = route.useNavigate()
  const setInviting = (isOpen: boolean): void =>
    void navigate({ search: isOpen ? { invite: true } : {}, replace: true })
  const count = members.length === 1 ? 'One person' : `${members.length} people`
  return (
    <Page
      title="Team"
      lead={`${count} in ${team.name}. Your role: ${team.role}.`}
      actions={
        canInvite && (
          <Button onClick={() => setInviting(true)}>
            <UserPlus size={16} aria-hidden />
            Invite
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-6">
        <MemberTable members={members} />
        {canInvite && <InvitationTable />}
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <CapCard />
          <AlertCard />
          <LimitsCard />
          <DeparturesCard />
          <StorageCard />
          <NameCard />
          {ownsData && <AccountDataCard />}
          {!team.is_personal && <LeaveTeam />}
        </div>
      </div>
      {invite === true && canInvite && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  )
}
