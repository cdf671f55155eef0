import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface ChoiceProps<Value extends string | number> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly text: string; readonly mark?: ReactNode }[]
  readonly onPick: (value: Value) => void
}

/** A choice among two or three that are all seen at once. */
export function Choice<Value extends string | number>({ label, value, options, onPick }: ChoiceProps<Value>) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="flex max-w-full flex-wrap gap-1 self-start rounded bg-sunken p-1">
        {options.map((option) => (
          <label
            key={option.value}
            className={clsx(
              'flex cursor-pointer items-center gap-2 rounded-[6px] px-3 py-1',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              option.value === value
                ? 'bg-control font-medium shadow-[0_0_0_1px_var(--line)]'
                : 'text-soft hover:text-text',
            )}
          >
            <input
              type="radio"
              className="sr-only"
              name={label}
              checked={option.value === value}
              onChange={() => onPick(option.value)}
            />
            {option.text}
            {option.mark}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
