import type { TeamMember } from '@svc/contract'
import { clsx } from 'clsx'
import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { useCan, useTeam } from '../../api/session.ts'
import { menuItem } from '../../ui/menu.ts'
import { MenuContent } from '../../ui/menu-content.tsx'
import { bodyRow, cell, headCell, restCell, right, table, tableFrame } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'
import { ChangeRoleDialog, RemoveMemberDialog } from './member-dialogs.tsx'

export function MemberTable({ members }: { readonly members: readonly TeamMember[] }) {
  const canManage = useCan('members:manage')
  return (
    <div className={tableFrame} role="region" aria-label="Members" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>Member</th>
            <th className={headCell}>Role</th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>In the team since</th>
            {canManage && (
              <th className={headCell}>
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <MemberRow key={member.user_id} member={member} canManage={canManage} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The initials of a name, in a circle in place of an image: none is fetched from anywhere. */
function Initials({ name }: { readonly name: string }) {
  const letters = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
  return (
    <span
      aria-hidden
      className="flex size-8 shrink-0 items-center justify-center rounded-full bg-accent-soft text-[12px] font-medium"
    >
      {letters.toUpperCase()}
    </span>
  )
}

function MemberRow({ member, canManage }: { readonly member: TeamMember; readonly canManage: boolean }) {
  const team = useTeam()
  // A member of a higher role is out of reach; leaving has a place of its own.
  const isInReach = !member.is_self && (team.role === 'owner' || member.role !== 'owner')
  return (
    <tr className={bodyRow}>
      <td className={restCell}>
        <div className="flex items-center gap-3">
          <Initials name={member.name} />
          <div className="min-w-0">
            <div className="font-medium break-words">
              {member.name}
              {member.is_self && <span className="ml-2 rounded bg-sunken px-1.5 text-[12px] text-soft">you</span>}
            </div>
            <div className="truncate text-[12px] text-soft" title={member.email ?? undefined}>
              {member.email ?? 'by a wallet'}
            </div>
          </div>
        </div>
      </td>
      <td className={cell}>{member.role}</td>
      <td className={clsx(cell, 'hidden sm:table-cell')}>
        <Time seconds={member.joined_at} />
      </td>
      {canManage && <td className={clsx(cell, right)}>{isInReach && <MemberMenu member={member} />}</td>}
    </tr>
  )
}

function MemberMenu({ member }: { readonly member: TeamMember }) {
  const [open, setOpen] = useState<'role' | 'remove' | null>(null)
  const close = (): void => setOpen(null)
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          className="-my-1 inline-flex rounded p-1.5 align-middle text-soft hover:bg-sunken hover:text-text"
          aria-label={`Actions for ${member.name}`}
        >
          <Ellipsis size={16} aria-hidden />
        </DropdownMenu.Trigger>
        <MenuContent align="end">
          <DropdownMenu.Item className={menuItem} onSelect={() => setOpen('role')}>
            Change the role
          </DropdownMenu.Item>
          <DropdownMenu.Item className={clsx(menuItem, 'text-danger')} onSelect={() => setOpen('remove')}>
            Remove from the team
          </DropdownMenu.Item>
        </MenuContent>
      </DropdownMenu.Root>
      {open === 'role' && <ChangeRoleDialog member={member} onClose={close} />}
      {open === 'remove' && <RemoveMemberDialog member={member} onClose={close} />}
    </>
  )
}
