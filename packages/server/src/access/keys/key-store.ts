import { sql, type Expression, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { endOf, findOrigins, followOrigins, isUsable } from './key-origins.ts'
import { createKeyRecords, type KeyRecords } from './key-records.ts'
import {
  changeStatements,
  endStatements,
  insertStatements,
  type KeyRowChange,
  type NewKey,
  type Predecessor,
  readerStatement,
  revokeStatements,
} from './key-statements.ts'

/** What authentication needs of a key that is valid now. */
export interface ValidKey {
  readonly keyId: string
  readonly name: string
  readonly display: string
  readonly accountId: string
  readonly teamId: string
  /** Whether its team has its responses stored. */
  readonly storesResponses: boolean
  readonly budgetId: string
  readonly teamBudgetId: string | null
  readonly rights: string
  readonly models: string | null
  /** When it ends by time; null for never. */
  readonly expiresAt: number | null
  /** The keys through which it was mirrored, the nearest first. */
  readonly originIds: readonly string[]
  /** A limit of its own; null for that of its account. */
  readonly keyRequestsPerMinute: number | null
  /** What was set for its account; null where nothing was. */
  readonly requestsPerMinute: number | null
  readonly accountRequestsPerMinute: number | null
  readonly streamsAtOnce: number | null
}

export interface RevokedKeys {
  /** False when the key does not exist or was revoked before. */
  readonly isRevoked: boolean
  /** How many that were mirrored through it ended with it. */
  readonly mirrors: number
}

export interface KeyStore extends KeyRecords {
  /**
   * Finds the key that has one of these hashes, if it can be used: it has not ended, nor has any key through which it
   * was mirrored, and whose it is may still have it. Null for every other.
   */
  findValid(hashes: readonly string[], now: number): Promise<ValidKey | null>
  /** The same of a key that is known by its id: for work that goes on after its request. */
  findValidById(keyId: string, now: number): Promise<ValidKey | null>
  /**
   * Writes the key, its budget where it brings one, and who sees it: all or nothing. Returns false where the person
   * whose it shall be may have no key in the team, or who makes it may not make it any more.
   *
   * @param old the key whose place it takes, which ends in the same step. Returns false where it was revoked.
   */
  insert(key: NewKey, old?: Predecessor): Promise<boolean>
  /** Revokes a key, and every key that was mirrored through it, over any number of steps. */
  revoke(keyId: string, now: number): Promise<RevokedKeys>
  /** Ends every key of an account, mirrored ones included. @returns how many. */
  revokeAllOf(accountId: string, now: number): Promise<number>
  /**
   * Changes a key, and its budget's row: all or nothing. Ended keys stay as they are. Returns false where nothing was
   * changed, though something was to be.
   */
  change(keyId: string, change: KeyRowChange): Promise<boolean>
  /** Notes uses; never moves a time back. */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>
}

/** Makes the store of keys: their rows, each with the budget row that counts its spending. */
export function createKeyStore(database: Database): KeyStore {
  const { read } = database
  const find = async (named: Expression<SqlBool>, now: number): Promise<ValidKey | null> => {
    const row = await read
      .selectFrom('api_key')
      .innerJoin('team', 'team.team_id', 'api_key.team_id')
      .leftJoin('account_limit', 'account_limit.account_id', 'api_key.account_id')
      .leftJoin('response_storage', 'response_storage.team_id', 'api_key.team_id')
      .select([
        'api_key.key_id as keyId',
        'api_key.name',
        'api_key.display',
        'api_key.account_id as accountId',
        'api_key.team_id as teamId',
        'api_key.budget_id as budgetId',
        'team.budget_id as teamBudgetId',
        'api_key.rights',
        'api_key.models',
        'api_key.mirrored_by as mirroredBy',
        'api_key.expires_at as expiresAt',
        'api_key.rotate_by as rotateBy',
        'api_key.revoked_at as revokedAt',
        'api_key.requests_per_minute as requestsPerMinute',
        'account_limit.requests_per_minute as teamRequestsPerMinute',
        'account_limit.account_requests_per_minute as accountRequestsPerMinute',
        'account_limit.streams_at_once as streamsAtOnce',
        'response_storage.created_at as storesSince',
      ])
      .where(named)
      .where('api_key.revoked_at', 'is', null)
      .where(hasItsSession())
      .where(hasItsPerson())
      .executeTakeFirst()
    if (row === undefined) return null
    const { mirroredBy, teamRequestsPerMinute, storesSince, ...own } = row
    const origins = mirroredBy === null ? [] : ((await findOrigins(database, [own.keyId])).get(own.keyId) ?? [])
    const key = followOrigins(own, origins)
    if (!isUsable(key, now)) return null
    const { rotateBy: _rotateBy, revokedAt: _revokedAt, requestsPerMinute: keyRequestsPerMinute, ...rest } = key
    return {
      ...rest,
      ...{ keyRequestsPerMinute, requestsPerMinute: teamRequestsPerMinute },
      expiresAt: endOf(key),
      storesResponses: storesSince !== null,
      originIds: origins.map(({ keyId }) => keyId),
    }
  }
  return {
    ...createKeyRecords(database),
    findValid: (hashes, now) => find(sql<SqlBool>`api_key.key_hash in (${sql.join(hashes)})`, now),
    findValidById: (keyId, now) => find(sql<SqlBool>`api_key.key_id = ${keyId}`, now),
    async insert(key, old) {
      const statements = insertStatements(database, key, old)
      const { keyId, reader, createdAt } = key
      const seen = reader === null ? [] : [readerStatement(database, { keyId, userId: reader, now: createdAt })]
      const ends = old === undefined ? [] : endStatements(database, old, key)
      const changes = await database.write([...statements, ...seen, ...ends])
      return changes[statements.length - 1] === 1
    },
    async revoke(keyId, now) {
      const [own, mirrors = 0] = await database.write(revokeStatements(database, keyId, now))
      return { isRevoked: own === 1, mirrors }
    },
    async revokeAllOf(accountId, now) {
      const statement = read
        .updateTable('api_key')
        .set({ revoked_at: now })
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
      const [changed] = await database.write([statement.compile()])
      return changed ?? 0
    },
    async change(keyId, change) {
      const statements = changeStatements(database, keyId, change)
      const changed = statements.length === 0 ? [] : await database.write(statements)
      return changed.at(-1) !== 0
    },
    async noteUses(uses) {
      // In one order everywhere: several processes note the same keys at the same time, and rows stay locked to the
      // end.
      const inOrder = [...uses].toSorted(([left], [right]) => (left < right ? -1 : 1))
      const statements = inOrder.map(([keyId, usedAt]) =>
        read
          .updateTable('api_key')
          .set({ last_used_at: usedAt })
          .where('key_id', '=', keyId)
          .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', usedAt)]))
          .compile(),
      )
      if (statements.length > 0) await database.write(statements)
    },
  }
}

/** A personal key, and one of the playground, is worth nothing once its person may have none in the team. */
function hasItsPerson(): Expression<SqlBool> {
  return sql<SqlBool>`(api_key.kind = 'service' or exists (
    select 1 from team_key_holder h where h.team_id = api_key.team_id and h.user_id = api_key.created_by))`
}

/** A key of the playground is worth nothing without its session, however that ended. */
function hasItsSession(): Expression<SqlBool> {
  return sql<SqlBool>`(api_key.session_id is null
    or exists (select 1 from sign_in_session s where s.id = api_key.session_id))`
}

export type { KeyFilter, KeyReader, KeyRecord } from './key-records.ts'
