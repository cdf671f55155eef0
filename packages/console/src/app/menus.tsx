/** The menus around the page. They load when the pointer or focus comes near their buttons. */
import { Link } from '@tanstack/react-router'
import { BookOpen, Check, LogOut, Moon, Plus, Settings, Sun, SunMoon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { useSignedIn, useTeam } from '../api/session.ts'
import { menuItem, menuLabel } from '../ui/menu.ts'
import { MenuContent } from '../ui/menu-content.tsx'
import type { MenuProps } from '../ui/menu-button.tsx'
import { dividePlaces, hrefOf } from './places.ts'
import { chooseTheme, readTheme, type Theme } from './theme.ts'
import { usePlaces } from './use-places.ts'
import { useSignOut } from './use-sign-out.ts'

function Menu({
  trigger,
  isOpenAtFirst,
  align,
  children,
}: MenuProps & { readonly align: 'start' | 'end'; readonly children: ReactNode }) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen={isOpenAtFirst}>
      <DropdownMenu.Trigger {...trigger} />
      <MenuContent align={align} sideOffset={6}>
        {children}
      </MenuContent>
    </DropdownMenu.Root>
  )
}

export function TeamMenu(props: MenuProps) {
  const { teams } = useSignedIn()
  const team = useTeam()
  return (
    <Menu {...props} align="start">
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
      <DropdownMenu.Separator className="my-1 h-px bg-line" />
      <DropdownMenu.Item asChild className={menuItem}>
        <Link to="/team/$teamId/new-team" params={{ teamId: team.id }}>
          <Plus size={14} aria-hidden />
          New team
        </Link>
      </DropdownMenu.Item>
    </Menu>
  )
}

export function AccountMenu(props: MenuProps) {
  const { user } = useSignedIn()
  const team = useTeam()
  const leave = useSignOut()
  return (
    <Menu {...props} align="end">
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
      <DropdownMenu.Item asChild className={menuItem}>
        <a href="/docs">
          <BookOpen size={16} aria-hidden />
          Docs
        </a>
      </DropdownMenu.Item>
      <DropdownMenu.Item className={menuItem} onSelect={() => void leave()}>
        <LogOut size={16} aria-hidden />
        Sign out
      </DropdownMenu.Item>
    </Menu>
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

/** On a phone: the places that the bar has no room for, those of the operator apart. */
export function MoreMenu(props: MenuProps) {
  const team = useTeam()
  const { more } = dividePlaces(usePlaces())
  return (
    <Menu {...props} align="end">
      {more.map((place, index) => (
        <MorePlace
          key={place.name}
          isApart={place.permission === 'operator' && more[index - 1]?.permission !== 'operator' && index > 0}
        >
          <Link to={hrefOf(team.id, place)}>
            <place.icon size={16} aria-hidden />
            {place.name}
          </Link>
        </MorePlace>
      ))}
    </Menu>
  )
}

function MorePlace({ isApart, children }: { readonly isApart: boolean; readonly children: ReactNode }) {
  return (
    <>
      {isApart && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
      <DropdownMenu.Item asChild className={menuItem}>
        {children}
      </DropdownMenu.Item>
    </>
  )
}
