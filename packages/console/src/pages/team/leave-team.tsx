import { consoleEndpoints } from '@svc/contract'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { useChange } from '../../ui/use-change.ts'

const LEAD =
  'Your own keys in this team are revoked at once; requests that run with them end within a second. ' +
  'Only a member of the team can invite you again.'

export function LeaveTeam() {
  const team = useTeam()
  const [isOpen, setOpen] = useState(false)
  const leave = useChange({
    change: () => consoleApi.call(consoleEndpoints.leaveTeam, { path: { team_id: team.id } }),
    refresh: [],
    // All that was shown of the team is gone with it.
    onDone: () => location.assign('/console'),
  })
  return (
    <Card title="Leave the team">
      <p className="mb-3 break-words text-soft">
        You reach nothing of {team.name} any more, and your own keys here end.
      </p>
      <Button look="warning" className="max-w-full" onClick={() => setOpen(true)}>
        <span className="truncate">Leave {team.name}</span>
      </Button>
      {isOpen && (
        <ActionDialog
          title={`Leave ${team.name}?`}
          lead={LEAD}
          onClose={() => setOpen(false)}
          action="Leave the team"
          look="danger"
          cancel="Stay"
          run={leave}
          onSubmit={() => leave.mutate()}
        />
      )}
    </Card>
  )
}
