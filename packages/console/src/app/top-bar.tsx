import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, CircleUser, LogOut, Moon, Settings, Sun, SunMoon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { signOut } from '../api/sign-in.ts'
import { useSignedIn, useTeam } from '../api/session.ts'
import { balanceQuery } from '../api/team.ts'
import { Credits } from '../ui/credits.tsx'
import { menuContent, menuItem, menuLabel } from '../ui/menu.ts'
import { toast } from '../ui/toasts.tsx'
import { chooseTheme, readTheme, type Theme } from './theme.ts'

const BALANCE_MS = 15_000

export function TopBar() {
  return (
    <header
      className="sticky top-0 z-10 flex h-14 items-center
      gap-3 border-b border-line bg-ground/90 px-4 backdrop-blur md:px-8"
    >
      <TeamSwitcher />
      <div className="flex-1" />
      <Balance />
      <a href="/docs" className="hidden text-soft hover:text-text sm:block">
        API reference
      </a>
      <AccountMenu />
    </header>
  )
}

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
  const { teams } = useSignedIn()
  const team = useTeam()
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="flex min-w-0 items-center gap-2 rounded px-2 py-1 font-medium hover:bg-sunken">
        <span className="truncate">{team.name}</span>
        <ChevronsUpDown size={14} className="shrink-0 text-soft" aria-hidden />
        <span className="sr-only">Change the team</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={6} className={menuContent}>
          <DropdownMenu.Label className={menuLabel}>Teams</DropdownMenu.Label>
          {teams.map(({ id, name, role }) => (
            <DropdownMenu.Item key={id} asChild className={menuItem}>
              <Link to="/team/$teamId" params={{ teamId: id }}>
                <Check size={14} className={id === team.id ? '' : 'invisible'} aria-hidden />
                <span className="flex-1 truncate">{name}</span>
                <span className="text-[12px] text-soft">{role}</span>
              </Link>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function AccountMenu() {
  const { user } = useSignedIn()
  const team = useTeam()
  const client = useQueryClient()
  const navigate = useNavigate()
  const leave = async (): Promise<void> => {
    try {
      await signOut()
      client.clear()
      await navigate({ to: '/sign-in' })
    } catch (error) {
      toast.failure(error)
    }
  }
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="rounded-full p-1 text-soft hover:text-text" aria-label="Your account">
        <CircleUser size={22} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={6} className={menuContent}>
          <div className="px-2 pt-1.5 pb-2">
            <div className="font-medium">{user.name}</div>
            {user.email !== null && <div className="text-[12px] text-soft">{user.email}</div>}
          </div>
          <ThemeItems />
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item asChild className={menuItem}>
            <Link to="/team/$teamId/account" params={{ teamId: team.id }}>
              <Settings size={16} aria-hidden />
              Account and sessions
            </Link>
          </DropdownMenu.Item>
          <DropdownMenu.Item className={menuItem} onSelect={() => void leave()}>
            <LogOut size={16} aria-hidden />
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const THEMES = [
  { theme: 'light', name: 'Light', icon: Sun },
  { theme: 'dark', name: 'Dark', icon: Moon },
  { theme: 'system', name: 'As the system', icon: SunMoon },
] as const

function ThemeItems() {
  const [chosen, setChosen] = useState<Theme>(readTheme)
  const choose = (theme: Theme): void => {
    chooseTheme(theme)
    setChosen(theme)
  }
  return (
    <DropdownMenu.RadioGroup value={chosen}>
      {THEMES.map(({ theme, name, icon: Icon }) => (
        <DropdownMenu.RadioItem key={theme} value={theme} className={menuItem} onSelect={() => choose(theme)}>
          <Icon size={16} aria-hidden />
          <span className="flex-1">{name}</span>
          <DropdownMenu.ItemIndicator>
            <Check size={14} aria-hidden />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}
