import { ApiError } from '@svc/contract'
import { endedSession, signInReasonOf } from '../api/ended-session.ts'
import { Shortage, SHORTAGES } from './shortage.tsx'
import { failureText } from './toasts.tsx'

/** Why something was not done, beside what was to do it; with the way to sign in again where that helps. */
export function Failure({ error }: { readonly error: Error | null }) {
  if (error === null) return null
  const shortage = error instanceof ApiError ? SHORTAGES[error.code ?? ''] : undefined
  const reason = signInReasonOf(error)
  return (
    <p role="alert" className="rounded bg-danger-soft px-3 py-2 text-danger">
      {shortage ?? failureText(error)}{' '}
      {shortage !== undefined && error instanceof ApiError && <Shortage details={error.details} />}
      {reason !== null && (
        <button
          type="button"
          onClick={() => endedSession.set(reason)}
          className="font-medium underline underline-offset-2"
        >
          Sign in again
        </button>
      )}
    </p>
  )
}
