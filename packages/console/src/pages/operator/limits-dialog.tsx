import { consoleEndpoints } from '@svc/contract'
import { consoleApi } from '../../api/client.ts'
import type { Account } from '../../api/operator.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { LIMIT_PATTERN, limitOf } from '../../ui/limit-text.ts'
import { ReasonField } from './reason-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

interface LimitsDialogProps {
  readonly account: Account
  readonly onClose: () => void
}

type Limits = Account['limits']['set'] & { readonly reason: string }

/** Sets how often the keys of an account may ask. An empty field leaves what holds for every account. */
export function LimitsDialog({ account, onClose }: LimitsDialogProps) {
  const { set, defaults } = account.limits
  const change = useOperatorAction(
    (body: Limits) => consoleApi.call(consoleEndpoints.changeAccountLimits, { path: { account_id: account.id }, body }),
    'Limits saved.',
    onClose,
  )
  const submit = (text: (name: string) => string): void =>
    change.mutate({
      requests_per_minute: limitOf(text('key')),
      account_requests_per_minute: limitOf(text('account')),
      streams_at_once: limitOf(text('streams')),
      reason: text('reason'),
    })
  return (
    <ActionDialog
      isSensitive
      title={`Limits of “${account.name}”`}
      lead="They hold within about a second. Keys with a lower limit of their own keep it."
      onClose={onClose}
      action="Set the limits"
      run={change}
      onSubmit={submit}
    >
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
    </ActionDialog>
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
      wants="A whole number"
      placeholder="default"
      autoComplete="off"
      defaultValue={value ?? undefined}
    />
  )
}
