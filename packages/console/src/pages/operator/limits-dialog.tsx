import { consoleEndpoints } from '@svc/contract'
import type { FormEvent } from 'react'
import { consoleApi } from '../../api/client.ts'
import type { Account } from '../../api/operator.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { LIMIT_PATTERN, limitOf } from '../../ui/limit-text.ts'
import { ReasonField } from './reason-field.tsx'
import { useDeed } from './use-deed.ts'

interface LimitsDialogProps {
  readonly account: Account
  readonly onClose: () => void
}

type Limits = Account['limits']['set'] & { readonly reason: string }

/** Sets how often the keys of an account may ask. An empty field leaves what holds for every account. */
export function LimitsDialog({ account, onClose }: LimitsDialogProps) {
  const { set, defaults } = account.limits
  const change = useDeed(
    (body: Limits) => consoleApi.call(consoleEndpoints.changeAccountLimits, { path: { account_id: account.id }, body }),
    'The limits hold from now on.',
    onClose,
  )
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    change.mutate({
      requests_per_minute: limitOf(formText(fields, 'key')),
      account_requests_per_minute: limitOf(formText(fields, 'account')),
      streams_at_once: limitOf(formText(fields, 'streams')),
      reason: formText(fields, 'reason'),
    })
  }
  return (
    <Dialog
      title={`Limits of “${account.name}”`}
      lead="They hold within about a second. Keys with a lower limit of their own keep it."
      onClose={onClose}
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <LimitField
          label="Requests a minute of each key"
          name="key"
          value={set.requests_per_minute}
          hint={`Empty for the gateway’s ${defaults.requests_per_minute.most.toLocaleString()}.`}
          autoFocus
        />
        <LimitField
          label="Requests a minute of all keys together"
          name="account"
          value={set.account_requests_per_minute}
          hint="Empty for ten times that of a key."
        />
        <LimitField
          label="Streams at once of each key"
          name="streams"
          value={set.streams_at_once}
          hint={`Empty for the gateway’s ${defaults.streams_at_once.most.toLocaleString()}.`}
        />
        <ReasonField />
        <Failure error={change.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" isBusy={change.isPending}>
            Set the limits
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface LimitFieldProps {
  readonly label: string
  readonly name: string
  readonly hint: string
  /** Null where nothing is set. */
  readonly value: number | null
  readonly autoFocus?: boolean
}

function LimitField({ value, ...rest }: LimitFieldProps) {
  return (
    <TextField
      {...rest}
      inputMode="numeric"
      pattern={LIMIT_PATTERN}
      placeholder="default"
      autoComplete="off"
      defaultValue={value ?? undefined}
    />
  )
}
