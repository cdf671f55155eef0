import type { TeamRole } from '@svc/contract'
import { clsx } from 'clsx'
import { roleTexts } from '../../ui/role-texts.ts'

interface RoleChoiceProps<Role extends TeamRole> {
  readonly roles: readonly Role[]
  readonly value: Role
  readonly onPick: (role: Role) => void
}

/** The roles that can be given, each with what it may do. */
export function RoleChoice<Role extends TeamRole>({ roles, value, onPick }: RoleChoiceProps<Role>) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">Role</legend>
      {roles.map((role) => (
        <label
          key={role}
          className={clsx(
            'flex cursor-pointer items-start gap-3 rounded border px-3 py-2',
            role === value ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong',
          )}
        >
          <input
            type="radio"
            name="role"
            value={role}
            checked={role === value}
            onChange={() => onPick(role)}
            className="mt-1 accent-accent"
          />
          <span>
            <span className="block font-medium capitalize">{role}</span>
            <span className="block text-[12px] text-soft first-letter:uppercase">{roleTexts[role]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
