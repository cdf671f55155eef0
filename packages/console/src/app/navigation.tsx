import { Link, useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Ellipsis } from 'lucide-react'
import { useSignedIn, useTeam } from '../api/session.ts'
import { Logo } from '../ui/logo.tsx'
import { MenuButton, menuFrom } from '../ui/menu-button.tsx'
import { dividePlaces, hrefOf, type Place } from './places.ts'
import { usePlaces } from './use-places.ts'

const isOperators = ({ permission }: Place): boolean => permission === 'operator'

export function Sidebar() {
  const { gateway } = useSignedIn()
  const shown = usePlaces()
  const operators = shown.filter(isOperators)
  return (
    <nav
      aria-label="Places"
      className="sticky top-0 hidden h-dvh flex-col overflow-y-auto
        border-r border-line bg-sunken p-3 md:flex print:hidden"
    >
      <div className="flex items-center gap-2 px-2 pt-1 pb-5 text-[15px] font-semibold">
        <Logo />
        <span className="truncate">{gateway.brand}</span>
      </div>
      <PlaceList shown={shown.filter((place) => !isOperators(place))} />
      {operators.length > 0 && (
        <div className="mt-5 border-t border-line pt-4">
          <h2 className="px-2 pb-1.5 text-[12px] text-soft">Gateway</h2>
          <PlaceList shown={operators} />
        </div>
      )}
    </nav>
  )
}

function PlaceList({ shown }: { readonly shown: readonly Place[] }) {
  const team = useTeam()
  return (
    <ul className="flex flex-col gap-0.5">
      {shown.map((place) => (
        <li key={place.name}>
          <Link
            to={hrefOf(team.id, place)}
            activeOptions={{ exact: place.path === '' }}
            className="flex items-center gap-2.5 rounded px-2 py-1.5 hover:bg-surface hover:text-text"
            inactiveProps={{ className: 'text-soft' }}
            activeProps={{ className: 'bg-control font-medium text-text shadow-[0_0_0_1px_var(--line)]' }}
          >
            <place.icon size={16} aria-hidden />
            {place.name}
          </Link>
        </li>
      ))}
    </ul>
  )
}

const moreMenu = menuFrom(async () => (await import('./menus.tsx')).MoreMenu)

/** On a phone: the first places at the bottom, the rest under "More". */
export function BottomBar() {
  const team = useTeam()
  const { bar, more } = dividePlaces(usePlaces())
  const { pathname } = useLocation()
  const isUnderMore = more.some((place) => pathname.startsWith(hrefOf(team.id, place)))
  const item = 'flex h-[52px] min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-[12px] leading-4'
  return (
    <nav
      aria-label="Places"
      className="fixed inset-x-0 bottom-0 z-20 flex h-(--bar)
        border-t border-line bg-surface md:hidden print:hidden"
    >
      {bar.map((place) => (
        <Link
          key={place.name}
          to={hrefOf(team.id, place)}
          activeOptions={{ exact: place.path === '' }}
          className={item}
          inactiveProps={{ className: 'text-soft' }}
          activeProps={{ className: 'font-medium text-accent' }}
        >
          <place.icon size={18} aria-hidden />
          {place.name}
        </Link>
      ))}
      {more.length > 0 && (
        <MenuButton menu={moreMenu} className={clsx(item, isUnderMore ? 'font-medium text-accent' : 'text-soft')}>
          <Ellipsis size={18} aria-hidden />
          More
        </MenuButton>
      )}
    </nav>
  )
}
