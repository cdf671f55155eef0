/** What a person is called, and their password. */
import { consoleEndpoints, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, SHOWN_NAME_LENGTH_MAX } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import { consoleApi } from '../../api/client.ts'
import { accountQuery } from '../../api/people.ts'
import { useSignedIn } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Card } from '../../ui/page.tsx'
import { useChange } from '../../ui/use-change.ts'

export function NameCard() {
  const { user } = useSignedIn()
  const save = useChange({
    change: (name: string) => consoleApi.call(consoleEndpoints.renamePerson, { body: { name } }),
    refresh: [['session'], accountQuery.queryKey],
    done: 'Your name is changed.',
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    save.mutate(formText(new FormData(event.currentTarget), 'name').trim())
  }
  return (
    <Card title="You">
      <form className="flex flex-col gap-3" onSubmit={submit}>
        <TextField
          key={user.name}
          label="Name"
          name="name"
          defaultValue={user.name}
          required
          maxLength={SHOWN_NAME_LENGTH_MAX}
          autoComplete="name"
        />
        {user.email !== null && (
          <TextField label="E-mail" value={user.email} readOnly hint="Links to sign in and invitations go there." />
        )}
        <Failure error={save.error} />
        <Button type="submit" look="secondary" className="self-start" isBusy={save.isPending}>
          Save the name
        </Button>
      </form>
    </Card>
  )
}

export function PasswordCard() {
  const { has_password: hasPassword } = useSuspenseQuery(accountQuery).data
  const { user } = useSignedIn()
  const form = useRef<HTMLFormElement>(null)
  const save = useChange({
    change: (passwords: { current: string | null; next: string }) =>
      consoleApi.call(consoleEndpoints.setPassword, { body: passwords }),
    refresh: [accountQuery.queryKey, ['sessions']],
    done: 'The password holds. All other sessions are signed out.',
    onDone: () => form.current?.reset(),
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    save.mutate({ current: hasPassword ? formText(fields, 'current') : null, next: formText(fields, 'next') })
  }
  return (
    <Card title="Password">
      <form ref={form} className="flex flex-col gap-3" onSubmit={submit}>
        <input type="text" name="username" autoComplete="username" value={user.email ?? ''} readOnly hidden />
        {hasPassword && (
          <TextField
            label="Present password"
            name="current"
            type="password"
            autoComplete="current-password"
            required
            maxLength={PASSWORD_LENGTH_MAX}
          />
        )}
        <TextField
          label={hasPassword ? 'New password' : 'Password'}
          name="next"
          type="password"
          autoComplete="new-password"
          required
          minLength={PASSWORD_LENGTH_MIN}
          maxLength={PASSWORD_LENGTH_MAX}
          hint={`At least ${PASSWORD_LENGTH_MIN} characters. All other sessions are signed out.`}
        />
        <Failure error={save.error} />
        <Button type="submit" look="secondary" className="self-start" isBusy={save.isPending}>
          {hasPassword ? 'Change the password' : 'Set a password'}
        </Button>
      </form>
    </Card>
  )
}
