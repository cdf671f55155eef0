import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Field, inputLook } from './field.tsx'

interface SelectFieldProps extends Omit<ComponentProps<'select'>, 'onChange'> {
  readonly label: string
  readonly hint?: string
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly onPick?: (value: string) => void
}

/** A choice among a few, by the browser's own control. */
export function SelectField({ label, hint, options, onPick, className, ...rest }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(tied) => (
        <select
          {...tied}
          {...rest}
          className={clsx(inputLook, className)}
          {...(onPick === undefined ? {} : { onChange: (event) => onPick(event.target.value) })}
        >
          {options.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
