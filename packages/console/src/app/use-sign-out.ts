import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { signOut } from '../api/sign-in.ts'
import { toast } from '../ui/toasts.tsx'

/** Signs the person out, and forgets what was shown to them. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    try {
      await signOut()
      client.clear()
      await navigate({ to: '/sign-in' })
    } catch (error) {
      toast.failure(error)
    }
  }
}
