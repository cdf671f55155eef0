import { consoleEndpoints, type InvitationView, SHOWN_NAME_LENGTH_MAX } from '@svc/contract'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { joinByInvitation, signOut } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { roleTexts } from '../../ui/role-texts.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { textLink } from '../../ui/text-link.ts'
import { Time } from '../../ui/time.tsx'
import { Gate } from './gate.tsx'
import { Problem } from './problem.tsx'
import { openNext, useEnter } from './use-enter.ts'

const viewQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.viewInvitation, { body: { token } }, { signal }),
    staleTime: Infinity,
    enabled: token !== '',
  })

/** What the invitation email opens. Its secret comes after the hash sign, so that no server log has it. */
export function InvitationPage() {
  const { gateway } = useSession()
  const [token] = useState(() => location.hash.slice(1))
  const { data: view, error } = useQuery(viewQuery(token))
  if (token === '' || error !== null) {
    return (
      <Gate title="This invitation is over">
        <p className="text-soft">
          It was used or withdrawn, or has expired. Ask the person who invited you to send a new one.
        </p>
        <Link to="/" className={textLink}>
          To the console
        </Link>
      </Gate>
    )
  }
  if (view === undefined) {
    return (
      <Gate title="Invitation">
        <Skeleton className="h-24 w-full" />
      </Gate>
    )
  }
  return (
    <Gate title={`Join ${view.team_name}`}>
      <p className="text-soft">
        {askedBy(view)} this team on {gateway.brand}, as <strong className="text-text">{view.role}</strong>:{' '}
        {roleTexts[view.role]} The invitation ends <Time seconds={view.expires_at} />.
      </p>
      <Answer view={view} token={token} />
    </Gate>
  )
}

const askedBy = ({ invited_by: name }: InvitationView): string =>
  name === '' ? 'You are invited to join' : `${name} asks you to join`

interface AnswerProps {
  readonly view: InvitationView
  readonly token: string
}

function Answer({ view, token }: AnswerProps) {
  const { user } = useSession()
  if (user !== null) return <JoinAs view={view} token={token} name={user.email ?? user.name} />
  if (view.has_account) {
    return (
      <>
        <p>There is an account for {view.email}. Sign in, and the invitation waits for you.</p>
        <Link
          to="/sign-in"
          className="inline-flex h-10 items-center justify-center rounded bg-accent px-3 font-medium text-on-accent"
        >
          Sign in
        </Link>
      </>
    )
  }
  if (view.can_join) return <JoinAnew view={view} token={token} />
  return <p role="alert">This gateway takes no new people now. Ask its operator for an account for {view.email}.</p>
}

/** For a person who is signed in: under the account that this browser has. */
function JoinAs({ view, token, name }: AnswerProps & { readonly name: string }) {
  const accept = useMutation({
    mutationFn: () => consoleApi.call(consoleEndpoints.acceptInvitation, { body: { token } }),
    onSuccess: ({ team_id: teamId }) => location.assign(`/console/team/${teamId}`),
  })
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => location.reload() })
  const isOther = name !== view.email
  return (
    <>
      {isOther && (
        <p className="rounded bg-warning-soft px-3 py-2 text-warning">
          The invitation went to {view.email}. You are signed in as {name}.
        </p>
      )}
      <Failure error={accept.error} />
      <Button className="h-10" isBusy={accept.isPending} onClick={() => accept.mutate()}>
        Join as {name}
      </Button>
      {isOther && (
        <Button look="quiet" isBusy={leave.isPending} onClick={() => leave.mutate()}>
          Sign out, and use another account
        </Button>
      )}
    </>
  )
}

/** For a new person: reading the email has proved the address. */
function JoinAnew({ view, token }: AnswerProps) {
  const { enter, isBusy, problem } = useEnter(openNext(undefined))
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const name = formText(new FormData(event.currentTarget), 'name').trim()
    void enter(() => joinByInvitation({ token, name }))
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <TextField label="E-mail" value={view.email} readOnly />
      <TextField
        label="Your name"
        name="name"
        autoComplete="name"
        required
        maxLength={SHOWN_NAME_LENGTH_MAX}
        autoFocus
      />
      <Problem text={problem} />
      <Button type="submit" className="h-10" isBusy={isBusy}>
        Make the account and join
      </Button>
    </form>
  )
}
