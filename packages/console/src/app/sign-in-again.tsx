import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { endedSession, type SignInReason } from '../api/ended-session.ts'
import { SignInHere } from '../pages/sign-in/sign-in-here.tsx'
import { Dialog } from '../ui/dialog.tsx'

const WORDS: Readonly<Record<SignInReason, { readonly title: string; readonly lead: string }>> = {
  ended: {
    title: 'Your session has ended',
    lead: 'Sign in again. This page stays as it is, with what you have typed.',
  },
  stale: {
    title: 'Sign in again to do this',
    lead: 'Your last sign-in is too long ago for it. This page stays as it is, with what you have typed.',
  },
}

/** Over a page whose person must sign in before it goes on. */
export function SignInAgain({ reason }: { readonly reason: SignInReason }) {
  const client = useQueryClient()
  const router = useRouter()
  const goOn = async (): Promise<void> => {
    endedSession.set(null)
    // What was refused is asked for anew; what was shown may be of before.
    await client.resetQueries({ predicate: ({ state }) => state.status === 'error' })
    await router.invalidate()
    await client.invalidateQueries()
  }
  const { title, lead } = WORDS[reason]
  return (
    <Dialog title={title} lead={lead} onClose={() => endedSession.set(null)}>
      <SignInHere onDone={() => void goOn()} />
    </Dialog>
  )
}
