import { clsx } from 'clsx'
import type { FormEvent, ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { Failure } from './failure.tsx'
import { formText } from './form-text.ts'

export interface ActionFormProps {
  /** What the button does, in its own words. */
  readonly action: string
  readonly look?: NonNullable<ButtonProps['look']>
  readonly isDisabled?: boolean
  readonly run: { readonly error: Error | null; readonly isPending: boolean }
  /** @param text of a named field; empty when it is not there. */
  readonly onSubmit: (text: (name: string) => string) => void
  readonly onClose: () => void
  /** The word for leaving it. */
  readonly cancel?: string
  readonly className?: string
  readonly children?: ReactNode
}

/** What is asked before something is done, why it failed, and the two ways out. */
export function ActionForm(props: ActionFormProps) {
  const { action, look = 'primary', isDisabled, run, onSubmit, onClose, cancel = 'Cancel', children } = props
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    onSubmit((name) => formText(fields, name))
  }
  return (
    <form className={clsx('flex flex-col gap-4', props.className)} onSubmit={submit}>
      {children}
      <Failure error={run.error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {cancel}
        </Button>
        <Button type="submit" look={look} disabled={isDisabled} isBusy={run.isPending}>
          {action}
        </Button>
      </div>
    </form>
  )
}
