import { sql, type CompiledQuery } from 'kysely'
import type { Database } from '../db/database.ts'

/** A key that exists elsewhere and shall be valid here through another one. */
export interface NewMirror {
  readonly keyId: string
  /** The key whose account, team, budget, expiry, models, limit and rights it shares. */
  readonly mirroredBy: string
  readonly name: string
  readonly keyHash: string
  readonly pepperVersion: number
  readonly display: string
  readonly createdAt: number
}

/** What decides whether a key that is here already may count as mirrored. */
export interface HashedKey {
  readonly keyId: string
  readonly accountId: string
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export interface MirrorStore {
  /**
   * Writes a mirrored key, decided by the row of the key that it came through, as that is now. Returns false when that
   * key is revoked, expired or without the right `keys`, or when a key with this hash is there.
   */
  insert(mirror: NewMirror): Promise<boolean>
  /** Finds a key by one of these hashes, whatever its state. */
  findByHash(hashes: readonly string[]): Promise<HashedKey | null>
  /** Revokes the keys that were mirrored through this one, and through those in turn. @returns how many it revoked. */
  revokeAll(keyId: string, now: number): Promise<number>
}

/** Makes the store of mirrored keys. */
export function createMirrorStore(database: Database): MirrorStore {
  const { read } = database
  return {
    async insert(mirror) {
      const [inserted] = await database.write([mirrorStatement(database, mirror)])
      return inserted === 1
    },
    async findByHash(hashes) {
      const row = await read
        .selectFrom('api_key')
        .select(['key_id as keyId', 'account_id as accountId', 'expires_at as expiresAt', 'revoked_at as revokedAt'])
        .where('key_hash', 'in', hashes)
        .executeTakeFirst()
      return row ?? null
    },
    async revokeAll(keyId, now) {
      const [revoked = 0] = await database.write([revokeStatement(database, keyId, now)])
      return revoked
    },
  }
}

/** One statement, so that the bearer's key cannot be revoked between a look and the write. */
function mirrorStatement({ read }: Database, mirror: NewMirror): CompiledQuery {
  const text = (value: string) => sql<string>`cast(${value} as text)`
  const whole = (value: number) => sql<number>`cast(${value} as bigint)`
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
      'bearer.rights',
      'bearer.models',
      'bearer.requests_per_minute',
      'bearer.expires_at',
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
      'requests_per_minute',
      'expires_at',
      'created_at',
      'mirrored_by',
    ])
    .expression(select)
    .onConflict((conflict) => conflict.doNothing())
    .compile()
}

/** Walks over revoked keys too: what was mirrored through them may be valid still. */
function revokeStatement({ read }: Database, keyId: string, now: number): CompiledQuery {
  return read
    .withRecursive('mirror', (db) =>
      db
        .selectFrom('api_key')
        .select('key_id')
        .where('mirrored_by', '=', keyId)
        .union(
          db
            .selectFrom('api_key as child')
            .innerJoin('mirror', 'mirror.key_id', 'child.mirrored_by')
            .select('child.key_id'),
        ),
    )
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where('key_id', 'in', (db) => db.selectFrom('mirror').select('key_id'))
    .compile()
}
