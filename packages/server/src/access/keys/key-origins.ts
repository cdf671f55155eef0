/**
 * What a mirrored key may do: at most what each key may through which it came, read at every authorisation. Nothing is
 * copied, so that it follows its origin when that is narrowed, widened or ended. Source: decision 0032 (mirrored keys).
 */
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { parseModels, parseRights } from './key-permissions.ts'

/** The columns of a key's row that decide what it may do, and until when. */
export interface KeyWorth {
  /** Space-separated. */
  readonly rights: string
  /** JSON array; null allows all. */
  readonly models: string | null
  /** A limit of its own; null for that of its account. */
  readonly requestsPerMinute: number | null
  readonly expiresAt: number | null
  /** When it ends unless it was rotated before; null where rotation is not required. */
  readonly rotateBy: number | null
  readonly revokedAt: number | null
}

/** A key through which another one came, directly or over others. */
export interface KeyOrigin extends KeyWorth {
  readonly mirrorId: string
  readonly keyId: string
}

/** Keys on the way from a mirrored key to the one that was made here, at most. Source: own choice. */
export const MIRROR_DEPTH_MAX = 8

/** Finds the origins of mirrored keys, the nearest first. */
export async function findOrigins(
  { read }: Pick<Database, 'read'>,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, readonly KeyOrigin[]>> {
  const found = new Map<string, KeyOrigin[]>()
  if (keyIds.length === 0) return found
  const { rows } = await sql<KeyOrigin>`
    with recursive origin (mirror_id, key_id, mirrored_by, depth) as (
      select m.key_id, o.key_id, o.mirrored_by, 1
        from api_key m join api_key o on o.key_id = m.mirrored_by where m.key_id in (${sql.join(keyIds)})
      union all
      select origin.mirror_id, o.key_id, o.mirrored_by, origin.depth + 1
        from origin join api_key o on o.key_id = origin.mirrored_by)
    select origin.mirror_id as "mirrorId", k.key_id as "keyId", k.rights, k.models,
           k.requests_per_minute as "requestsPerMinute", k.expires_at as "expiresAt", k.rotate_by as "rotateBy",
           k.revoked_at as "revokedAt"
      from origin join api_key k on k.key_id = origin.key_id
     order by origin.depth`.execute(read)
  for (const row of rows) {
    const before = found.get(row.mirrorId)
    if (before === undefined) found.set(row.mirrorId, [row])
    else before.push(row)
  }
  return found
}

/** A key's row as its origins leave it. */
export function followOrigins<Row extends KeyWorth>(own: Row, origins: readonly KeyWorth[]): Row {
  return origins.reduce<Row>((key, origin) => ({ ...key, ...narrow(key, origin) }), own)
}

function narrow(key: KeyWorth, origin: KeyWorth): KeyWorth {
  return {
    rights: [...parseRights(key.rights)].filter((right) => parseRights(origin.rights).has(right)).join(' '),
    models: commonModels(key.models, origin.models),
    requestsPerMinute: least(key.requestsPerMinute, origin.requestsPerMinute),
    expiresAt: least(key.expiresAt, origin.expiresAt),
    rotateBy: least(key.rotateBy, origin.rotateBy),
    revokedAt: least(key.revokedAt, origin.revokedAt),
  }
}

function commonModels(own: string | null, other: string | null): string | null {
  if (own === null || other === null) return own ?? other
  const allowed = new Set(parseModels(other))
  return JSON.stringify((parseModels(own) ?? []).filter((model) => allowed.has(model)))
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

/** When a key ends by time; null for never. */
export function endOf({ expiresAt, rotateBy }: Pick<KeyWorth, 'expiresAt' | 'rotateBy'>): number | null {
  return least(expiresAt, rotateBy)
}

/** Whether a key can be used at a time, as far as its row says. */
export function isUsable(key: Pick<KeyWorth, 'expiresAt' | 'rotateBy' | 'revokedAt'>, now: number): boolean {
  const end = endOf(key)
  return key.revokedAt === null && (end === null || end > now)
}
