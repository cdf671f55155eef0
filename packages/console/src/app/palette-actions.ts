/** What the palette can do, beside what it can open. */
import { Ban, Coins, Keyboard, LogOut, Moon, Plus, Sun, SunMoon, TerminalSquare } from 'lucide-react'
import { useCan, useTeam } from '../api/session.ts'
import { openKeyboardHelp } from './keyboard-help-state.ts'
import type { PaletteEntry } from './palette-entries.ts'
import { chooseTheme } from './theme.ts'
import { useSignOut } from './use-sign-out.ts'

const GROUP = 'Actions'

const THEMES = [
  { theme: 'light', name: 'Light theme', icon: Sun },
  { theme: 'dark', name: 'Dark theme', icon: Moon },
  { theme: 'system', name: 'Theme as the system', icon: SunMoon },
] as const

export function usePaletteActions(): readonly PaletteEntry[] {
  const base = `/team/${useTeam().id}`
  const makesKeys = useCan('keys:own')
  const funds = useCan('deposits:manage')
  const signOut = useSignOut()
  const entry = (id: string, rest: Pick<PaletteEntry, 'name' | 'icon' | 'to'>, note = ''): PaletteEntry => ({
    ...{ id: `action-${id}`, group: GROUP, note },
    ...rest,
  })
  return [
    ...(makesKeys
      ? [
          entry('new-key', { name: 'New key', icon: Plus, to: { href: `${base}/keys?make=true` } }),
          entry('device', { name: 'Sign in a terminal', icon: TerminalSquare, to: { href: `${base}/device` } }),
        ]
      : []),
    ...(funds ? [entry('fund', { name: 'Add credits', icon: Coins, to: { href: `${base}/fund` } })] : []),
    ...THEMES.map(({ theme, name, icon }) => entry(theme, { name, icon, to: { run: () => chooseTheme(theme) } })),
    entry('keyboard', { name: 'Keyboard shortcuts', icon: Keyboard, to: { run: openKeyboardHelp } }, '?'),
    entry('sign-out', { name: 'Sign out', icon: LogOut, to: { run: () => void signOut() } }),
  ]
}

interface ShownKey {
  readonly id: string
  readonly name: string
  readonly display: string
  readonly status: string
}

/** A group of its own, which comes last: what a key is called finds the key first. Its page asks once more. */
export function revokeEntries(teamId: string, keys: readonly ShownKey[]): readonly PaletteEntry[] {
  return keys
    .filter(({ status }) => status === 'active')
    .map(({ id, name, display }) => ({
      ...{ id: `revoke-${id}`, group: 'Revoke', name: `Revoke ${name}`, note: display, icon: Ban },
      to: { href: `/team/${teamId}/keys/${id}?revoke=true` },
    }))
}
