import { consoleEndpoints } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import { teamSettingsQuery } from '../../api/people.ts'
import { useCan, useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Card } from '../../ui/page.tsx'
import { useChange } from '../../ui/use-change.ts'

/** Whether responses of the team are stored for its later requests. */
export function StorageCard() {
  const team = useTeam()
  const canSet = useCan('team:manage')
  const { stores_responses: isOn } = useSuspenseQuery(teamSettingsQuery(team.id)).data
  const change = useChange({
    change: () =>
      consoleApi.call(consoleEndpoints.setResponseStorage, { path: { team_id: team.id }, body: { is_on: !isOn } }),
    refresh: [['team', team.id, 'settings']],
    done: isOn ? 'Stored responses are removed.' : 'Responses are stored from now on.',
  })
  return (
    <Card title="Stored responses">
      <p className="mb-3 text-soft">
        {isOn
          ? 'Prompts and answers of the Responses API are stored sealed for thirty days, unless a request says store: false. Every key of the team can fetch and delete them.'
          : 'No prompt is stored. Switch this on to use store and previous_response_id of the Responses API.'}
      </p>
      {canSet && (
        <div className="flex flex-col gap-3">
          <Failure error={change.error} />
          <Button look="secondary" className="self-start" isBusy={change.isPending} onClick={() => change.mutate()}>
            {isOn ? 'Stop and remove them' : 'Store responses'}
          </Button>
        </div>
      )}
    </Card>
  )
}
