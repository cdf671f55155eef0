import { useSignedIn, useTeam } from '../api/session.ts'
import { type Place, places } from './places.ts'

/** The places that the person's role in this team may see. */
export function usePlaces(): readonly Place[] {
  const { user } = useSignedIn()
  const team = useTeam()
  return places.filter(({ permission }) => {
    if (permission === null) return true
    return permission === 'operator' ? user.is_operator : team.permissions.includes(permission)
  })
}
