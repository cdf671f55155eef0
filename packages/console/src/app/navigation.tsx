import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useSignedIn, useTeam } from '../api/session.ts'
import { Logo } from '../ui/logo.tsx'
import { menuContent, menuItem } from '../ui/menu.ts'
import { type Place, places } from './places.ts'

/** The places that the person's role in this team may see. */
function usePlaces(): readonly Place[] {
  const { user } = useSignedIn()
  const team = useTeam()
  return places.filter(({ permission }) => {
    if (permission === null) return true
    return permission === 'operator' ? user.is_operator : team.permissions.includes(permission)
  })
}

const hrefOf = (teamId: string, path: string): string => `/team/${teamId}${path === '' ? '' : `/${path}`}`

export function Sidebar() {
  const team = useTeam()
  const { gateway } = useSignedIn()
  return (
    <nav aria-label="Places" className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-sunken p-3 md:flex">
      <div className="flex items-center gap-2 px-2 pt-1 pb-5 text-[15px] font-semibold">
        <Logo />
        <span className="truncate">{gateway.brand}</span>
      </div>
      <ul className="flex flex-col gap-0.5">
        {usePlaces().map(({ name, path, icon: Icon }) => (
          <li key={name}>
            <Link
              to={hrefOf(team.id, path)}
              activeOptions={{ exact: path === '' }}
              className="flex items-center gap-2.5 rounded px-2 py-1.5 text-soft hover:bg-surface hover:text-text"
              activeProps={{ className: 'bg-surface font-medium text-text shadow-[0_0_0_1px_var(--line)]' }}
            >
              <Icon size={16} aria-hidden />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** On a phone: the first places at the bottom, the rest under "More". */
export function BottomBar() {
  const team = useTeam()
  const all = usePlaces()
  const primary = all.filter(({ isPrimary }) => isPrimary)
  const rest = all.filter(({ isPrimary }) => !isPrimary)
  const item = 'flex flex-1 flex-col items-center gap-0.5 py-2 text-[11px] text-soft'
  return (
    <nav
      aria-label="Places"
      className="fixed inset-x-0 bottom-0 z-20 flex
        border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {primary.map(({ name, path, icon: Icon }) => (
        <Link
          key={name}
          to={hrefOf(team.id, path)}
          activeOptions={{ exact: path === '' }}
          className={item}
          activeProps={{ className: 'text-accent' }}
        >
          <Icon size={18} aria-hidden />
          {name}
        </Link>
      ))}
      {rest.length > 0 && (
        <DropdownMenu.Root>
          <DropdownMenu.Trigger className={clsx(item, 'bg-transparent')}>
            <Ellipsis size={18} aria-hidden />
            More
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content align="end" sideOffset={8} className={menuContent}>
              {rest.map(({ name, path, icon: Icon }) => (
                <DropdownMenu.Item key={name} asChild className={menuItem}>
                  <Link to={hrefOf(team.id, path)}>
                    <Icon size={16} aria-hidden />
                    {name}
                  </Link>
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
    </nav>
  )
}
