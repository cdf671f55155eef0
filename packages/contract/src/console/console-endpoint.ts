/** The form of a row of the console: called with a session, and not part of the public document. */
import type { CallableEndpoint } from '../endpoints/endpoint.ts'
import type { ErrorCode } from '../error-codes.ts'
import type { TeamPermission } from './session.ts'

export interface ConsoleEndpoint extends CallableEndpoint {
  /**
   * What the role in the team of the path must allow. Null for what belongs to the person alone. `operator` is for
   * operators; `public` needs no session.
   */
  readonly permission: TeamPermission | 'operator' | 'public' | null
  /** Whether it must be a session that signed in a short while ago. */
  readonly isSensitive?: true
  /** Besides the codes that every row can answer, and those of an Idempotency-Key. */
  readonly errors: readonly ErrorCode[]
}

export type ConsoleTable<Ids extends string> = { readonly [Id in Ids]: ConsoleEndpoint & { readonly id: Id } }

/** Codes that every row of the console can answer. */
export const consoleErrors = [
  'not_signed_in',
  'sign_in_again',
  'foreign_origin',
  'role_denied',
  'team_not_found',
  'invalid_value',
  'rate_limit_exceeded',
  'internal_error',
] as const satisfies readonly ErrorCode[]
