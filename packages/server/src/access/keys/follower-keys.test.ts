import { afterEach, beforeEach, expect, test } from 'vitest'
import { testLimits } from '../../../testing/gateway-limits.ts'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import type { DatabaseEngine } from '../../platform/db/database.ts'
import { createAccountLimitStore } from './account-limit-store.ts'
import { createKeyAuthenticator } from './authenticate-key.ts'
import type { Caller } from './caller.ts'
import { createKey, type KeyRequest } from './create-key.ts'
import { createFollower, type FollowerRequest, listFollowers, revokeFollower } from './follower-keys.ts'
import { MIRROR_DEPTH_MAX } from './key-origins.ts'
import { createKeyStore } from './key-store.ts'
import { createMirrorStore } from './mirror-store.ts'
import type { Peppers } from './pepper.ts'

const NOW = 1_795_000_000_000
const peppers: Peppers = [{ version: 2, secret: 'the pepper of these tests' }]
const PLAIN: FollowerRequest = { name: 'laptop', expiresAt: null, models: null, rights: ['inference'] }

function suite(engine: DatabaseEngine): void {
  let opened: TestDatabase
  let now: number

  beforeEach(async () => {
    opened = await openTestDatabase(engine)
    now = NOW
  })
  afterEach(() => opened.close())

  const deps = () => ({
    ...{ store: createKeyStore(opened.database), followers: createMirrorStore(opened.database), peppers },
    ...{ clock: { now: () => now, elapsed: () => now }, gatewayLimits: testLimits },
    accountLimitStore: createAccountLimitStore(opened.database),
  })
  const authenticate = async (rawKey: string): Promise<Caller> =>
    createKeyAuthenticator(deps()).authenticate(`Bearer ${rawKey}`, 'fresh')

  async function createCaller(request: Partial<KeyRequest> = {}): Promise<Caller> {
    const { accountId, teamId } = await seedCaller(opened.database)
    const made = { accountId, teamId, name: 'bearer', rights: ['inference', 'keys'] as const, ...request }
    return authenticate((await createKey(deps(), made)).rawKey)
  }
  const follow = (caller: Caller, request: Partial<FollowerRequest> = {}) =>
    createFollower(deps(), caller, { ...PLAIN, ...request })

  test('a key that is made with a key works, spends from its budget, and can do no more than was asked', async () => {
    const bearer = await createCaller({ models: ['svc-gpt', 'svc-claude'] })
    const { rawKey, summary } = await follow(bearer, { models: ['svc-gpt', 'svc-other'], expiresAt: NOW + 60_000 })
    const made = await authenticate(rawKey)
    expect(made).toMatchObject({
      ...{ accountId: bearer.accountId, teamId: bearer.teamId, keyBudgetId: bearer.keyBudgetId },
      ...{ models: ['svc-gpt'], expiresAt: NOW + 60_000, originIds: [bearer.keyId], keyName: 'laptop' },
    })
    expect([...made.rights]).toEqual(['inference'])
    expect(summary).toMatchObject({ keyId: made.keyId, status: 'active', mirroredBy: bearer.keyId })
    now += 60_000
    await expect(authenticate(rawKey)).rejects.toMatchObject({ code: 'invalid_api_key' })
  })

  test('no right is given that the maker lacks, and none is made without the right', async () => {
    const bearer = await createCaller()
    await expect(follow(bearer, { rights: ['deposits'] })).rejects.toMatchObject({ param: 'rights' })
    await expect(follow(bearer, { expiresAt: NOW })).rejects.toMatchObject({ param: 'expires_at' })
    await expect(follow(bearer, { models: [] })).rejects.toMatchObject({ param: 'models' })
    // As after its rights were taken away between the look and the write.
    const plain = await createCaller({ rights: ['inference'] })
    await expect(follow(plain)).rejects.toMatchObject({ code: 'key_scope_denied' })
  })

  test('what follows ends with the key that made it, over any number of keys, and the chain has an end', async () => {
    const bearer = await createCaller()
    const rawKeys: string[] = []
    let last = bearer
    for (let depth = 1; depth <= MIRROR_DEPTH_MAX; depth += 1) {
      const { rawKey } = await follow(last, { rights: ['inference', 'keys'] })
      rawKeys.push(rawKey)
      last = await authenticate(rawKey)
    }
    await expect(follow(last)).rejects.toMatchObject({ code: 'key_scope_denied' })
    await revokeFollower(deps(), bearer, bearer.keyId)
    for (const rawKey of rawKeys) {
      await expect(authenticate(rawKey)).rejects.toMatchObject({ code: 'invalid_api_key' })
    }
  })

  test('a key sees itself and what follows it, and revokes nothing else', async () => {
    const bearer = await createCaller()
    const stranger = await createCaller()
    const { rawKey, summary } = await follow(bearer, { rights: ['inference', 'keys'] })
    const child = await authenticate(rawKey)
    const { summary: grandchild } = await follow(child)
    const seen = async (caller: Caller) => (await listFollowers(deps(), caller)).map(({ keyId }) => keyId)
    expect(await seen(bearer)).toEqual([bearer.keyId, summary.keyId, grandchild.keyId].toSorted().toReversed())
    expect(await seen(child)).toEqual([summary.keyId, grandchild.keyId].toSorted().toReversed())
    expect(await seen(stranger)).toEqual([stranger.keyId])
    for (const [caller, keyId] of [
      [stranger, summary.keyId],
      [child, bearer.keyId],
    ] as const) {
      await expect(revokeFollower(deps(), caller, keyId)).rejects.toMatchObject({ code: 'key_not_found' })
    }
    await revokeFollower(deps(), bearer, grandchild.keyId)
    const states = (await listFollowers(deps(), bearer)).map(({ keyId, status }) => [keyId, status])
    expect(Object.fromEntries(states)).toMatchObject({ [grandchild.keyId]: 'revoked', [summary.keyId]: 'active' })
  })

  test('a key without the right revokes itself, and nothing that follows it', async () => {
    const bearer = await createCaller()
    const { summary } = await follow(bearer)
    const narrowed: Caller = { ...bearer, rights: new Set(['inference']) }
    await expect(revokeFollower(deps(), narrowed, summary.keyId)).rejects.toMatchObject({ code: 'key_scope_denied' })
    await revokeFollower(deps(), narrowed, bearer.keyId)
    expect((await listFollowers(deps(), bearer)).map(({ status }) => status)).toEqual(['revoked', 'revoked'])
  })
}

describeEachEngine('keys that are made with a key', suite)
