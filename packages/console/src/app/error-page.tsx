import { ApiError } from '@svc/contract'
import { useQueryClient } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { endedSession, signInReasonOf } from '../api/ended-session.ts'
import { Button } from '../ui/button.tsx'
import { MissingPartError } from '../ui/lazy-part.ts'
import { textLink } from '../ui/text-link.ts'

/** What went wrong, what to do, and the id to tell the operator. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const client = useQueryClient()
  const reason = signInReasonOf(error)
  const requestId = error instanceof ApiError ? error.requestId : null
  const again = async (): Promise<void> => {
    if (error instanceof MissingPartError) {
      location.reload()
      return
    }
    await client.resetQueries({ predicate: ({ state }) => state.status === 'error' })
    reset()
    await router.invalidate()
  }
  // Signing in again takes away what was refused; the page follows.
  useEffect(() => {
    if (reason === null) return undefined
    return endedSession.subscribe(() => endedSession.reason() === null && void router.invalidate().then(reset))
  }, [reason, reset, router])
  return (
    <div role="alert" className="mx-auto flex w-full max-w-md flex-col items-start gap-3 py-16">
      <h1 className="text-lg font-semibold">
        {reason === null ? 'This page could not be shown' : 'Sign in to see this page'}
      </h1>
      <p className="text-soft">
        {reason !== null && 'Your session has ended.'}
        {reason === null && (error instanceof Error ? error.message : 'That did not work.')}
      </p>
      {requestId !== null && reason === null && <p className="font-mono text-[12px] text-soft">Request {requestId}</p>}
      <div className="flex items-center gap-4">
        {reason === null ? (
          <Button onClick={() => void again()}>
            {error instanceof MissingPartError ? 'Load it anew' : 'Try again'}
          </Button>
        ) : (
          <Button onClick={() => endedSession.set(reason)}>Sign in</Button>
        )}
        <Link to="/" className={textLink}>
          To the overview
        </Link>
      </div>
    </div>
  )
}
