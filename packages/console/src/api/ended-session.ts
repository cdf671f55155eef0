/** That a person has to sign in again before their page goes on. The page stays, with what was typed into it. */
import { ApiError } from '@svc/contract'

/** `ended`: there is no session any more. `stale`: what was asked for wants a sign-in of a few minutes ago. */
export type SignInReason = 'ended' | 'stale'

const listeners = new Set<() => void>()
let reason: SignInReason | null = null

export const endedSession = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  reason: (): SignInReason | null => reason,
  set: (next: SignInReason | null): void => {
    if (reason === next) return
    reason = next
    for (const listener of listeners) listener()
  },
}

/** What a refusal asks for; null where signing in is no remedy. */
export function signInReasonOf(error: unknown): SignInReason | null {
  if (!(error instanceof ApiError)) return null
  if (error.is('not_signed_in')) return 'ended'
  return error.is('sign_in_again') ? 'stale' : null
}
