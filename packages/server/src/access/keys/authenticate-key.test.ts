import { describe, expect, test } from 'vitest'
import { testLimits } from '../../../testing/gateway-limits.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { createKeyAuthenticator, type KeyAuthenticator } from './authenticate-key.ts'
import type { Caller } from './caller.ts'
import type { ValidKey } from './key-store.ts'
import type { Peppers } from './pepper.ts'
import { createRawKey, hashKey } from './raw-key.ts'

const peppers: Peppers = [
  { version: 2, secret: 'the pepper of today' },
  { version: 1, secret: 'the pepper of before' },
]

/** A store that counts its questions, a clock that moves by hand, and an authenticator over both. */
function setUp() {
  const keys = new Map<string, ValidKey>()
  const counts = { reads: 0 }
  const clock = { time: 1_000_000, now: () => clock.time, elapsed: () => clock.time }
  const authenticator = createKeyAuthenticator({
    peppers,
    clock,
    gatewayLimits: testLimits,
    store: {
      findValid: async (hashes, now) => {
        counts.reads++
        const key = hashes.map((hash) => keys.get(hash)).find((found) => found !== undefined)
        return key === undefined || (key.expiresAt !== null && key.expiresAt <= now) ? null : key
      },
      findValidById: async (keyId) => [...keys.values()].find((key) => key.keyId === keyId) ?? null,
    },
  })
  const addKey = (pepper: string, expiresAt: number | null = null, set: Partial<ValidKey> = {}) => {
    const rawKey = createRawKey()
    const hash = hashKey(rawKey, pepper)
    keys.set(hash, {
      keyId: `key-${keys.size}`,
      name: 'laptop',
      display: 'sk-svc-…',
      accountId: 'account',
      teamId: 'team',
      storesResponses: false,
      budgetId: 'budget',
      teamBudgetId: null,
      rights: 'inference deposits',
      models: '["svc-gpt"]',
      expiresAt,
      originIds: [],
      keyRequestsPerMinute: null,
      requestsPerMinute: null,
      accountRequestsPerMinute: null,
      streamsAtOnce: null,
      ...set,
    })
    return { rawKey, hash }
  }
  return { keys, counts, clock, authenticator, addKey }
}

type SetUp = ReturnType<typeof setUp>

async function refusalOf(authenticator: KeyAuthenticator, authorization: string | undefined): Promise<ServiceError> {
  try {
    await authenticator.authenticate(authorization, 'cached')
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('the key was accepted')
}

describe('authentication', () => {
  test('finds the caller, whatever the case of the scheme', async () => {
    const { authenticator, addKey } = setUp()
    const { rawKey } = addKey(peppers[0].secret)
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const caller = await authenticator.authenticate(`${scheme} ${rawKey}`, 'cached')
      expect(caller).toMatchObject({ keyId: 'key-0', accountId: 'account', models: ['svc-gpt'], teamBudgetId: null })
      expect([...caller.rights]).toEqual(['inference', 'deposits'])
    }
  })

  test('accepts keys of both peppers while one replaces the other', async () => {
    const { authenticator, addKey } = setUp()
    for (const pepper of ['the pepper of today', 'the pepper of before']) {
      await expect(authenticator.authenticate(`Bearer ${addKey(pepper).rawKey}`, 'fresh')).resolves.toBeDefined()
    }
    await refusalOf(authenticator, `Bearer ${addKey('a pepper of nobody').rawKey}`)
  })

  test('refuses missing, malformed, unknown and expired keys alike', async () => {
    const { authenticator, addKey, clock } = setUp()
    const expired = addKey(peppers[0].secret, clock.time).rawKey
    const { rawKey } = addKey(peppers[0].secret)
    const inputs = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      rawKey,
      `Basic ${rawKey}`,
      `Bearer ${rawKey} ${rawKey}`,
      `Bearer ${rawKey}, Bearer ${rawKey}`,
      `Bearer ${rawKey}x`,
      `Bearer sk-svc-${'a'.repeat(49)}`,
      `Bearer ${createRawKey()}`,
      `Bearer ${expired}`,
    ]
    const refusals = await Promise.all(inputs.map((input) => refusalOf(authenticator, input)))
    for (const refusal of refusals) {
      expect(refusal.code).toBe('invalid_api_key')
      expect(refusal.status).toBe(401)
      expect(refusal.message).toBe(refusals[0]?.message)
      expect(refusal.headers).toEqual({ 'www-authenticate': 'Bearer' })
    }
  })

  test('answers a wrong checksum without the database, and never remembers a wrong key', async () => {
    const { authenticator, counts } = setUp()
    await refusalOf(authenticator, `Bearer sk-svc-${'b'.repeat(49)}`)
    expect(counts.reads).toBe(0)
    const unknown = `Bearer ${createRawKey()}`
    await refusalOf(authenticator, unknown)
    await refusalOf(authenticator, unknown)
    expect(counts.reads).toBe(2)
  })
})

