import { consoleEndpoints } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { consoleApi } from '../../api/client.ts'
import { teamSettingsQuery } from '../../api/people.ts'
import { useCan, useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formText } from '../../ui/form-text.ts'
import { Card } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useChange } from '../../ui/use-change.ts'

const HOURS = [0, 1, 2, 4, 8, 12, 24] as const

function textOf(hours: number): string {
  if (hours === 0) return 'ends at once'
  return `works for ${hours === 1 ? 'one more hour' : `${hours} more hours`}`
}

/** How long keys work whose secret a former manager has seen. Only an owner sets it. */
export function DeparturesCard() {
  const team = useTeam()
  const canSet = useCan('keys:rotation')
  const { rotation_overlap_hours: present } = useSuspenseQuery(teamSettingsQuery(team.id)).data
  const save = useChange({
    change: (hours: number) =>
      consoleApi.call(consoleEndpoints.setRotationOverlap, { path: { team_id: team.id }, body: { hours } }),
    refresh: [['team', team.id, 'settings']],
    done: 'Saved. It applies to the next departure.',
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    save.mutate(Number(formText(new FormData(event.currentTarget), 'hours')))
  }
  const choices = HOURS.some((hours) => hours === present) ? HOURS : [present, ...HOURS]
  return (
    <Card title="Keys after a departure">
      <p className="mb-3 text-soft">
        Personal keys end with the role of their person. A service key whose secret that person has seen{' '}
        {textOf(present)}: replace it before.
      </p>
      {canSet && (
        <form className="flex flex-col gap-3" onSubmit={submit}>
          <SelectField
            key={present}
            label="A service key that was seen"
            name="hours"
            options={choices.map((hours) => ({ value: String(hours), text: textOf(hours) }))}
            defaultValue={String(present)}
          />
          <Failure error={save.error} />
          <Button type="submit" look="secondary" className="self-start" isBusy={save.isPending}>
            Save
          </Button>
        </form>
      )}
    </Card>
  )
}
