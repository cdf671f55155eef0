import { Link } from '@tanstack/react-router'
import { useSignedIn } from '../../api/session.ts'
import { meantTeam } from '../../app/last-team.ts'
import { textLink } from '../../ui/text-link.ts'
import { Gate } from '../sign-in/gate.tsx'

/**
 * An address of a team that the person is not in. The same words whether there is such a team or not. Source: decision
 * 0041 (teams and roles).
 */
export function NotMemberPage() {
  const { user, teams } = useSignedIn()
  const own = meantTeam(teams) ?? teams[0]
  return (
    <Gate title="You are not a member of this team">
      <p className="break-words text-soft">
        You are signed in as {user.email ?? user.name}. If there is such a team, a member can invite you; or sign in as
        a member.
      </p>
      <Link to="/" className={textLink}>
        {own === undefined ? 'To the overview' : `To your team ${own.name}`}
      </Link>
    </Gate>
  )
}
