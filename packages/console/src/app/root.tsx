import { useQueryClient } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Suspense, useSyncExternalStore } from 'react'
import { connection } from '../api/connection.ts'
import { endedSession, type SignInReason } from '../api/ended-session.ts'
import { sessionQuery } from '../api/session.ts'
import { lazyPart } from '../ui/lazy-part.ts'

const SignInAgain = lazyPart<{ readonly reason: SignInReason }>(
  async () => (await import('./sign-in-again.tsx')).SignInAgain,
)

/** What every page is in: above it, what keeps it from going on. */
export function Root() {
  return (
    <>
      <LostConnection />
      <Outlet />
      <EndedSession />
    </>
  )
}

/** Said while the gateway cannot be reached; the page below stays. */
function LostConnection() {
  const isLost = useSyncExternalStore(connection.subscribe, connection.isLost)
  return (
    <div role="status" className="sticky top-0 z-50 print:hidden">
      {isLost && (
        <p className="bg-warning-soft px-4 py-2 text-center text-warning">
          The gateway cannot be reached. This page stays, and goes on by itself once it is back.
        </p>
      )}
    </div>
  )
}

function EndedSession() {
  const reason = useSyncExternalStore(endedSession.subscribe, endedSession.reason)
  const client = useQueryClient()
  // Pages before the sign-in have no person to sign in again.
  if (reason === null || client.getQueryData(sessionQuery.queryKey)?.user == null) return null
  return (
    <Suspense fallback={null}>
      <SignInAgain reason={reason} />
    </Suspense>
  )
}
