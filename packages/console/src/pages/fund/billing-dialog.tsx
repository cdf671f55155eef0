import {
  consoleEndpoints,
  type InvoiceParty,
  PARTY_ADDRESS_LENGTH_MAX,
  PARTY_NAME_LENGTH_MAX,
  TAX_ID_LENGTH_MAX,
} from '@svc/contract'
import { consoleApi } from '../../api/client.ts'
import { billingQuery } from '../../api/funding.ts'
import { useTeam } from '../../api/session.ts'
import { ActionForm } from '../../ui/action-form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { useChange } from '../../ui/use-change.ts'

interface BillingDialogProps {
  readonly details: InvoiceParty | null
  readonly onClose: () => void
}

/** Whom invoices and receipts are made out to. */
export function BillingDialog({ details, onClose }: BillingDialogProps) {
  const team = useTeam()
  const save = useChange({
    change: (body: InvoiceParty) =>
      consoleApi.call(consoleEndpoints.setTeamBillingDetails, { path: { team_id: team.id }, body }),
    refresh: [billingQuery(team.id).queryKey],
    done: 'Billing details saved.',
    onDone: onClose,
  })
  return (
    <Dialog
      title="Billing details"
      lead="Invoices and receipts are made out to them from now on. Invoices that were issued stay as they are."
      onClose={onClose}
    >
      <ActionForm
        action="Save"
        run={save}
        onClose={onClose}
        onSubmit={(text) => {
          const taxId = text('tax_id').trim()
          save.mutate({
            name: text('name').trim(),
            address: text('address').trim(),
            tax_id: taxId === '' ? null : taxId,
          })
        }}
      >
        <TextField
          label="Name of the business or person"
          name="name"
          required
          maxLength={PARTY_NAME_LENGTH_MAX}
          defaultValue={details?.name ?? ''}
          autoComplete="organization"
        />
        <TextAreaField
          label="Address"
          name="address"
          required
          rows={4}
          maxLength={PARTY_ADDRESS_LENGTH_MAX}
          defaultValue={details?.address ?? ''}
          autoComplete="street-address"
        />
        <TextField
          label="Tax ID"
          name="tax_id"
          maxLength={TAX_ID_LENGTH_MAX}
          defaultValue={details?.tax_id ?? ''}
          autoComplete="off"
          hint="Such as a VAT number. It may be left empty."
        />
      </ActionForm>
    </Dialog>
  )
}