describe('the cache', () => {
  test('answers without a promise for five seconds, and then asks again', async () => {
    const { authenticator, addKey, counts, clock } = setUp()
    const authorization = `Bearer ${addKey(peppers[0].secret).rawKey}`
    const first = await authenticator.authenticate(authorization, 'cached')
    clock.time += 4_999
    expect(authenticator.authenticate(authorization, 'cached')).toBe(first)
    expect(counts.reads).toBe(1)
    clock.time += 1
    await authenticator.authenticate(authorization, 'cached')
    expect(counts.reads).toBe(2)
  })

  test('is not asked where a fresh answer is wanted', async () => {
    const { authenticator, addKey, counts, keys } = setUp()
    const { rawKey, hash } = addKey(peppers[0].secret)
    await authenticator.authenticate(`Bearer ${rawKey}`, 'cached')
    keys.delete(hash)
    await expect(authenticator.authenticate(`Bearer ${rawKey}`, 'fresh')).rejects.toThrow(ServiceError)
    expect(counts.reads).toBe(2)
  })

  test('forgets a revoked key at once', async () => {
    const { authenticator, addKey, keys } = setUp()
    const { rawKey, hash } = addKey(peppers[0].secret)
    const { keyId } = await authenticator.authenticate(`Bearer ${rawKey}`, 'cached')
    keys.delete(hash)
    authenticator.forget(keyId)
    expect(await refusalOf(authenticator, `Bearer ${rawKey}`)).toMatchObject({ code: 'invalid_api_key' })
  })

  test.each<[string, number | null, (parts: SetUp, caller: Caller, header: string) => unknown]>([
    ['the cache is too old', null, ({ clock }) => (clock.time += 5_000)],
    ['the key was forgotten', null, ({ authenticator }, { keyId }) => authenticator.forget(keyId)],
    ['the key ran out', 3_000, ({ clock }) => (clock.time += 3_000)],
    ['the row was read again', null, ({ authenticator }, _, header) => authenticator.authenticate(header, 'fresh')],
  ])('knows a caller as current until %s', async (_case, lasts, change) => {
    const parts = setUp()
    const { authenticator, addKey, clock } = parts
    const header = `Bearer ${addKey(peppers[0].secret, lasts === null ? null : clock.time + lasts).rawKey}`
    const caller = await authenticator.authenticate(header, 'cached')
    expect(authenticator.isCurrent(caller)).toBe(true)
    await change(parts, caller, header)
    expect(authenticator.isCurrent(caller)).toBe(false)
  })

  test('does not carry a key over its expiry', async () => {
    const { authenticator, addKey, clock } = setUp()
    const { rawKey } = addKey(peppers[0].secret, clock.time + 1_000)
    await authenticator.authenticate(`Bearer ${rawKey}`, 'cached')
    clock.time += 1_000
    expect(await refusalOf(authenticator, `Bearer ${rawKey}`)).toMatchObject({ code: 'invalid_api_key' })
  })
})

describe('limits', () => {
  const counted = { own: 'budget', unset: 'key-0' }
  const gateway = (most: number) => ({ most, setFor: 'gateway' })
  const team = (most: number) => ({ most, setFor: 'team' })
  const key = (most: number) => ({ most, setFor: 'key' })
  const known = (requestsPerMinute: object, accountRequestsPerMinute: object, streamsAtOnce = gateway(20)) => ({
    ...{ requestsPerMinute, accountRequestsPerMinute, streamsAtOnce },
  })

  test.each([
    ['nothing is set', {}, { ...known(gateway(600), gateway(6_000)), countedAs: counted.unset }],
    [
      'the key has its own',
      { keyRequestsPerMinute: 30 },
      { ...known(key(30), gateway(6_000)), countedAs: counted.own },
    ],
    [
      'the team has others',
      { requestsPerMinute: 900, accountRequestsPerMinute: 1_000, streamsAtOnce: 3 },
      { ...known(team(900), team(1_000), team(3)), countedAs: counted.unset },
    ],
    [
      'the team’s is lower than the key’s',
      { keyRequestsPerMinute: 300, requestsPerMinute: 60 },
      { ...known(team(60), team(600)), countedAs: counted.own },
    ],
  ])('a caller knows what holds where %s', async (_case, set, limits) => {
    const { authenticator, addKey } = setUp()
    const { rawKey } = addKey(peppers[0].secret, null, set)
    expect((await authenticator.authenticate(`Bearer ${rawKey}`, 'cached')).limits).toEqual(limits)
  })

  test('an account whose limits were changed is read anew, with all its keys', async () => {
    const { authenticator, addKey, counts } = setUp()
    const headers = [1, 2].map(() => `Bearer ${addKey(peppers[0].secret).rawKey}`)
    const askAll = async (): Promise<void> => {
      for (const header of headers) await authenticator.authenticate(header, 'cached')
    }
    await askAll()
    await askAll()
    expect(counts.reads).toBe(2)
    authenticator.forget('account')
    await askAll()
    expect(counts.reads).toBe(4)
  })
})
