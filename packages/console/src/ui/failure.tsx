import { ApiError } from '@svc/contract'
import { Shortage, SHORTAGES } from './shortage.tsx'
import { failureText } from './toasts.tsx'

/** Why something was not done, beside what was to do it; with the way to sign in again where that helps. */
export function Failure({ error }: { readonly error: Error | null }) {
  if (error === null) return null
  const shortage = error instanceof ApiError ? SHORTAGES[error.code ?? ''] : undefined
  const mustSignIn = error instanceof ApiError && (error.code === 'sign_in_again' || error.code === 'not_signed_in')
  return (
    <p role="alert" className="rounded bg-danger-soft px-3 py-2 text-danger">
      {shortage ?? failureText(error)}{' '}
      {shortage !== undefined && error instanceof ApiError && <Shortage details={error.details} />}
      {mustSignIn && (
        <a
          href={`/console/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`}
          className="font-medium underline underline-offset-2"
        >
          Sign in again
        </a>
      )}
    </p>
  )
}
