import type { FormEvent } from 'react'
import { finishSignIn } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Problem } from './problem.tsx'
import { useEnter } from './use-enter.ts'

/** The second step of a sign-in, where the person has turned it on. */
export function SecondFactorForm({ onEntered }: { readonly onEntered: () => void }) {
  const { enter, isBusy, problem } = useEnter(onEntered)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const code = formText(new FormData(event.currentTarget), 'code').trim()
    void enter(() => finishSignIn(code))
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <TextField
        label="Code of your authenticator app"
        name="code"
        required
        autoFocus
        autoComplete="one-time-code"
        inputMode="text"
        spellCheck={false}
        maxLength={64}
        className="font-mono"
        hint="Six digits, or one of your recovery codes."
      />
      <Problem text={problem} />
      <Button type="submit" className="h-10" isBusy={isBusy}>
        Continue
      </Button>
    </form>
  )
}
