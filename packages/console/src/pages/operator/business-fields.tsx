import {
  INVOICE_NOTE_LENGTH_MAX,
  type OperatorSettings,
  PARTY_ADDRESS_LENGTH_MAX,
  PARTY_NAME_LENGTH_MAX,
  TAX_ID_LENGTH_MAX,
} from '@svc/contract'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import type { Who } from './setting-facts.tsx'

type Business = Pick<OperatorSettings, 'business_name' | 'business_address' | 'business_tax_id' | 'invoice_note'>

/** @param orNull a field's text; null where it is empty. */
export function readBusiness(orNull: (name: string) => string | null): Business {
  return {
    business_name: orNull('business_name'),
    business_address: orNull('business_address'),
    business_tax_id: orNull('business_tax_id'),
    invoice_note: orNull('invoice_note'),
  }
}

/** Who sells, as invoices and receipts say it. */
export function BusinessFields({ settings, who }: { readonly settings: Business; readonly who: Who }) {
  return (
    <fieldset className="flex flex-col gap-5 border-t border-line pt-5">
      <legend className="sr-only">Business</legend>
      <TextField
        label="Name of the business"
        name="business_name"
        maxLength={PARTY_NAME_LENGTH_MAX}
        defaultValue={settings.business_name ?? ''}
        autoComplete="off"
        hint={who('business_name', 'On invoices and receipts. Invoices need it and the address.')}
      />
      <TextAreaField
        label="Address of the business"
        hint={who('business_address', '')}
        name="business_address"
        rows={4}
        maxLength={PARTY_ADDRESS_LENGTH_MAX}
        defaultValue={settings.business_address ?? ''}
      />
      <TextField
        label="Tax ID of the business"
        name="business_tax_id"
        maxLength={TAX_ID_LENGTH_MAX}
        defaultValue={settings.business_tax_id ?? ''}
        autoComplete="off"
        hint={who('business_tax_id', '')}
      />
      <TextAreaField
        label="Note on every invoice"
        hint={who('invoice_note', 'Such as what your tax law wants it to say.')}
        name="invoice_note"
        rows={3}
        maxLength={INVOICE_NOTE_LENGTH_MAX}
        defaultValue={settings.invoice_note ?? ''}
      />
    </fieldset>
  )
}
