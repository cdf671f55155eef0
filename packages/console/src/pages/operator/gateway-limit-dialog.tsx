import {
  consoleEndpoints,
  type GatewayLimit,
  type GatewayLimitChange,
  type GatewayLimitPreview,
  type LimitUnit,
} from '@svc/contract'
import { clsx } from 'clsx'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { ActionForm } from '../../ui/action-form.tsx'
import { Button } from '../../ui/button.tsx'
import { countText } from '../../ui/count-text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { LIMIT_PATTERN, limitOf } from '../../ui/limit-text.ts'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { useAction } from '../../ui/use-action.ts'
import { amountText } from './amount-text.ts'
import { ReasonField } from './reason-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

const UNITS: Readonly<Record<LimitUnit, string>> = {
  count: '',
  bytes: ', in bytes',
  milliseconds: ', in milliseconds',
  hours: ', in hours',
}

interface GatewayLimitDialogProps {
  readonly limit: GatewayLimit
  readonly onClose: () => void
}

/** Sets a limit of the gateway in two steps: what it shall be, and what follows from that. */
export function GatewayLimitDialog({ limit, onClose }: GatewayLimitDialogProps) {
  const [change, setChange] = useState<GatewayLimitChange | null>(null)
  const preview = useAction({
    act: (asked: GatewayLimitChange) =>
      consoleApi.call(consoleEndpoints.previewGatewayLimit, { body: { change: asked } }),
    onSuccess: (_found, asked) => setChange(asked),
  })
  const apply = useOperatorAction(
    (body: { readonly change: GatewayLimitChange; readonly reason: string }) =>
      consoleApi.call(consoleEndpoints.changeGatewayLimit, { body }),
    'It holds now.',
    onClose,
  )
  const { name, description, unit, least, most } = limit
  if (change !== null && preview.data !== undefined) {
    return (
      <Dialog title={name} lead="What this changes. Nothing is changed yet." look="wide" isSensitive onClose={onClose}>
        <ActionForm
          action={change.value === null ? 'Go back to the default' : 'Apply it'}
          cancel="Back"
          run={apply}
          onClose={() => setChange(null)}
          onSubmit={(text) => apply.mutate({ change, reason: text('reason') })}
        >
          <Effects preview={preview.data} />
          <ReasonField />
        </ActionForm>
      </Dialog>
    )
  }
  return (
    <Dialog title={name} lead={description} onClose={onClose}>
      <ActionForm
        action="Preview"
        run={preview}
        onClose={onClose}
        onSubmit={(text) => preview.mutate({ name, value: limitOf(text('value')) })}
      >
        <TextField
          label={`Limit${UNITS[unit]}`}
          name="value"
          required
          autoFocus
          inputMode="numeric"
          pattern={LIMIT_PATTERN}
          wants="A whole number"
          autoComplete="off"
          defaultValue={limit.value}
          hint={`From ${least.toLocaleString()} to ${most.toLocaleString()}. The default is ${limit.default.toLocaleString()}.`}
        />
        {limit.set_in === 'console' && (
          <Button
            look="quiet"
            className="self-start"
            isBusy={preview.isPending}
            onClick={() => preview.mutate({ name, value: null })}
          >
            Preview the default
          </Button>
        )}
      </ActionForm>
    </Dialog>
  )
}

function Effects({ preview }: { readonly preview: GatewayLimitPreview }) {
  const { data, accounts_unchanged: unchanged, warnings } = preview
  if (data.length === 0) return <p className="rounded bg-sunken px-3 py-2 text-soft">Nothing changes by this.</p>
  return (
    <>
      <div className={tableFrame} role="region" aria-label="What changes" tabIndex={0}>
        <table className={table}>
          <thead>
            <tr>
              <th className={headCell}>What</th>
              <th className={clsx(headCell, right)}>Now</th>
              <th className={clsx(headCell, right)}>Then</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ what, unit, before, after }) => (
              <tr key={what} className={bodyRow}>
                <td className={cell}>{what}</td>
                <td className={clsx(cell, right, 'whitespace-nowrap text-soft')}>{amountText(before, unit)}</td>
                <td className={clsx(cell, right, 'whitespace-nowrap')}>{amountText(after, unit)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {unchanged > 0 && (
        <p className="text-soft">
          {countText(unchanged, 'account')} with a limit of {unchanged === 1 ? 'its' : 'their'} own{' '}
          {unchanged === 1 ? 'keeps' : 'keep'} it.
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="text-warning">
          {warning}
        </p>
      ))}
    </>
  )
}
