import { ChevronsUpDown, CircleUser } from 'lucide-react'
import { useTeam } from '../api/session.ts'
import { MenuButton, menuFrom } from '../ui/menu-button.tsx'
import { Balance } from './balance.tsx'
import { FindButton } from './find-button.tsx'

export function TopBar() {
  return (
    <header
      className="sticky top-0 z-10 flex h-14 items-center
      gap-2 border-b border-line bg-ground/90 px-2 backdrop-blur md:gap-3 md:px-8 print:hidden"
    >
      <TeamSwitcher />
      <div className="flex-1" />
      <FindButton />
      <Balance />
      <a href="/docs" className="hidden py-1 text-soft hover:text-text lg:block">
        Docs
      </a>
      <MenuButton
        menu={accountMenu}
        className="shrink-0 rounded-full p-1 text-soft hover:text-text"
        aria-label="Your account"
      >
        <CircleUser size={22} aria-hidden />
      </MenuButton>
    </header>
  )
}

const teamMenu = menuFrom(async () => (await import('./menus.tsx')).TeamMenu)
const accountMenu = menuFrom(async () => (await import('./menus.tsx')).AccountMenu)

function TeamSwitcher() {
  const team = useTeam()
  return (
    <MenuButton
      menu={teamMenu}
      className="flex min-w-0 items-center gap-2 rounded px-2 py-1 font-medium hover:bg-sunken md:-ml-2"
    >
      <span className="truncate">{team.name}</span>
      <ChevronsUpDown size={14} className="shrink-0 text-soft" aria-hidden />
      <span className="sr-only">Change the team</span>
    </MenuButton>
  )
}
