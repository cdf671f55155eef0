import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { sessionQuery, useSession } from '../../api/session.ts'
import { sendSignInLink, signInByDemo, signInByPassword } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Gate } from './gate.tsx'

const route = getRouteApi('/sign-in')

/** Only a place of this console: a link from elsewhere cannot send a person away after they have signed in. */
function placeAfter(next: string | undefined): string {
  return next !== undefined && /^\/console(?:\/|$)/.test(next) ? next : '/console'
}

/** Runs a way of signing in, and opens the page that was asked for. */
function useEnter(): {
  readonly problem: string | null
  readonly isBusy: boolean
  readonly enter: (way: () => Promise<void>) => Promise<void>
} {
  const client = useQueryClient()
  const { next } = route.useSearch()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const enter = async (way: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      await way()
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      location.assign(placeAfter(next))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'That did not work.')
      setBusy(false)
    }
  }
  return { problem, isBusy, enter }
}

export function SignInPage() {
  const { gateway } = useSession()
  const { sign_in: ways } = gateway
  const hasForm = ways.password || ways.link
  return (
    <Gate title={`Sign in to ${gateway.brand}`}>
      {ways.demo && <DemoButton />}
      {hasForm && <MailForm canUsePassword={ways.password} canSendLink={ways.link} />}
      {ways.first_run && !ways.demo && (
        <p className="text-soft">Nobody runs this gateway yet. Open the link that it printed when it started.</p>
      )}
      {gateway.terms_url !== null && (
        <p className="text-[12px] text-soft">
          By signing in you accept the{' '}
          <a href={gateway.terms_url} className="underline underline-offset-2" rel="noreferrer">
            terms
          </a>
          .
        </p>
      )}
    </Gate>
  )
}

function DemoButton() {
  const { enter, isBusy, problem } = useEnter()
  return (
    <div className="flex flex-col gap-2">
      <Button className="h-10" isBusy={isBusy} onClick={() => void enter(signInByDemo)}>
        Enter the sandbox
      </Button>
      <p className="text-soft">This gateway plays: its credits are worth nothing, and no real model is asked.</p>
      {problem !== null && (
        <p role="alert" className="text-danger">
          {problem}
        </p>
      )}
    </div>
  )
}

function MailForm({
  canUsePassword,
  canSendLink,
}: {
  readonly canUsePassword: boolean
  readonly canSendLink: boolean
}) {
  const { enter, isBusy, problem } = useEnter()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const email = formText(fields, 'email').trim()
    const password = formText(fields, 'password')
    setFailure(null)
    if (password !== '') {
      await enter(() => signInByPassword({ email, password }))
      return
    }
    if (!canSendLink) {
      setFailure('Type your password.')
      return
    }
    try {
      await sendSignInLink(email)
      setSentTo(email)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : 'That did not work.')
    }
  }
  if (sentTo !== null) {
    return <p role="status">If {sentTo} may sign in here, a link is on its way. It works for 15 minutes, once.</p>
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <TextField label="E-mail" name="email" type="email" autoComplete="username" required maxLength={254} />
      {canUsePassword && (
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required={!canSendLink}
          maxLength={128}
          hint={canSendLink ? 'Leave it empty to get a link by mail.' : undefined}
        />
      )}
      {(problem ?? failure) !== null && (
        <p role="alert" className="text-danger">
          {problem ?? failure}
        </p>
      )}
      <Button type="submit" className="h-10" isBusy={isBusy}>
        Continue
      </Button>
    </form>
  )
}
