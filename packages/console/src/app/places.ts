/** The places of the console, in the order of the sidebar. A place that a role may not see is not shown. */
import type { TeamPermission } from '@svc/contract'
import {
  Activity,
  BookOpenText,
  Boxes,
  ChartLine,
  ChartNoAxesColumn,
  Gauge,
  HandCoins,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Megaphone,
  MessagesSquare,
  Scale,
  Settings2,
  ShieldCheck,
  Users,
  UsersRound,
  Wallet,
} from 'lucide-react'

export interface Place {
  readonly name: string
  /** Below the team's address; with a slash in front, below the console's. */
  readonly path: string
  readonly icon: LucideIcon
  /** Null for every member of the team; `operator` for operators: those places are apart. */
  readonly permission: TeamPermission | 'operator' | null
  /** Whether it is in the bar at the bottom of a phone, which has room for five; the others are under "More". */
  readonly isPrimary: boolean
}

export const places: readonly Place[] = [
  { name: 'Overview', path: '', icon: LayoutDashboard, permission: null, isPrimary: true },
  { name: 'Playground', path: 'playground', icon: MessagesSquare, permission: null, isPrimary: true },
  { name: 'Models', path: 'models', icon: Boxes, permission: null, isPrimary: false },
  { name: 'Keys', path: 'keys', icon: KeyRound, permission: 'keys:own', isPrimary: true },
  { name: 'Usage', path: 'usage', icon: ChartNoAxesColumn, permission: 'usage:own', isPrimary: true },
  { name: 'Funding', path: 'fund', icon: Wallet, permission: 'usage:all', isPrimary: false },
  { name: 'Team', path: 'team', icon: UsersRound, permission: null, isPrimary: false },
  { name: 'Earnings', path: 'operator/earnings', icon: ChartLine, permission: 'operator', isPrimary: false },
  { name: 'Accounts', path: 'operator/accounts', icon: Users, permission: 'operator', isPrimary: false },
  { name: 'Deposits', path: 'operator/deposits', icon: HandCoins, permission: 'operator', isPrimary: false },
  { name: 'Upstreams', path: 'operator/upstreams', icon: Activity, permission: 'operator', isPrimary: false },
  { name: 'Prices', path: 'operator/prices', icon: Scale, permission: 'operator', isPrimary: false },
  { name: 'Limits', path: 'operator/limits', icon: Gauge, permission: 'operator', isPrimary: false },
  {
    name: 'Announcements',
    path: 'operator/announcements',
    icon: Megaphone,
    permission: 'operator',
    isPrimary: false,
  },
  { name: 'Audit', path: 'operator/audit', icon: ShieldCheck, permission: 'operator', isPrimary: false },
  { name: 'Journal', path: 'operator/journal', icon: BookOpenText, permission: 'operator', isPrimary: false },
  { name: 'Settings', path: 'operator/settings', icon: Settings2, permission: 'operator', isPrimary: false },
]

/** The address of a place, as links take it. */
export function hrefOf(teamId: string, { path }: Pick<Place, 'path'>): string {
  if (path.startsWith('/')) return path
  return path === '' ? `/team/${teamId}` : `/team/${teamId}/${path}`
}

/** What a phone's bar has room for. */
const BAR_MAX = 5

/** Divides the places between a phone's bar and "More", which takes room itself where it is needed. */
export function dividePlaces(shown: readonly Place[]): {
  readonly bar: readonly Place[]
  readonly more: readonly Place[]
} {
  if (shown.length <= BAR_MAX) return { bar: shown, more: [] }
  const room = BAR_MAX - 1
  const first = [...shown.filter(({ isPrimary }) => isPrimary), ...shown.filter(({ isPrimary }) => !isPrimary)]
  const inBar = new Set(first.slice(0, room))
  return { bar: shown.filter((place) => inBar.has(place)), more: shown.filter((place) => !inBar.has(place)) }
}
