import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../api/session.ts'
import { signInByLink } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { Gate } from './gate.tsx'
import { Problem } from './problem.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { openNext, useEnter } from './use-enter.ts'

const route = getRouteApi('/link')

/** What the link of a mail opens. A press of the button uses it: programs that look into mails do not. */
export function LinkPage() {
  const { gateway } = useSession()
  const onEntered = openNext(route.useSearch().next)
  const { enter, isBusy, wantsCode, problem } = useEnter(onEntered)
  const [token] = useState(() => location.hash.slice(1))
  return (
    <Gate title={`Sign in to ${gateway.brand}`}>
      {wantsCode ? (
        <SecondFactorForm onEntered={onEntered} />
      ) : token === '' || problem !== null ? (
        <>
          <Problem text={problem ?? 'This link is not whole. Copy all of it from the mail.'} />
          <Link to="/sign-in" className={textLink}>
            Get a new link
          </Link>
        </>
      ) : (
        <>
          <p className="text-soft">You have opened the link of the mail. It signs this browser in.</p>
          <Button className="h-10" autoFocus isBusy={isBusy} onClick={() => void enter(() => signInByLink(token))}>
            Sign in
          </Button>
        </>
      )}
    </Gate>
  )
}
