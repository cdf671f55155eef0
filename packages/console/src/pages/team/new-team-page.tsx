import { consoleEndpoints, SHOWN_NAME_LENGTH_MAX } from '@svc/contract'
import type { FormEvent } from 'react'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Card, Page } from '../../ui/page.tsx'
import { useChange } from '../../ui/use-change.ts'

export function NewTeamPage() {
  const make = useChange({
    change: (name: string, request) => consoleApi.call(consoleEndpoints.createTeam, { body: { name } }, named(request)),
    refresh: [],
    onDone: ({ id }) => location.assign(`/console/team/${id}/team`),
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    make.mutate(formText(new FormData(event.currentTarget), 'name').trim())
  }
  return (
    <Page title="New team" lead="A team has its own balance, its own keys, and the people that you invite.">
      <div className="max-w-md">
        <Card>
          <form className="flex flex-col gap-4" onSubmit={submit}>
            <TextField
              label="Name"
              name="name"
              required
              maxLength={SHOWN_NAME_LENGTH_MAX}
              autoFocus
              autoComplete="off"
              placeholder="Crew"
            />
            <Failure error={make.error} />
            <Button type="submit" className="self-start" isBusy={make.isPending}>
              Make the team
            </Button>
          </form>
        </Card>
      </div>
    </Page>
  )
}
