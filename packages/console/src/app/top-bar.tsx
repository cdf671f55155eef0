import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, CircleUser } from 'lucide-react'
import { useTeam } from '../api/session.ts'
import { balanceQuery } from '../api/team.ts'
import { Credits } from '../ui/credits.tsx'
import { MenuButton, menuFrom } from '../ui/menu-button.tsx'

const BALANCE_MS = 15_000

export function TopBar() {
  return (
    <header
      className="sticky top-0 z-10 flex h-14 items-center
      gap-3 border-b border-line bg-ground/90 px-4 backdrop-blur md:px-8 print:hidden"
    >
      <TeamSwitcher />
      <div className="flex-1" />
      <Balance />
      <a href="/docs" className="hidden text-soft hover:text-text sm:block">
        API reference
      </a>
      <MenuButton menu={accountMenu} className="rounded-full p-1 text-soft hover:text-text" aria-label="Your account">
        <CircleUser size={22} aria-hidden />
      </MenuButton>
    </header>
  )
}

const teamMenu = menuFrom(async () => (await import('./menus.tsx')).TeamMenu)
const accountMenu = menuFrom(async () => (await import('./menus.tsx')).AccountMenu)

/** What can be spent, kept up to date while the page is seen. */
function Balance() {
  const team = useTeam()
  const { data } = useQuery({ ...balanceQuery(team.id), refetchInterval: BALANCE_MS })
  if (data === undefined) return null
  return (
    <span className="font-medium" role="status" aria-label="Credits available">
      <Credits value={data.credits_available} />
    </span>
  )
}

function TeamSwitcher() {
  const team = useTeam()
  return (
    <MenuButton
      menu={teamMenu}
      className="flex min-w-0 items-center gap-2 rounded px-2 py-1 font-medium hover:bg-sunken"
    >
      <span className="truncate">{team.name}</span>
      <ChevronsUpDown size={14} className="shrink-0 text-soft" aria-hidden />
      <span className="sr-only">Change the team</span>
    </MenuButton>
  )
}
