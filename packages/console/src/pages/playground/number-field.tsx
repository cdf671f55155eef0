import { useState } from 'react'
import { Field, inputLook } from '../../ui/field.tsx'

interface NumberFieldProps {
  readonly label: string
  /** Null leaves it to the model. */
  readonly value: number | null
  readonly bounds: { readonly min: number; readonly max: number; readonly step: number }
  readonly onSet: (value: number | null) => void
}

/** A number within its bounds, or nothing. What is no such number is not taken, and said. */
export function NumberField({ label, value, bounds, onSet }: NumberFieldProps) {
  const [text, setText] = useState(value === null ? '' : String(value))
  const isGood = (each: string): boolean => {
    const number = Number(each)
    const isWhole = bounds.step !== 1 || Number.isInteger(number)
    return each.trim() !== '' && number >= bounds.min && number <= bounds.max && isWhole
  }
  const change = (next: string): void => {
    setText(next)
    if (next.trim() === '') onSet(null)
    else if (isGood(next)) onSet(Number(next))
  }
  const problem = text.trim() === '' || isGood(text) ? null : `${bounds.min} to ${bounds.max.toLocaleString()}`
  return (
    <Field label={label} problem={problem}>
      {(tied) => (
        <input
          {...tied}
          inputMode="decimal"
          autoComplete="off"
          placeholder="default"
          className={inputLook}
          value={text}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </Field>
  )
}
