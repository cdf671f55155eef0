import { consoleEndpoints, type Exact, type UsageRecordBody } from '@svc/contract'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Credits } from '../../ui/credits.tsx'
import { TextField } from '../../ui/field.tsx'
import { ReasonField } from './reason-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

interface RefundDialogProps {
  readonly record: Exact<UsageRecordBody>
  readonly onClose: () => void
}

/** Gives back what a request was charged, or a part of it, once. */
export function RefundDialog({ record, onClose }: RefundDialogProps) {
  const refund = useOperatorAction(
    ({ credits, reason }: { readonly credits: string; readonly reason: string }, name) =>
      consoleApi.call(
        consoleEndpoints.refundRequest,
        { path: { request_id: record.request_id }, body: { reason, ...(credits === '' ? {} : { credits }) } },
        named(name),
      ),
    'The request is refunded.',
    onClose,
  )
  return (
    <ActionDialog
      isSensitive
      title="Refund this request"
      lead={
        <>
          It was charged <Credits value={record.credits_charged} withUsd />. A request is refunded once; what it counts
          in budgets and usage stays.
        </>
      }
      onClose={onClose}
      action="Refund the request"
      run={refund}
      onSubmit={(text) => refund.mutate({ credits: text('credits').replaceAll(/[\s']/g, ''), reason: text('reason') })}
    >
      <TextField
        label="Credits"
        name="credits"
        inputMode="decimal"
        pattern={String.raw`[0-9 ']+([.][0-9]{1,9})?`}
        wants="A number of credits, such as 2.5"
        autoComplete="off"
        placeholder={record.credits_charged}
        hint="Leave it empty to refund all of it."
      />
      <ReasonField hint="The account’s owner reads it in the statement." />
    </ActionDialog>
  )
}
