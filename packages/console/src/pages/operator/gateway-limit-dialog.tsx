import {
  consoleEndpoints,
  type GatewayLimit,
  type GatewayLimitChange,
  type GatewayLimitPreview,
  type LimitUnit,
} from '@svc/contract'
import { clsx } from 'clsx'
import { consoleApi } from '../../api/client.ts'
import { ActionForm } from '../../ui/action-form.tsx'
import { Button } from '../../ui/button.tsx'
import { countText } from '../../ui/count-text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { LIMIT_PATTERN, limitOf } from '../../ui/limit-text.ts'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { amountText } from './amount-text.ts'
import { PreviewDialog, usePreviewedChange } from './previewed-change.tsx'

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
  const { preview, apply, seen, back } = usePreviewedChange({
    look: (change: GatewayLimitChange) => consoleApi.call(consoleEndpoints.previewGatewayLimit, { body: { change } }),
    make: (body) => consoleApi.call(consoleEndpoints.changeGatewayLimit, { body }),
    onDone: onClose,
  })
  const { name, description, unit, least, most } = limit
  if (seen !== null) {
    const { change, found } = seen
    return (
      <PreviewDialog
        title={name}
        action={change.value === null ? 'Go back to the default' : 'Apply it'}
        run={apply}
        onApply={(reason) => apply.mutate({ change, reason })}
        onBack={back}
        onClose={onClose}
      >
        <Effects preview={found} />
      </PreviewDialog>
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
