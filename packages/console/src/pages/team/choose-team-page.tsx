import { useLocation } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useSignedIn } from '../../api/session.ts'
import { Gate } from '../sign-in/gate.tsx'

/** Where an address names no team, several come into question, and none was looked at before: the person says which. */
export function ChooseTeamPage() {
  const { teams } = useSignedIn()
  const { pathname, searchStr } = useLocation()
  return (
    <Gate title="Which team?">
      <ul className="divide-y divide-line/70 rounded border border-line bg-surface">
        {teams.map(({ id, name, role }) => (
          <li key={id}>
            <a
              href={`/console/team/${id}${pathname}${searchStr}`}
              className="flex items-center gap-3 px-3 py-2.5 hover:bg-sunken"
            >
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{name}</span>
                <span className="block text-[12px] text-soft first-letter:uppercase">{role}</span>
              </span>
              <ChevronRight size={16} aria-hidden className="text-soft" />
            </a>
          </li>
        ))}
      </ul>
    </Gate>
  )
}
