import { OPERATOR_REASON_LENGTH_MAX } from '@svc/contract'
import { TextAreaField } from '../../ui/field.tsx'

interface ReasonFieldProps {
  readonly hint?: string
}

/** Why something is done: it stays in the journal. */
export function ReasonField({ hint = 'Stays in the journal.' }: ReasonFieldProps) {
  return (
    <TextAreaField label="Reason" hint={hint} name="reason" required rows={2} maxLength={OPERATOR_REASON_LENGTH_MAX} />
  )
}
