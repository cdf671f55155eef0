import { consoleEndpoints, type WaitingDevice } from '@svc/contract'
import { type FormEvent, useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formText } from '../../ui/form-text.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { Time } from '../../ui/time.tsx'
import { useChange } from '../../ui/use-change.ts'

export interface Decided {
  /** Null where it was refused. */
  readonly keyName: string | null
}

interface DeviceDecisionProps {
  readonly code: string
  readonly device: WaitingDevice
  readonly onBack: () => void
  readonly onDecided: (decided: Decided) => void
}

const DAY_SECONDS = 86_400
const LIFETIMES = [
  { value: '90', text: 'in 90 days' },
  { value: '30', text: 'in 30 days' },
  { value: '1', text: 'tomorrow' },
  { value: '', text: 'never, until it is revoked' },
] as const

/** What a person must know before a terminal spends their credits, and the two answers. */
export function DeviceDecision({ code, device, onBack, onDecided }: DeviceDecisionProps) {
  const team = useTeam()
  const [makesKeys, setMakesKeys] = useState(false)
  const path = { team_id: team.id }
  const approve = useChange({
    change: (expiresAt: number | null) =>
      consoleApi.call(consoleEndpoints.approveDevice, {
        path,
        body: { user_code: code, makes_keys: makesKeys, expires_at: expiresAt },
      }),
    refresh: [['team', team.id, 'keys']],
    onDone: ({ name }) => onDecided({ keyName: name }),
  })
  const deny = useChange({
    change: () => consoleApi.call(consoleEndpoints.denyDevice, { body: { user_code: code } }),
    refresh: [],
    onDone: () => onDecided({ keyName: null }),
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const days = formText(new FormData(event.currentTarget), 'days')
    approve.mutate(days === '' ? null : Math.floor(Date.now() / 1_000) + Number(days) * DAY_SECONDS)
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <p>
        A terminal asks for a key that spends the credits of <strong>{team.name}</strong>.
      </p>
      <Facts>
        <Fact name="It calls itself">{device.device_name}</Fact>
        <Fact name="It asks from">{device.address}</Fact>
        <Fact name="Asked">
          <Time seconds={device.requested_at} />
        </Fact>
      </Facts>
      <p role="note" className="rounded bg-warning-soft p-3">
        <strong>Did you just run svc login yourself, and does that terminal show this code?</strong> If somebody sent
        you the code or asked you to open this page, refuse: they want your credits.
        {!device.is_same_address && ' This request comes from another network address than your browser.'}
      </p>
      <SelectField label="The key ends" name="days" options={LIFETIMES} />
      {device.wants_keys && (
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-0.5"
            checked={makesKeys}
            onChange={(event) => setMakesKeys(event.target.checked)}
          />
          <span>It may make and revoke keys that follow it, as it asks for.</span>
        </label>
      )}
      <Failure error={approve.error ?? deny.error} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="quiet" onClick={onBack}>
          Another code
        </Button>
        <Button look="danger" isBusy={deny.isPending} onClick={() => deny.mutate()}>
          Refuse
        </Button>
        <Button type="submit" isBusy={approve.isPending}>
          Sign the terminal in
        </Button>
      </div>
    </form>
  )
}
