import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { testLimits } from '../../../testing/gateway-limits.ts'
import { createManualTimer } from '../../../testing/manual-timer.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { createAccountStore } from '../accounts/account-store.ts'
import { createAccount } from '../accounts/create-account.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { createKeyAuthenticator } from './authenticate-key.ts'
import { createKey, type KeyRequest } from './create-key.ts'
import { createKeyStore, type KeyStore } from './key-store.ts'
import { createKeyUses } from './key-uses.ts'
import { listKeys } from './list-keys.ts'
import type { Peppers } from './pepper.ts'
import { createAccountLimitStore } from './account-limit-store.ts'
import { createKeyChangeStore } from './key-change-store.ts'
import { createChangePoller } from './change-poller.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

const peppers: Peppers = [{ version: 1, secret: 'a pepper' }]
const HOUR_MS = 3_600_000

describeEachEngine('keys', (engine) => {
  let open: TestDatabase
  let store: KeyStore
  // As the real one: fractions of a millisecond, never the same.
  let readings = 0
  const clock = {
    time: Date.UTC(2026, 4, 14, 12, 30),
    now: () => clock.time,
    elapsed: () => clock.time + (readings++ % 8) / 8,
  }
  beforeAll(async () => {
    open = await openTestDatabase(engine)
    store = createKeyStore(open.database)
  })
  afterAll(() => open.close())

  async function makeAccount(capped: 'capped' | 'open' = 'open') {
    const teamCap = capped === 'capped' ? { limit: nanocreditsOf(5n), period: 'none' as const } : null
    const account = await createAccount(
      { store: createAccountStore(open.database), clock },
      { name: 'A team', teamCap },
    )
    if (account === null) throw new Error('the account was not made')
    return account
  }
  const deps = () => ({
    store,
    clock,
    gatewayLimits: testLimits,
    accountLimitStore: createAccountLimitStore(open.database),
  })
  const make = (request: KeyRequest) => createKey({ ...deps(), peppers }, request)
  const authenticator = () => createKeyAuthenticator({ ...deps(), peppers })

  describe('a new key', () => {
    test('leads to its caller, with budget, team cap, rights and models', async () => {
      const account = await makeAccount('capped')
      const { rawKey, keyId, display } = await make({
        ...account,
        name: ' laptop ',
        budget: { limit: nanocreditsOf(7n), period: 'monthly' },
        models: ['svc-gpt'],
        rights: ['inference'],
      })
      const caller = await authenticator().authenticate(`Bearer ${rawKey}`, 'fresh')
      expect(caller).toMatchObject({
        ...account,
        keyId,
        display,
        keyName: 'laptop',
        models: ['svc-gpt'],
        expiresAt: null,
      })
      expect([...caller.rights]).toEqual(['inference'])
      expect(caller.teamBudgetId).not.toBeNull()
      expect(caller.keyBudgetId).not.toBe(caller.teamBudgetId)
    })

    test('has a budget row that caps nothing when no budget was asked for', async () => {
      const account = await makeAccount()
      const { keyId } = await make({ ...account, name: 'x' })
      expect(await store.find(keyId)).toMatchObject({ budgetLimit: null, budgetPeriod: 'none' })
    })

    test('is stored as its hash alone', async () => {
      const { rawKey } = await make({ ...(await makeAccount()), name: 'canary' })
      const rows = await open.database.read.selectFrom('api_key').selectAll().where('name', '=', 'canary').execute()
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain(rawKey.slice(11, -4))
    })

    test.each([
      ['name', { name: ' ' }],
      ['name', { name: 'x'.repeat(65) }],
      ['name', { name: 'a\nb' }],
      ['budget', { budget: { limit: nanocreditsOf(0n), period: 'none' as const } }],
      ['expires_at', { expiresAt: Date.UTC(2020, 1) }],
      ['models', { models: [] }],
      ['rights', { rights: [] }],
    ])('is refused for a wrong %s', async (param, part) => {
      const account = await makeAccount()
      await expect(make({ ...account, name: 'x', ...part })).rejects.toMatchObject({ code: 'invalid_value', param })
    })
  })

  test('a revoked key is refused everywhere, and revoking it again changes nothing', async () => {
    const { rawKey, keyId } = await make({ ...(await makeAccount()), name: 'x' })
    expect(await revokeKey({ store, clock }, keyId)).toMatchObject({ status: 'revoked' })
    const revokedAt = (await store.find(keyId))?.revokedAt
    clock.time += 1_000
    expect(await revokeKey({ store, clock }, keyId)).toMatchObject({ status: 'already_revoked' })
    expect((await store.find(keyId))?.revokedAt).toBe(revokedAt)
    expect(await revokeKey({ store, clock }, 'nobody')).toMatchObject({ status: 'unknown_key' })
    for (const freshness of ['cached', 'fresh'] as const) {
      await expect(authenticator().authenticate(`Bearer ${rawKey}`, freshness)).rejects.toThrow(ServiceError)
    }
  })

  describe('a rotation', () => {
    const rotate = (over: Partial<KeyStore>, keyId: string, overlapMs: number) =>
      rotateKey({ store: { ...store, ...over }, peppers, clock }, { keyId, overlapMs, userId: null })
    const usableOf = async (accountId: string) =>
      (await listKeys(deps(), { accountId, limit: 10 })).filter(({ status }) => status === 'active')

    test.each([0, HOUR_MS])('has no successor of a key that was revoked meanwhile (overlap %i)', async (overlapMs) => {
      const account = await makeAccount()
      const { keyId } = await make({ ...account, name: 'leaked' })
      const find = async (id: string) => {
        const found = await store.find(id)
        await store.revoke(id, clock.time)
        return found
      }
      await expect(rotate({ find }, keyId, overlapMs)).rejects.toMatchObject({ code: 'key_not_found' })
      expect(await usableOf(account.accountId)).toEqual([])
    })

    test('gives the new key what the old one was narrowed to meanwhile', async () => {
      const { keyId } = await make({ ...(await makeAccount()), name: 'wide' })
      const find = async (id: string) => {
        const found = await store.find(id)
        const limit = { budgetId: found!.budgetId, requestsPerMinute: 7 }
        await store.change(id, { changedAt: clock.time, models: '["svc-gpt"]', limit })
        return found
      }
      const next = await rotate({ find }, keyId, HOUR_MS)
      expect(await store.find(next.keyId)).toMatchObject({ models: '["svc-gpt"]', requestsPerMinute: 7 })
    })

    // Whatever a process does after its write, or does not any more.
    test.each([0, HOUR_MS])('ends the old key in the step that makes the new one (overlap %i)', async (overlapMs) => {
      const account = await makeAccount()
      const { keyId } = await make({ ...account, name: 'server' })
      const gone = () => Promise.reject(new Error('the process is gone'))
      const next = await rotate({ revoke: gone, change: gone }, keyId, overlapMs)
      clock.time += overlapMs
      expect((await usableOf(account.accountId)).map((key) => key.keyId)).toEqual([next.keyId])
    })
  })

  test('an expired key is refused', async () => {
    const expiresAt = clock.time + 5_000
    const { rawKey } = await make({ ...(await makeAccount()), name: 'x', expiresAt })
    await expect(authenticator().authenticate(`Bearer ${rawKey}`, 'fresh')).resolves.toMatchObject({ expiresAt })
    clock.time = expiresAt
    await expect(authenticator().authenticate(`Bearer ${rawKey}`, 'fresh')).rejects.toThrow(ServiceError)
  })

  test('keys are listed newest first, page by page, with what they are', async () => {
    const account = await makeAccount()
    const ids: string[] = []
    for (const name of ['first', 'second', 'third']) ids.push((await make({ ...account, name })).keyId)
    await revokeKey({ store, clock }, ids[1] ?? '')
    const { accountId } = account
    const page = await listKeys(deps(), { accountId, limit: 2 })
    expect(page.map((key) => [key.name, key.status])).toEqual([
      ['third', 'active'],
      ['second', 'revoked'],
    ])
    const rest = await listKeys(deps(), { accountId, limit: 2, after: page[1]?.keyId ?? '' })
    expect(rest.map((key) => key.name)).toEqual(['first'])
  })

  test('what a passed period has spent is not shown as spent', async () => {
    const account = await makeAccount()
    const budget = { limit: nanocreditsOf(9n), period: 'daily' as const }
    const { keyId } = await make({ ...account, name: 'x', budget })
    const record = await store.find(keyId)
    const spend = open.database.read
      .insertInto('budget_window')
      .values({ budget_id: record?.budgetId ?? '', window_start: Date.UTC(2026, 4, 14), spent: 4n, reserved: 0n })
    await open.database.write([spend.compile()])
    const spentOf = async () => (await listKeys(deps(), { accountId: account.accountId, limit: 1 }))[0]?.budget
    expect(await spentOf()).toMatchObject({ spent: 4n, limit: 9n, resetsAt: Date.UTC(2026, 4, 15) })
    clock.time += 24 * HOUR_MS
    expect(await spentOf()).toMatchObject({ spent: 0n, resetsAt: Date.UTC(2026, 4, 16) })
  })

  test('a revocation by another process is reported once', async () => {
    const timer = createManualTimer()
    const reported: string[] = []
    const revocations = createChangePoller({
      list: createKeyChangeStore(open.database).listRevokedSince,
      clock,
      timer,
      onChange: (keyId) => reported.push(keyId),
      onError: (error) => expect(error).toBeUndefined(),
    })
    const before = await make({ ...(await makeAccount()), name: 'before' })
    const account = await makeAccount()
    const keys = [await make({ ...account, name: 'a' }), await make({ ...account, name: 'b' })]
    await revokeKey({ store, clock }, before.keyId)
    clock.time += HOUR_MS
    revocations.start()
    await timer.tick()
    expect(reported).toEqual([])

    const elsewhere = createKeyStore(await open.openAgain())
    // Its clock is behind ours.
    await elsewhere.revoke(keys[0]?.keyId ?? '', clock.time - 20_000)
    await timer.tick()
    await timer.tick()
    expect(reported).toEqual([keys[0]?.keyId])
    clock.time += 10_000
    await elsewhere.revoke(keys[1]?.keyId ?? '', clock.time)
    for (let minute = 0; minute < 5; minute++) {
      await timer.tick()
      clock.time += 60_000
    }
    expect(reported).toEqual([keys[0]?.keyId, keys[1]?.keyId])
    revocations.stop()
    expect(timer.running).toBe(0)
  })

  test('more keys than one page holds, revoked or changed at one moment, are all reported', async () => {
    const timer = createManualTimer()
    const changes = createKeyChangeStore(open.database)
    const onError = (error: unknown) => expect(error).toBeUndefined()
    clock.time += HOUR_MS
    const polls = [changes.listRevokedSince, changes.listChangedSince].map((list) => {
      const reported = new Set<string>()
      const poll = createChangePoller({ list, clock, timer, onChange: (id) => reported.add(id), onError })
      poll.start()
      return { poll, reported }
    })
    const account = await makeAccount()
    const first = await make({ ...account, name: 'first' })
    const { read } = open.database
    const row = await read.selectFrom('api_key').selectAll().where('key_id', '=', first.keyId).executeTakeFirstOrThrow()
    const copies = Array.from({ length: 2_100 }, (_, index) => {
      const id = `${first.keyId}-${index}`
      return { ...row, key_id: id, key_hash: id, revoked_at: clock.time, changed_at: clock.time }
    })
    await open.database.write(copies.map((copy) => read.insertInto('api_key').values(copy).compile()))
    await createAccountLimitStore(open.database).set(account.accountId, { streamsAtOnce: 3 }, clock.time)
    await timer.tick()
    // The account is among what was changed.
    expect(polls.map(({ reported }) => reported.size)).toEqual([2_100, 2_101])
    for (const { poll } of polls) poll.stop()
    expect(timer.running).toBe(0)
  })

  test('a change of a key or of its account’s limits by another process is reported, once each time', async () => {
    const timer = createManualTimer()
    const reported: string[] = []
    const changes = createChangePoller({
      list: createKeyChangeStore(open.database).listChangedSince,
      clock,
      timer,
      onChange: (id) => reported.push(id),
      onError: (error) => expect(error).toBeUndefined(),
    })
    clock.time += HOUR_MS
    const account = await makeAccount()
    const key = await make({ ...account, name: 'a' })
    await make({ ...account, name: 'untouched' })
    changes.start()
    await timer.tick()
    expect(reported).toEqual([])

    const database = await open.openAgain()
    const [keys, limits] = [createKeyStore(database), createAccountLimitStore(database)]
    const change = { expiresAt: clock.time + HOUR_MS }
    await keys.change(key.keyId, { ...change, changedAt: clock.time - 20_000 })
    await limits.set(account.accountId, { streamsAtOnce: 3 }, clock.time)
    await timer.tick()
    await timer.tick()
    expect(reported).toEqual([key.keyId, account.accountId])
    clock.time += 10_000
    await keys.change(key.keyId, { ...change, changedAt: clock.time })
    await limits.set(account.accountId, { requestsPerMinute: 30 }, clock.time)
    await timer.tick()
    await timer.tick()
    expect(reported.slice(2).toSorted()).toEqual([account.accountId, key.keyId].toSorted())
    expect(await limits.find(account.accountId)).toEqual({
      ...{ requestsPerMinute: 30, accountRequestsPerMinute: null, streamsAtOnce: 3 },
    })
    changes.stop()
  })

  test('uses are written in batches, to the hour, and never back', async () => {
    const timer = createManualTimer()
    const uses = createKeyUses({ store, timer, onError: (error) => expect(error).toBeUndefined() })
    const { keyId } = await make({ ...(await makeAccount()), name: 'x' })
    const lastUse = async () => (await store.find(keyId))?.lastUsedAt
    uses.start()
    const noon = Date.UTC(2026, 4, 14, 12)
    uses.note(keyId, noon + 5)
    expect(await lastUse()).toBeNull()
    await timer.tick()
    expect(await lastUse()).toBe(noon)
    uses.note(keyId, noon + HOUR_MS)
    await uses.stop()
    expect(await lastUse()).toBe(noon + HOUR_MS)
    await store.noteUses(new Map([[keyId, noon]]))
    expect(await lastUse()).toBe(noon + HOUR_MS)
    expect(timer.running).toBe(0)
  })
})
