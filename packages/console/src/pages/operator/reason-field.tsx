import { OPERATOR_REASON_LENGTH_MAX } from '@svc/contract'
import { clsx } from 'clsx'
import { Field, inputLook } from '../../ui/field.tsx'

interface ReasonFieldProps {
  readonly hint?: string
}

/** Why something is done: it stays in the journal. */
export function ReasonField({ hint = 'Stays in the journal.' }: ReasonFieldProps) {
  return (
    <Field label="Reason" hint={hint}>
      {(tied) => (
        <textarea
          {...tied}
          name="reason"
          required
          rows={2}
          maxLength={OPERATOR_REASON_LENGTH_MAX}
          className={clsx(inputLook, 'h-auto py-2')}
        />
      )}
    </Field>
  )
}
