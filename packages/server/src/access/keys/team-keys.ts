/** Keys as the people of a team handle them: their own, or all members'. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { ActingMember } from './acting-member.ts'
import { changeKey, type KeyChanges } from './change-key.ts'
import { type CreatedKey, createKey, type CreateKeyDeps, type KeyRequest } from './create-key.ts'
import type { KeyStore } from './key-store.ts'
import { type KeySummary, listKeys, summaryOf } from './list-keys.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

export interface TeamKeysDeps extends CreateKeyDeps {
  readonly store: Pick<KeyStore, 'find' | 'insert' | 'list' | 'listSpent' | 'revoke' | 'change'>
}

/** Whose keys a person may handle. */
export interface KeyReach {
  readonly accountId: string
  readonly teamId: string
  readonly userId: string
  /** False for a person who sees only the keys that they have made. */
  readonly seesAll: boolean
  /** The roles that reach as far; one of them must be the person's still when something is written. */
  readonly roles: readonly string[]
}

export interface TeamKeyPage {
  /** Absent for all but keys of the playground. */
  readonly state?: 'active' | 'ended' | 'playground'
  readonly after?: string
  readonly limit: number
}

export interface TeamKeys {
  /** Newest first; one more than asked for tells whether there are others. */
  list(reach: KeyReach, page: TeamKeyPage): Promise<readonly KeySummary[]>
  /** @throws {ServiceError} `key_not_found` beyond the reach. */
  read(reach: KeyReach, keyId: string): Promise<KeySummary>
  /**
   * Returns the key as it is then.
   *
   * @throws {ServiceError} `key_not_found` beyond the reach, or when it has ended; `invalid_value` as `changeKey` does.
   */
  change(reach: KeyReach, keyId: string, changes: KeyChanges): Promise<KeySummary>
  /**
   * Makes a personal key, or a service key where that is asked for.
   *
   * @throws {ServiceError} as `createKey` does; `role_denied` for a service key of a person who handles only their own.
   */
  create(reach: KeyReach, request: TeamKeyRequest): Promise<CreatedKey>
  /** Revokes it, and what was mirrored through it. @throws {ServiceError} `key_not_found` beyond the reach. */
  revoke(reach: KeyReach, keyId: string): Promise<void>
  /** @throws {ServiceError} `key_not_found` beyond the reach, or when it has ended. */
  rotate(reach: KeyReach, keyId: string, overlapMs: number): Promise<CreatedKey & { readonly name: string }>
}

/** What a person asks for: their own key, or the team's. */
export interface TeamKeyRequest extends Omit<KeyRequest, 'accountId' | 'teamId' | 'createdBy' | 'sessionId' | 'kind'> {
  readonly kind: 'personal' | 'service'
}

const actingIn = ({ teamId, userId, roles }: KeyReach): ActingMember => ({ teamId, userId, roles })

export function createTeamKeys(deps: TeamKeysDeps): TeamKeys {
  const find = async ({ teamId, userId, seesAll }: KeyReach, keyId: string) => {
    const key = await deps.store.find(keyId)
    if (key !== null && key.teamId === teamId && (seesAll || key.createdBy === userId)) return key
    throw new ServiceError('key_not_found', 'There is no such key.', { param: 'key_id' })
  }
  const read = async (reach: KeyReach, keyId: string) => summaryOf(deps, await find(reach, keyId))
  return {
    read,
    change: async (reach, keyId, changes) => {
      await changeKey(deps, await find(reach, keyId), { ...changes, by: actingIn(reach) })
      return read(reach, keyId)
    },
    list: ({ teamId, userId, seesAll }, { state, ...page }) =>
      listKeys(deps, {
        ...{ ...page, teamId, state: { kind: state ?? 'unplayed', at: deps.clock.now() } as const },
        ...(seesAll ? {} : { createdBy: userId }),
      }),
    create: async (reach, request) => {
      const { accountId, teamId, userId, seesAll } = reach
      if (request.kind === 'service' && !seesAll) {
        throw new ServiceError('role_denied', 'Service keys are for those who handle all keys of the team.')
      }
      return createKey(deps, { ...request, accountId, teamId, createdBy: userId, by: actingIn(reach) })
    },
    revoke: async (reach, keyId) => {
      await find(reach, keyId)
      await revokeKey(deps, keyId)
    },
    rotate: async (reach, keyId, overlapMs) => {
      const { name } = await find(reach, keyId)
      const made = await rotateKey(deps, { keyId, overlapMs, userId: reach.userId, by: actingIn(reach) })
      return { ...made, name }
    },
  }
}
