import { clsx } from 'clsx'
import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from 'react'

/** The look of everything that takes text. */
export const inputLook = clsx(
  'h-9 w-full min-w-0 rounded border border-line-strong/60 bg-surface px-2.5 text-text',
  'max-md:text-[16px] max-md:[&:is(input,select,button)]:h-10',
  'placeholder:text-soft/80 hover:border-line-strong aria-invalid:border-danger',
)

interface FieldProps {
  readonly label: string
  /** One sentence below it. */
  readonly hint?: ReactNode
  /** What is wrong with what was typed; null when nothing is. */
  readonly problem?: string | null
  readonly children: (input: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
    readonly 'aria-invalid': true | undefined
  }) => ReactNode
}

/** A label, an input, and what is to be said about it, tied together for every reader. */
export function Field({ label, hint, problem = null, children }: FieldProps) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note == null ? undefined : `${id}-note`,
        'aria-invalid': problem === null ? undefined : true,
      })}
      {note != null && (
        <p id={`${id}-note`} className={clsx('text-[12px]', problem === null ? 'text-soft' : 'text-danger')}>
          {note}
        </p>
      )}
    </div>
  )
}

type TextAreaFieldProps = Omit<FieldProps, 'children'> & ComponentProps<'textarea'>

/** A field of several lines. */
export function TextAreaField({ label, hint, problem, className, ...input }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem ?? null}>
      {(tied) => <textarea {...tied} {...input} className={clsx(inputLook, 'h-auto py-2', className)} />}
    </Field>
  )
}

interface TextFieldProps extends Omit<FieldProps, 'children'>, ComponentProps<'input'> {
  /** What the pattern takes, in our words: a browser's say nothing of it. */
  readonly wants?: string
}

export function TextField({ label, hint, problem, wants, className, ...input }: TextFieldProps) {
  const [isWrong, setWrong] = useState(false)
  const refuse = (event: FormEvent<HTMLInputElement>): void => {
    const { currentTarget: field } = event
    if (wants === undefined || !field.validity.patternMismatch) return
    event.preventDefault()
    setWrong(true)
    if (field.form?.querySelector(':invalid') === field) field.focus()
  }
  return (
    <Field label={label} hint={hint} problem={isWrong && wants !== undefined ? wants : (problem ?? null)}>
      {(tied) => (
        <input
          {...tied}
          {...input}
          onInvalid={refuse}
          onInput={() => setWrong(false)}
          className={clsx(inputLook, className)}
        />
      )}
    </Field>
  )
}
