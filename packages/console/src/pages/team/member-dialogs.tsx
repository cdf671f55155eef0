import { consoleEndpoints, type TeamMember, type TeamRole, teamRoles } from '@svc/contract'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { useChange } from '../../ui/use-change.ts'
import { RoleChoice } from './role-choice.tsx'

interface MemberDialogProps {
  readonly member: TeamMember
  readonly onClose: () => void
}

export function ChangeRoleDialog({ member, onClose }: MemberDialogProps) {
  const team = useTeam()
  const [role, setRole] = useState<TeamRole>(member.role)
  const change = useChange({
    change: () =>
      consoleApi.call(consoleEndpoints.setMemberRole, {
        path: { team_id: team.id, user_id: member.user_id },
        body: { role },
      }),
    refresh: [['team', team.id], ['session']],
    done: `${member.name} is ${role} now.`,
    onDone: onClose,
  })
  return (
    <ActionDialog
      isSensitive
      title={`Role of ${member.name}`}
      lead="It holds from their next click on. Keys that the new role may not have end; service keys that they have seen must be replaced."
      onClose={onClose}
      action="Change the role"
      isDisabled={role === member.role}
      run={change}
      onSubmit={() => change.mutate()}
    >
      <RoleChoice
        roles={team.role === 'owner' ? teamRoles : teamRoles.filter((each) => each !== 'owner')}
        value={role}
        onPick={setRole}
      />
    </ActionDialog>
  )
}

/** Names the person, and says what becomes of their keys. */
export function RemoveMemberDialog({ member, onClose }: MemberDialogProps) {
  const team = useTeam()
  const [endsAll, setEndsAll] = useState(false)
  const remove = useChange({
    change: () =>
      consoleApi.call(consoleEndpoints.removeMember, {
        path: { team_id: team.id, user_id: member.user_id },
        query: { keys: endsAll ? 'revoke' : 'keep' },
      }),
    refresh: [['team', team.id]],
    done: `${member.name} is out of the team.`,
    onDone: onClose,
  })
  return (
    <ActionDialog
      title={`Remove ${member.name}?`}
      lead={`They lose access to ${team.name} now. Their past usage stays on record.`}
      onClose={onClose}
      action="Remove from the team"
      look="danger"
      run={remove}
      onSubmit={() => remove.mutate()}
    >
      <label className="flex items-start gap-3">
        <input
          type="checkbox"
          checked={endsAll}
          onChange={(event) => setEndsAll(event.target.checked)}
          className="mt-1 accent-accent"
        />
        <span>
          End every key whose secret they have seen, at once
          <span className="block text-[12px] text-soft">
            Their own keys end in any case. Without this, service keys that they have seen work for the time that the
            team has set, so that you can replace them.
          </span>
        </span>
      </label>
    </ActionDialog>
  )
}
