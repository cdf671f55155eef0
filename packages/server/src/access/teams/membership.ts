import type { Role } from './permissions.ts'

/** A team as one of its members sees it. */
export interface Membership {
  readonly teamId: string
  readonly accountId: string
  readonly name: string
  readonly role: Role
  /** The team's spending cap; null when it has none. */
  readonly budgetId: string | null
  readonly accountStatus: 'active' | 'suspended'
  readonly isPersonal: boolean
}

export interface Member {
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly joinedAt: number
}
