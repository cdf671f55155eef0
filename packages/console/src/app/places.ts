/** The places of the console, in the order of the sidebar. A place that a role may not see is not shown. */
import type { TeamPermission } from '@svc/contract'
import { Boxes, ChartNoAxesColumn, KeyRound, LayoutDashboard, type LucideIcon } from 'lucide-react'

export interface Place {
  readonly name: string
  /** Below the team's address. */
  readonly path: string
  readonly icon: LucideIcon
  /** Null for everybody in the team; `operator` for whoever runs the gateway. */
  readonly permission: TeamPermission | 'operator' | null
  /** Whether it stands in the bar at the bottom of a phone; the others are under "More". */
  readonly isPrimary: boolean
}

export const places: readonly Place[] = [
  { name: 'Overview', path: '', icon: LayoutDashboard, permission: null, isPrimary: true },
  { name: 'Models', path: 'models', icon: Boxes, permission: null, isPrimary: true },
  { name: 'Keys', path: 'keys', icon: KeyRound, permission: 'keys:own', isPrimary: true },
  { name: 'Usage', path: 'usage', icon: ChartNoAxesColumn, permission: 'usage:own', isPrimary: true },
]
