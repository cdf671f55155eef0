import { hash } from 'node:crypto'
import type { SystemClock } from '../../platform/runtime/clock.ts'
import type { Caller } from './caller.ts'
import { invalidApiKey } from './invalid-api-key.ts'
import type { KeyStore, ValidKey } from './key-store.ts'
import type { Peppers } from './pepper.ts'
import { hashKey, isWellFormedKey } from './raw-key.ts'
import { parseModels, parseRights } from './key-permissions.ts'
import { type CallerLimits, type GatewayLimits, limitOfKey, limitsOfAccount } from './request-limits.ts'

/**
 * `cached` may be as old as the cache allows; `fresh` reads the key's row. Money decisions check the row again
 * themselves.
 */
export type Freshness = 'cached' | 'fresh'

export interface KeyAuthenticator {
  /**
   * Finds the caller behind an `Authorization` header. Answers at once, without a promise, when the cache knows the
   * key.
   *
   * @param authorization the header's value as the client sent it. No other place of a request can carry a key.
   * @throws {ServiceError} `invalid_api_key` (thrown or rejected), with one text for every reason.
   */
  authenticate(authorization: string | undefined, freshness: Freshness): Caller | Promise<Caller>
  /**
   * Finds the caller of a key that is known by its id, for work that goes on after its request. The key's row is read.
   *
   * @throws {ServiceError} `invalid_api_key`.
   */
  authenticateId(keyId: string): Promise<Caller>
  /**
   * Whether a key was valid when it was last used here. For limits alone, which must not hold the wrong keys of others
   * against it; it admits no caller.
   */
  isKnown(authorization: string | undefined): boolean
  /** Whether `authenticate` with `cached` would answer with this same caller: for a second look within one request. */
  isCurrent(caller: Caller): boolean
  /**
   * Drops what is cached about a key and its mirrors, or about every key of an account: call it when the key was
   * revoked, or either was changed.
   */
  forget(keyOrAccountId: string): void
  /** Drops everything that is cached: call it when limits of all keys have changed. */
  forgetAll(): void
}

export interface KeyAuthenticatorDeps {
  readonly store: Pick<KeyStore, 'findValid' | 'findValidById'>
  readonly peppers: Peppers
  readonly clock: SystemClock
  /** What holds for keys and accounts without limits of their own. */
  readonly gatewayLimits: GatewayLimits
  /** How long a row may be served from memory; `MAX_CACHE_MS` by default and at most. */
  readonly cacheMs?: number
}

/** A cached row is at most this old, in milliseconds. Source: decision 0011 (keys). */
export const MAX_CACHE_MS = 5_000
/** Callers in memory at most. */
const MAX_CACHED_KEYS = 10_000
/** Scheme and credentials of RFC 6750; the scheme's case does not matter (RFC 9110 section 11.1). */
const BEARER = /^bearer +(\S+) *$/i

interface CachedCaller {
  readonly caller: Caller
  /** When its row was asked for, by the monotonic clock. */
  readonly readAt: number
}

/**
 * Makes the one way from an `Authorization` header to a caller.
 *
 * Only keys that exist are cached, under a digest of the header, so that memory holds no raw key and a flood of
 * wrong keys displaces no key. A wrong key costs a checksum or one look-up in an index, never a walk through stored
 * keys.
 */
export function createKeyAuthenticator(deps: KeyAuthenticatorDeps): KeyAuthenticator {
  const { clock } = deps
  const cacheMs = Math.min(deps.cacheMs ?? MAX_CACHE_MS, MAX_CACHE_MS)
  const cache = new Map<string, CachedCaller>()
  /** A second look at a caller needs no digest of the header: it costs as much as the rest of the look. */
  const digests = new WeakMap<Caller, string>()
  /** Counts what was forgotten: a row that was read before may be one of what was. */
  let forgotten = 0

  function findCached(digest: string): Caller | null {
    const cached = cache.get(digest)
    if (cached === undefined) return null
    const isUsable = clock.elapsed() - cached.readAt < cacheMs && !hasExpired(cached.caller, clock.now())
    return isUsable ? cached.caller : null
  }

  async function read(authorization: string, digest: string): Promise<Caller> {
    const rawKey = bearerOf(authorization)
    if (rawKey === null || !isWellFormedKey(rawKey)) throw invalidApiKey()
    const readAt = clock.elapsed()
    const forgottenBefore = forgotten
    const hashes = deps.peppers.map((pepper) => hashKey(rawKey, pepper.secret))
    const key = await deps.store.findValid(hashes, clock.now())
    // Put back at the end: the map's order is that of reading, and who is in use is read again before long.
    cache.delete(digest)
    if (key === null) throw invalidApiKey()
    const caller = callerOf(key, deps.gatewayLimits)
    if (forgotten === forgottenBefore) {
      cache.set(digest, { caller, readAt })
      digests.set(caller, digest)
    }
    dropOldest(cache)
    return caller
  }

  return {
    authenticate(authorization, freshness) {
      if (authorization === undefined) throw invalidApiKey()
      const digest = digestOf(authorization)
      const cached = freshness === 'cached' ? findCached(digest) : null
      return cached ?? read(authorization, digest)
    },
    async authenticateId(keyId) {
      const key = await deps.store.findValidById(keyId, clock.now())
      if (key === null) throw invalidApiKey()
      return callerOf(key, deps.gatewayLimits)
    },
    isKnown: (authorization) => authorization !== undefined && cache.has(digestOf(authorization)),
    isCurrent(caller) {
      const digest = digests.get(caller)
      return digest !== undefined && findCached(digest) === caller
    },
    forgetAll() {
      forgotten += 1
      cache.clear()
    },
    forget(id) {
      forgotten += 1
      for (const [digest, { caller }] of cache) {
        const isMeant = caller.keyId === id || caller.accountId === id || caller.originIds.includes(id)
        if (isMeant) cache.delete(digest)
      }
    },
  }
}

/** What an `Authorization` header carries; null where it is no bearer token. */
export function bearerOf(authorization: string): string | null {
  return BEARER.exec(authorization)?.[1] ?? null
}

function digestOf(authorization: string): string {
  return hash('sha256', authorization, 'base64')
}

function hasExpired(caller: Caller, now: number): boolean {
  return caller.expiresAt !== null && caller.expiresAt <= now
}

function dropOldest(cache: Map<string, CachedCaller>): void {
  if (cache.size <= MAX_CACHED_KEYS) return
  const oldest = cache.keys().next()
  if (oldest.done !== true) cache.delete(oldest.value)
}

function callerOf(key: ValidKey, gateway: GatewayLimits): Caller {
  return Object.freeze({
    keyId: key.keyId,
    keyName: key.name,
    display: key.display,
    originIds: key.originIds,
    accountId: key.accountId,
    teamId: key.teamId,
    storesResponses: key.storesResponses,
    keyBudgetId: key.budgetId,
    teamBudgetId: key.teamBudgetId,
    rights: parseRights(key.rights),
    models: parseModels(key.models),
    expiresAt: key.expiresAt,
    limits: limitsOf(key, gateway),
  })
}

function limitsOf(key: ValidKey, gateway: GatewayLimits): CallerLimits {
  const { keyRequestsPerMinute: own } = key
  const account = limitsOfAccount(key, gateway)
  return Object.freeze({
    ...account,
    requestsPerMinute: limitOfKey(own, account.requestsPerMinute),
    countedAs: own === null ? key.keyId : key.budgetId,
  })
}
