import type { CallerLimits } from './request-limits.ts'

export type Right = 'inference' | 'deposits' | 'keys'

/** Who is behind a request after authentication. Values are those of the key's row, at most a few seconds old. */
export interface Caller {
  readonly keyId: string
  readonly keyName: string
  /** First characters and last four of the raw key. */
  readonly display: string
  /** The keys through which it was mirrored, the nearest first; empty for one that was made here. */
  readonly originIds: readonly string[]
  readonly accountId: string
  readonly teamId: string
  /** Whether the team has its responses stored. */
  readonly storesResponses: boolean
  readonly keyBudgetId: string
  /** Null when the team has no spending cap. */
  readonly teamBudgetId: string | null
  readonly rights: ReadonlySet<Right>
  /** Ids of the models that the key may use; null allows all. */
  readonly models: readonly string[] | null
  /** Milliseconds since the epoch; null when the key never expires. */
  readonly expiresAt: number | null
  /** How often and how much at once it may ask. */
  readonly limits: CallerLimits
}
