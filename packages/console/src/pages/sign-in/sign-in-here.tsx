import { DEMO_EMAIL } from '@svc/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { sessionQuery, useSignedIn } from '../../api/session.ts'
import { SignInWays } from './sign-in-ways.tsx'

/** How often a page looks whether its person has signed in elsewhere, as by a mailed link. Source: own choice. */
const LOOK_MS = 3_000

interface SignInHereProps {
  /** Called when the same person is signed in anew; the page of another one begins afresh. */
  readonly onDone: () => void
}

/** Signing in again without leaving the page. */
export function SignInHere({ onDone }: SignInHereProps) {
  const { user } = useSignedIn()
  const client = useQueryClient()
  const [before] = useState(user)
  const finish = (): void => {
    const now = client.getQueryData(sessionQuery.queryKey)?.user
    if (now?.id === before.id) onDone()
    else location.assign('/console')
  }
  const { data } = useQuery({ ...sessionQuery, staleTime: 0, refetchInterval: LOOK_MS })
  const isSignedInElsewhere = data?.user != null && data.user.session_id !== before.session_id
  useEffect(() => {
    if (isSignedInElsewhere) finish()
  })
  return (
    <div className="flex flex-col gap-4">
      <SignInWays
        next={location.pathname + location.search}
        isAnother={before.email !== DEMO_EMAIL}
        {...(before.email === null ? {} : { email: before.email })}
        onEntered={finish}
      />
    </div>
  )
}
