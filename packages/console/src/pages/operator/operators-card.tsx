import { consoleEndpoints, EMAIL_ADDRESS_LENGTH_MAX } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { operatorsQuery } from '../../api/operator.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Card } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { ReasonField } from './reason-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

type Listed = NonNullable<Awaited<ReturnType<NonNullable<(typeof operatorsQuery)['queryFn']>>>>['data'][number]

/** Who runs the gateway. The last one stays. */
export function OperatorsCard() {
  const { data, error } = useQuery(operatorsQuery)
  const [open, setOpen] = useState<'add' | Listed | null>(null)
  const close = (): void => setOpen(null)
  return (
    <Card
      title="Operators"
      actions={
        <Button look="secondary" onClick={() => setOpen('add')}>
          Add one
        </Button>
      }
    >
      <Failure error={error} />
      {data === undefined && error === null && <Skeleton className="h-12 w-full" />}
      <ul className="flex flex-col divide-y divide-line">
        {data?.data.map((operator) => (
          <li key={operator.user_id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
            <span className="min-w-0 flex-1">
              <span className="font-medium">{operator.name}</span> {operator.is_you && <Mark tone="accent">you</Mark>}
              <span className="block text-[12px] wrap-anywhere text-soft">
                {operator.email !== null && `${operator.email}, `}since <Time seconds={operator.since} />
              </span>
            </span>
            {data.data.length > 1 && (
              <Button look="quiet" onClick={() => setOpen(operator)} aria-label={`Remove ${operator.name}`}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      {open === 'add' && <AddDialog onClose={close} />}
      {open !== null && open !== 'add' && <RemoveDialog operator={open} onClose={close} />}
    </Card>
  )
}

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const add = useOperatorAction(
    (body: { readonly email: string; readonly reason: string }, name) =>
      consoleApi.call(consoleEndpoints.addOperator, { body }, named(name)),
    'They are an operator now.',
    onClose,
  )
  return (
    <ActionDialog
      isSensitive
      title="Add an operator"
      lead="Operators see every account, give credits and change how the gateway works."
      onClose={onClose}
      action="Make them an operator"
      run={add}
      onSubmit={(text) => add.mutate({ email: text('email').trim(), reason: text('reason') })}
    >
      <TextField
        label="E-mail"
        name="email"
        type="email"
        required
        maxLength={EMAIL_ADDRESS_LENGTH_MAX}
        autoComplete="off"
        autoFocus
        hint="The person must have signed in here before."
      />
      <ReasonField />
    </ActionDialog>
  )
}

function RemoveDialog({ operator, onClose }: { readonly operator: Listed; readonly onClose: () => void }) {
  const remove = useOperatorAction(
    (reason: string) =>
      consoleApi.call(consoleEndpoints.removeOperator, { path: { user_id: operator.user_id }, body: { reason } }),
    `${operator.name} is no operator any more.`,
    onClose,
  )
  return (
    <ActionDialog
      isSensitive
      title={operator.is_you ? 'Stop being an operator?' : `Remove ${operator.name}?`}
      lead="It ends at once. Their account, their teams and what they did stay."
      onClose={onClose}
      action="Remove"
      look="danger"
      run={remove}
      onSubmit={(text) => remove.mutate(text('reason'))}
    >
      <ReasonField />
    </ActionDialog>
  )
}
