import {
  EMAIL_ADDRESS_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  SHOWN_NAME_LENGTH_MAX,
} from '@svc/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { sessionQuery, useSession } from '../../api/session.ts'
import { firstRun } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { textLink } from '../../ui/text-link.ts'
import { Gate } from './gate.tsx'

/** The account of the first operator. The token comes after the hash sign, so that no server log has it. */
export function FirstRunPage() {
  const { gateway } = useSession()
  const token = useLocation({ select: ({ hash }) => hash })
  if (!gateway.sign_in.first_run) {
    return (
      <Gate title="This gateway has an operator">
        <a href="/console/sign-in" className={textLink}>
          Sign in
        </a>
      </Gate>
    )
  }
  if (token === '') {
    return (
      <Gate title="The link is not whole">
        <p className="text-soft">
          Open the link that the gateway printed when it started, to its last character: what follows the # in it shows
          that it is you who runs this gateway.
        </p>
      </Gate>
    )
  }
  return (
    <Gate title="You run this gateway">
      <p className="text-soft">Make the operator’s account. It can add accounts, credits and other operators.</p>
      <OperatorForm token={token} />
    </Gate>
  )
}

function OperatorForm({ token }: { readonly token: string }) {
  const client = useQueryClient()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(null)
    try {
      await firstRun({
        token,
        email: formText(fields, 'email').trim(),
        name: formText(fields, 'name').trim(),
        password: formText(fields, 'password'),
      })
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      location.assign('/console')
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'That did not work.')
      setBusy(false)
    }
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <TextField label="Name" name="name" autoComplete="name" required maxLength={SHOWN_NAME_LENGTH_MAX} />
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={EMAIL_ADDRESS_LENGTH_MAX}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={PASSWORD_LENGTH_MIN}
        maxLength={PASSWORD_LENGTH_MAX}
        hint={`At least ${PASSWORD_LENGTH_MIN} characters.`}
      />
      {problem !== null && (
        <p role="alert" className="text-danger">
          {problem}
        </p>
      )}
      <Button type="submit" className="h-10" isBusy={isBusy}>
        Create the account
      </Button>
    </form>
  )
}
