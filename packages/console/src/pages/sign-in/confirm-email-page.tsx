import { consoleEndpoints } from '@svc/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { sessionQuery, useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { textLink } from '../../ui/text-link.ts'
import { Gate } from './gate.tsx'
import { Problem } from './problem.tsx'

/**
 * What the email to a new address opens. A press of the button uses the link: programs that look into emails do not.
 * Its secret comes after the hash sign, so that no server's log has it.
 */
export function ConfirmEmailPage() {
  const { user } = useSession()
  const [token] = useState(() => location.hash.slice(1))
  if (token === '') {
    return (
      <Gate title="Confirm your email address">
        <Problem text="This link is not whole. Copy all of it from the mail." />
      </Gate>
    )
  }
  if (user === null) {
    return (
      <Gate title="Confirm your email address">
        <p className="text-soft">
          Sign in first, in this browser, with the account that the address is for. Then open the link of the mail
          again.
        </p>
        <Link to="/sign-in" className={textLink}>
          Sign in
        </Link>
      </Gate>
    )
  }
  return <Confirm token={token} name={user.email ?? user.name} />
}

function Confirm({ token, name }: { readonly token: string; readonly name: string }) {
  const client = useQueryClient()
  const confirm = useMutation({
    mutationFn: async () => {
      await consoleApi.call(consoleEndpoints.proveEmail, { body: { token } })
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      location.assign('/console/account')
    },
  })
  return (
    <Gate title="Confirm your email address">
      <p className="text-soft">
        The address that this link was sent to will sign in to the account <strong className="text-text">{name}</strong>
        .
      </p>
      <Failure error={confirm.error} />
      <Button className="h-10" autoFocus isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
        Add the address to this account
      </Button>
      <Link to="/" className={textLink}>
        To the console
      </Link>
    </Gate>
  )
}
