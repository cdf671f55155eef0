import { type ReactNode, Suspense, useState } from 'react'
import { useSignedIn } from '../api/session.ts'
import { lazyPart } from './lazy-part.ts'
import { Skeleton } from './skeleton.tsx'

const SignInHere = lazyPart<{ readonly onDone: () => void }>(
  async () => (await import('../pages/sign-in/sign-in-here.tsx')).SignInHere,
)

/** How long a person may take for a form before the gateway refuses it. In seconds. Source: own choice. */
const FORM_SECONDS = 120

/**
 * Shows a form that wants a sign-in of a few minutes ago to those who have one, and lets others sign in first: nobody
 * fills a form that is refused. The clocks of browser and gateway may differ; who has just signed in is not asked
 * again.
 */
export function FreshGate({ children }: { readonly children: ReactNode }) {
  const { user } = useSignedIn()
  const [isFresh, setFresh] = useState(() => user.fresh_until - FORM_SECONDS > Date.now() / 1_000)
  if (isFresh) return children
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">Sign in again first: your last sign-in is too long ago for this.</p>
      <Suspense fallback={<Skeleton className="h-24 w-full" />}>
        <SignInHere onDone={() => setFresh(true)} />
      </Suspense>
    </div>
  )
}
