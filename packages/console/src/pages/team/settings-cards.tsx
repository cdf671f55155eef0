/** What a team sets for itself. A member who may not change it sees the values. */
import { consoleEndpoints, SHOWN_NAME_LENGTH_MAX } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { consoleApi } from '../../api/client.ts'
import { teamSettingsQuery } from '../../api/people.ts'
import { useCan, useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Card } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Time } from '../../ui/time.tsx'
import { useChange } from '../../ui/use-change.ts'

const PERIODS = [
  { value: 'monthly', text: 'each month' },
  { value: 'weekly', text: 'each week' },
  { value: 'daily', text: 'each day' },
  { value: 'none', text: 'in all' },
] as const

const CREDITS_PATTERN = "[0-9 ']+([.][0-9]{1,9})?"

/** The number of a field, without what people set between thousands; null where nothing was typed. */
function creditsOf(form: HTMLFormElement, name: string): string | null {
  const text = formText(new FormData(form), name).replaceAll(/[\s']/g, '')
  return text === '' ? null : text
}

export function CapCard() {
  const team = useTeam()
  const canManage = useCan('team:manage')
  const settings = useSuspenseQuery(teamSettingsQuery(team.id)).data
  const save = useChange({
    change: (cap: { credits: string; period: (typeof PERIODS)[number]['value'] } | null) =>
      consoleApi.call(consoleEndpoints.setTeamCap, { path: { team_id: team.id }, body: { cap } }),
    refresh: [['team', team.id]],
    done: 'Spending cap saved.',
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const credits = creditsOf(form, 'cap')
    const period = PERIODS.find(({ value }) => value === formText(new FormData(form), 'period'))?.value ?? 'monthly'
    save.mutate(credits === null ? null : { credits, period })
  }
  return (
    <Card title="Spending cap">
      <p className="mb-3 text-soft">
        {settings.cap_credits === null ? (
          'All keys together may spend what the balance holds.'
        ) : (
          <>
            <Credits value={settings.cap_used} withUnit={false} /> of <Credits value={settings.cap_credits} /> used
            {settings.cap_resets_at !== null && (
              <>
                , renewed <Time seconds={settings.cap_resets_at} />
              </>
            )}
            . Once it is reached, further requests are refused.
          </>
        )}
      </p>
      {canManage && (
        <form className="flex flex-col gap-3" onSubmit={submit}>
          <div className="grid grid-cols-[minmax(0,1fr)_10.5rem] items-start gap-3">
            <TextField
              key={settings.cap_credits}
              label="Cap in credits"
              name="cap"
              inputMode="decimal"
              pattern={CREDITS_PATTERN}
              wants="A number of credits, such as 2.5"
              defaultValue={settings.cap_credits ?? ''}
              placeholder="no cap"
              autoComplete="off"
            />
            <SelectField
              key={`${settings.cap_credits} ${settings.cap_period}`}
              label="Period"
              name="period"
              options={PERIODS}
              defaultValue={settings.cap_credits === null ? 'monthly' : settings.cap_period}
            />
          </div>
          <Failure error={save.error} />
          <Button type="submit" look="secondary" className="self-start" isBusy={save.isPending}>
            Save the cap
          </Button>
        </form>
      )}
    </Card>
  )
}

/** A mail once the balance falls below a threshold. Also fits on a page about credits. */
export function AlertCard() {
  const team = useTeam()
  const canManage = useCan('team:manage')
  const settings = useSuspenseQuery(teamSettingsQuery(team.id)).data
  const save = useChange({
    change: (credits: string | null) =>
      consoleApi.call(consoleEndpoints.setTeamAlert, { path: { team_id: team.id }, body: { credits } }),
    refresh: [['team', team.id, 'settings']],
    done: 'The alert is set.',
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    save.mutate(creditsOf(event.currentTarget, 'alert'))
  }
  return (
    <Card title="Low balance">
      <p className="mb-3 text-soft">
        Owners, admins and billing get one mail each time the balance falls below this.{' '}
        {settings.alert_is_low && <span className="text-warning">It is below now.</span>}
        {settings.alert_credits === null && 'It is off now.'}
      </p>
      {!settings.alert_can_mail && <p className="text-warning">This gateway sends no mail.</p>}
      {!canManage && settings.alert_credits !== null && <Credits value={settings.alert_credits} />}
      {canManage && settings.alert_can_mail && (
        <form className="flex flex-col gap-3" onSubmit={submit}>
          <TextField
            key={settings.alert_credits}
            label="Mail when below, in credits"
            name="alert"
            inputMode="decimal"
            pattern={CREDITS_PATTERN}
            wants="A number of credits, such as 2.5"
            defaultValue={settings.alert_credits ?? ''}
            placeholder="no mail"
            autoComplete="off"
          />
          <Failure error={save.error} />
          <Button type="submit" look="secondary" className="self-start" isBusy={save.isPending}>
            Save the alert
          </Button>
        </form>
      )}
    </Card>
  )
}

export function NameCard() {
  const team = useTeam()
  const canManage = useCan('team:manage')
  const save = useChange({
    change: (name: string) =>
      consoleApi.call(consoleEndpoints.renameTeam, { path: { team_id: team.id }, body: { name } }),
    refresh: [['session'], ['team', team.id, 'settings']],
    done: 'The team has its new name.',
  })
  if (!canManage) return null
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    save.mutate(formText(new FormData(event.currentTarget), 'name').trim())
  }
  return (
    <Card title="Name">
      <form className="flex flex-col gap-3" onSubmit={submit}>
        <TextField
          key={team.name}
          label="Name of the team"
          name="name"
          defaultValue={team.name}
          required
          maxLength={SHOWN_NAME_LENGTH_MAX}
        />
        <Failure error={save.error} />
        <Button type="submit" look="secondary" className="self-start" isBusy={save.isPending}>
          Save the name
        </Button>
      </form>
    </Card>
  )
}
