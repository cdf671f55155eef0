import { afterEach, beforeEach, expect, test } from 'vitest'
import { testLimits } from '../../../testing/gateway-limits.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { seedCaller } from '../../../testing/seed-caller.ts'
import type { DatabaseEngine } from '../../platform/db/database.ts'
import { createKeyAuthenticator } from './authenticate-key.ts'
import type { Caller, Right } from './caller.ts'
import { changeKey, type KeyChanges } from './change-key.ts'
import { createKey, type KeyRequest } from './create-key.ts'
import { MIRROR_DEPTH_MAX } from './key-origins.ts'
import { createKeyStore } from './key-store.ts'
import { createAccountLimitStore } from './account-limit-store.ts'
import type { SystemClock } from '../../platform/runtime/clock.ts'
import { mirrorKey, type MirrorKeyDeps, type MirrorResult } from './mirror-key.ts'
import { createMirrorStore } from './mirror-store.ts'
import type { Peppers } from './pepper.ts'
import { createRawKey } from './raw-key.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

const ALL: readonly Right[] = ['inference', 'deposits', 'keys']
const NOW = 1_795_000_000_000
const peppers: Peppers = [{ version: 2, secret: 'the pepper of these tests' }]

function suite(engine: DatabaseEngine): void {
  let opened: TestDatabase
  let now: number
  let deps: MirrorKeyDeps & { readonly keys: ReturnType<typeof createKeyStore>; readonly clock: SystemClock }

  beforeEach(async () => {
    opened = await openTestDatabase(engine)
    now = NOW
    const { database } = opened
    const clock = { now: () => now, elapsed: () => now }
    deps = { store: createMirrorStore(database), keys: createKeyStore(database), peppers, clock }
  })
  afterEach(() => opened.close())

  const keyDeps = () => ({
    ...{ ...deps, store: deps.keys, gatewayLimits: testLimits },
    accountLimitStore: createAccountLimitStore(opened.database),
  })
  const authenticate = async (rawKey: string): Promise<Caller> =>
    createKeyAuthenticator(keyDeps()).authenticate(`Bearer ${rawKey}`, 'fresh')

  async function createCaller(request: Partial<KeyRequest> = {}): Promise<Caller & { readonly rawKey: string }> {
    const { accountId, teamId } = await seedCaller(opened.database)
    const made = { accountId, teamId, name: 'bearer', rights: ALL, ...request }
    const { rawKey } = await createKey(keyDeps(), made)
    return { ...(await authenticate(rawKey)), rawKey }
  }

  const mirror = (caller: Caller, raw: string): Promise<MirrorResult> =>
    mirrorKey(deps, caller, { raw, name: 'mirror' })

  test('a mirrored key works, and shares account, team, budget, expiry, models, limit and rights', async () => {
    const bearer = await createCaller({ models: ['svc-gpt'], expiresAt: NOW + 60_000, requestsPerMinute: 60 })
    const raw = createRawKey()
    expect(await mirror(bearer, raw)).toEqual({ mirrored: true })
    const { keyId, keyName, display, ...shared } = await authenticate(raw)
    const { keyId: bearerId, keyName: _name, display: _display, rawKey: _raw, ...expected } = bearer
    expect(shared).toEqual({ ...expected, originIds: [bearerId] })
    expect([keyName, display]).toEqual(['mirror', `${raw.slice(0, 11)}…${raw.slice(-4)}`])
    expect(keyId).not.toBe(bearerId)
    now += 60_000
    await expect(authenticate(raw)).rejects.toMatchObject({ code: 'invalid_api_key' })
  })

  test('what is mirrored is counted with a bearer that has a limit of its own, and else by itself', async () => {
    for (const requestsPerMinute of [60, null]) {
      const bearer = await createCaller({ requestsPerMinute })
      const raw = createRawKey()
      await mirror(bearer, raw)
      const { limits } = await authenticate(raw)
      expect(limits.countedAs === bearer.limits.countedAs).toBe(requestsPerMinute !== null)
      expect(limits.requestsPerMinute).toEqual(bearer.limits.requestsPerMinute)
    }
  })

  test('the database holds no raw key', async () => {
    const raw = createRawKey()
    await mirror(await createCaller(), raw)
    const rows = await opened.database.read.selectFrom('api_key').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(raw.slice(12, 40))
  })

  test('mirroring the same key again changes nothing and says so', async () => {
    const bearer = await createCaller()
    const raw = createRawKey()
    await mirror(bearer, raw)
    const { keyId } = await authenticate(raw)
    expect(await mirror(bearer, raw)).toEqual({ mirrored: true, reason: 'already_mirrored' })
    expect(await mirror(bearer, bearer.rawKey)).toEqual({ mirrored: true, reason: 'already_mirrored' })
    expect((await authenticate(raw)).keyId).toBe(keyId)
  })

  test('mirrored twenty times at once, a key is there once', async () => {
    const bearer = await createCaller()
    const raw = createRawKey()
    const results = await Promise.all(Array.from({ length: 20 }, () => mirror(bearer, raw)))
    expect(results.every(({ mirrored }) => mirrored)).toBe(true)
    expect(results.filter(({ reason }) => reason === undefined)).toHaveLength(1)
    const rows = await opened.database.read.selectFrom('api_key').selectAll().where('name', '=', 'mirror').execute()
    expect(rows).toHaveLength(1)
  })

  test("another account's key, a revoked and an expired one get one and the same answer", async () => {
    const bearer = await createCaller()
    const foreign = await createCaller()
    const revoked = createRawKey()
    await mirror(bearer, revoked)
    await deps.keys.revoke((await authenticate(revoked)).keyId, now)
    const expiring = createRawKey()
    await mirror(
      await createCaller({ accountId: bearer.accountId, teamId: bearer.teamId, expiresAt: now + 1 }),
      expiring,
    )
    now += 1
    const refused = { mirrored: false, reason: 'invalid_key' }
    for (const raw of [foreign.rawKey, revoked, expiring]) expect(await mirror(bearer, raw)).toEqual(refused)
    for (const raw of [revoked, expiring])
      await expect(authenticate(raw)).rejects.toMatchObject({ code: 'invalid_api_key' })
    expect((await authenticate(foreign.rawKey)).accountId).toBe(foreign.accountId)
  })

  test('what has not the form of a key is refused without a look at the database', async () => {
    const bearer = await createCaller()
    const raw = createRawKey()
    const flipped = raw.slice(0, -1) + (raw.endsWith('a') ? 'b' : 'a')
    const unread = {
      insert: () => Promise.reject(new Error('asked')),
      findByHash: () => Promise.reject(new Error('asked')),
    }
    for (const wrong of [
      '',
      'sk-svc-',
      flipped,
      `${raw} `,
      raw.toUpperCase(),
      raw.replace('sk-svc-', 'sk-'),
      `${raw}\n`,
    ]) {
      const result = await mirrorKey({ ...deps, store: unread }, bearer, { raw: wrong, name: 'mirror' })
      expect(result).toEqual({ mirrored: false, reason: 'invalid_key' })
    }
  })

  test('a bearer without the right mirrors nothing', async () => {
    const bearer = await createCaller({ rights: ['inference', 'deposits'] })
    const raw = createRawKey()
    expect(await mirror(bearer, raw)).toEqual({ mirrored: false, reason: 'not_permitted' })
    await expect(authenticate(raw)).rejects.toMatchObject({ code: 'invalid_api_key' })
  })

  // The caller was found before the revocation; the row decides in the statement that writes.
  test('a bearer that was revoked or has expired meanwhile mirrors nothing', async () => {
    const revoked = await createCaller()
    await deps.keys.revoke(revoked.keyId, now)
    const expired = await createCaller({ expiresAt: now + 1 })
    now += 1
    for (const bearer of [revoked, expired]) {
      const raw = createRawKey()
      expect(await mirror(bearer, raw)).toEqual({ mirrored: false, reason: 'not_permitted' })
      await expect(authenticate(raw)).rejects.toMatchObject({ code: 'invalid_api_key' })
    }
  })

  test('a key under the older pepper gets no second row under the newer', async () => {
    const older = { version: 1, secret: 'the pepper before' }
    const bearer = await createCaller()
    const raw = createRawKey()
    await mirrorKey({ ...deps, peppers: [older] }, bearer, { raw, name: 'mirror' })
    const both = { ...deps, peppers: [...peppers, older] as const }
    const again = await mirrorKey(both, bearer, { raw, name: 'mirror' })
    expect(again).toEqual({ mirrored: true, reason: 'already_mirrored' })
  })

  test('a mirrored key follows what its origin may do, however that changes later', async () => {
    const bearer = await createCaller({ models: ['svc-gpt', 'svc-opus'], expiresAt: NOW + 90_000 })
    const raws = [createRawKey(), createRawKey()] as const
    await mirror(bearer, raws[0])
    await mirror(await authenticate(raws[0]), raws[1])
    const change = async (keyId: string, changes: KeyChanges) => {
      const key = await deps.keys.find(keyId)
      if (key !== null) await changeKey(keyDeps(), key, changes)
    }
    const seen = async () => {
      const { models, expiresAt, limits } = await authenticate(raws[1])
      return [models, expiresAt, limits.requestsPerMinute.setFor]
    }
    expect(await seen()).toEqual([['svc-gpt', 'svc-opus'], NOW + 90_000, 'gateway'])
    await change(bearer.keyId, { models: ['svc-gpt'], expiresAt: NOW + 60_000, requestsPerMinute: 7 })
    expect(await seen()).toEqual([['svc-gpt'], NOW + 60_000, 'key'])
    await change(bearer.keyId, { models: null, expiresAt: null, requestsPerMinute: null })
    expect(await seen()).toEqual([null, null, 'gateway'])
    // One in the middle may be narrowed by itself, and never widens what it came through.
    await change((await authenticate(raws[0])).keyId, { models: ['svc-opus'], expiresAt: NOW + 30_000 })
    await change(bearer.keyId, { models: ['svc-gpt', 'svc-opus'], expiresAt: NOW + 40_000 })
    expect(await seen()).toEqual([['svc-opus'], NOW + 30_000, 'gateway'])
    const { keyId } = await authenticate(raws[1])
    expect(await deps.keys.find(keyId)).toMatchObject({ models: '["svc-opus"]', expiresAt: NOW + 30_000 })
    expect(await active(bearer.accountId)).toHaveLength(3)
    now += 30_000
    expect(await active(bearer.accountId)).toHaveLength(1)
    for (const raw of raws) await expect(authenticate(raw)).rejects.toMatchObject({ code: 'invalid_api_key' })
    expect((await authenticate(bearer.rawKey)).keyId).toBe(bearer.keyId)
  })

  /** Keys that can be used, without the one that the account was made with. */
  const active = async (accountId: string) => {
    const listed = await deps.keys.list({ accountId, state: { kind: 'active', at: now }, limit: 10 })
    return listed.filter(({ name }) => name !== 'test')
  }

  test('an origin that ended ends its mirrors, over any number of steps', async () => {
    const bearer = await createCaller()
    const raws = [createRawKey(), createRawKey(), createRawKey()] as const
    await mirror(bearer, raws[0])
    await mirror(await authenticate(raws[0]), raws[1])
    await mirror(await authenticate(raws[1]), raws[2])
    const untouched = createRawKey()
    await mirror(await createCaller(), untouched)
    const middle = (await authenticate(raws[1])).keyId
    expect(await revokeKey({ store: deps.keys, clock: deps.clock }, middle)).toEqual({ status: 'revoked', mirrors: 1 })
    expect((await authenticate(raws[0])).keyId).not.toBe(middle)
    for (const raw of raws.slice(1)) await expect(authenticate(raw)).rejects.toMatchObject({ code: 'invalid_api_key' })
    // One whose row was written while its origin ended is worth nothing either.
    const { accountId } = bearer
    await deps.keys.revoke(bearer.keyId, now)
    const { database } = opened
    const late = database.read.updateTable('api_key').set({ revoked_at: null }).where('mirrored_by', 'is not', null)
    await database.write([late.compile()])
    for (const raw of raws) await expect(authenticate(raw)).rejects.toMatchObject({ code: 'invalid_api_key' })
    expect(await active(accountId)).toEqual([])
    expect((await authenticate(untouched)).accountId).not.toBe(accountId)
  })

  test('a chain of mirrored keys has an end', async () => {
    let bearer: Caller = await createCaller()
    for (let depth = 0; depth < MIRROR_DEPTH_MAX; depth++) {
      const raw = createRawKey()
      expect(await mirror(bearer, raw)).toEqual({ mirrored: true })
      bearer = await authenticate(raw)
    }
    expect(await mirror(bearer, createRawKey())).toEqual({ mirrored: false, reason: 'not_permitted' })
  })

  test('the successor of a mirrored key follows the same origin', async () => {
    const bearer = await createCaller({ models: ['svc-gpt'], expiresAt: NOW + 60_000 })
    const raw = createRawKey()
    await mirror(bearer, raw)
    const { keyId } = await authenticate(raw)
    const rotation = { keyId, overlapMs: 0, userId: null }
    const next = await rotateKey({ store: deps.keys, peppers, clock: deps.clock }, rotation)
    expect(await authenticate(next.rawKey)).toMatchObject({ originIds: [bearer.keyId], models: ['svc-gpt'] })
    await deps.keys.revoke(bearer.keyId, now)
    await expect(authenticate(next.rawKey)).rejects.toMatchObject({ code: 'invalid_api_key' })
  })
}

describeEachEngine('mirrored keys', suite)
