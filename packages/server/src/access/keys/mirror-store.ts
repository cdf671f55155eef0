import { sql, type CompiledQuery } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { text, whole } from '../../platform/db/selected-value.ts'
import { findOrigins, followOrigins, type KeyWorth } from './key-origins.ts'
import { RIGHTS } from './key-permissions.ts'

/** A key that shall be valid through another one. */
export interface NewMirror {
  readonly keyId: string
  /** The key that it follows: its account, team, budget, expiry, models, limit and rights. */
  readonly mirroredBy: string
  readonly name: string
  readonly keyHash: string
  readonly pepperVersion: number
  readonly display: string
  readonly createdAt: number
  /** What narrows it beside the key that it follows. Absent for nothing. */
  readonly own?: OwnWorth
}

/** What a follower may do by its own row, as that has it. */
export type OwnWorth = Pick<KeyWorth, 'rights' | 'models' | 'expiresAt'>

const NOT_NARROWED: OwnWorth = { rights: RIGHTS.join(' '), models: null, expiresAt: null }

/** What decides whether a key that is here already may count as mirrored. */
export interface HashedKey extends Pick<KeyWorth, 'expiresAt' | 'rotateBy' | 'revokedAt'> {
  readonly accountId: string
}

export interface MirrorStore {
  /**
   * Writes a mirrored key, decided by the row of the key that it came through, as that is now. Returns false when that
   * key is revoked, expired or without the right `keys`, or when a key with this hash is there.
   */
  insert(mirror: NewMirror): Promise<boolean>
  /** Whether a key came through another one, directly or over others. */
  follows(keyId: string, originId: string): Promise<boolean>
  /** Finds a key by one of these hashes, whatever its state, as its origins leave it. */
  findByHash(hashes: readonly string[]): Promise<HashedKey | null>
}

/** Makes the store of mirrored keys. */
export function createMirrorStore(database: Database): MirrorStore {
  const { read } = database
  return {
    async insert(mirror) {
      const [inserted] = await database.write([mirrorStatement(database, mirror)])
      return inserted === 1
    },
    async follows(keyId, originId) {
      const origins = (await findOrigins(database, [keyId])).get(keyId) ?? []
      return origins.some((origin) => origin.keyId === originId)
    },
    async findByHash(hashes) {
      const row = await read
        .selectFrom('api_key')
        .select(['key_id as keyId', 'account_id as accountId', 'rights', 'models'])
        .select(['requests_per_minute as requestsPerMinute', 'expires_at as expiresAt'])
        .select(['rotate_by as rotateBy', 'revoked_at as revokedAt'])
        .where('key_hash', 'in', hashes)
        .executeTakeFirst()
      if (row === undefined) return null
      return followOrigins(row, (await findOrigins(database, [row.keyId])).get(row.keyId) ?? [])
    },
  }
}

/**
 * One statement, so that the bearer's key cannot be revoked between a look and the write. Nothing of what the bearer's key
 * may do is copied: it is read at every request.
 */
function mirrorStatement({ read }: Database, mirror: NewMirror): CompiledQuery {
  const { rights, models, expiresAt } = mirror.own ?? NOT_NARROWED
  const select = read
    .selectFrom('api_key as bearer')
    .select([
      text(mirror.keyId).as('key_id'),
      'bearer.team_id',
      'bearer.account_id',
      'bearer.budget_id',
      text(mirror.name).as('name'),
      text(mirror.keyHash).as('key_hash'),
      whole(mirror.pepperVersion).as('pepper_version'),
      text(mirror.display).as('display'),
      text(rights).as('rights'),
      text(models).as('models'),
      whole(expiresAt).as('expires_at'),
      'bearer.kind',
      'bearer.created_by',
      whole(mirror.createdAt).as('created_at'),
      'bearer.key_id as mirrored_by',
    ])
    .where('bearer.key_id', '=', mirror.mirroredBy)
    .where('bearer.revoked_at', 'is', null)
    .where((where) =>
      where.or([where('bearer.expires_at', 'is', null), where('bearer.expires_at', '>', mirror.createdAt)]),
    )
    .where(sql<string>`' ' || bearer.rights || ' '`, 'like', '% keys %')
  return read
    .insertInto('api_key')
    .columns([
      'key_id',
      'team_id',
      'account_id',
      'budget_id',
      'name',
      'key_hash',
      'pepper_version',
      'display',
      'rights',
      'models',
      'expires_at',
      'kind',
      'created_by',
      'created_at',
      'mirrored_by',
    ])
    .expression(select)
    .onConflict((conflict) => conflict.doNothing())
    .compile()
}
