import type { JournalReply, OperatorAccountDetails, TeamKey, TeamLimits } from '@svc/contract'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { eventually } from '../../testing/eventually.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { createKeyStore } from '../access/keys/key-store.ts'
import { createAccountLimitStore } from '../access/keys/account-limit-store.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

interface Made {
  readonly id: string
  readonly key: string
}

const PER_MINUTE = 600
const STREAMS = 20

/** Less than six a minute: one comes at once, and the next waits. */
const ONE_AT_ONCE = 6

describeEachEngine('limits of keys and teams', (engine) => {
  const gateway = useGateway(() => {
    const file = { limits: { requests_per_minute: PER_MINUTE, streams_at_once: STREAMS } }
    return { engine, clock, file }
  })
  let person: BrowserSession
  let team: { readonly accountId: string; readonly teamId: string }
  let keys = ''
  let limits = ''
  // The clock is stopped: no bucket fills, and no cached key grows old.
  const clock = { time: Date.now(), now: () => clock.time }

  beforeAll(async () => {
    person = createBrowserSession(gateway.baseUrl)
    await person.json('POST', '/auth/sign-in/demo', {})
  })
  beforeEach(async () => {
    team = await createTestAccount(gateway.gateway, '500', 'Crew')
    await setRole('owner')
    keys = `/console/teams/${team.teamId}/keys`
    limits = `/console/operator/accounts/${team.accountId}/limits`
  })

  async function setRole(role: 'owner' | 'viewer'): Promise<void> {
    const { user } = await person.json<{ user: { id: string } }>('GET', '/console/session')
    const store = createTeamStore(gateway.gateway.database)
    const member = { teamId: team.teamId, userId: user.id }
    await store.addMember({ ...member, role, createdAt: 1 })
  }

  const make = (more: object = {}): Promise<Made> => person.json<Made>('POST', keys, { name: 'program', ...more })
  const read = (id: string): Promise<TeamKey> => person.json<TeamKey>('GET', `${keys}/${id}`)
  const change = (id: string, perMinute: number | null): Promise<TeamKey> =>
    person.json<TeamKey>('PATCH', `${keys}/${id}`, { requests_per_minute: perMinute })
  const setLimits = (change: object): Promise<OperatorAccountDetails['limits']> =>
    person.json<OperatorAccountDetails['limits']>('PATCH', limits, { ...change, reason: 'a contract' })

  /** Asks for nothing: it counts, and costs nothing. */
  async function ask(key: string) {
    const response = await gateway.chat({}, { key })
    const { error } = (await response.json()) as { error: { message: string } }
    const limit = Number(response.headers.get('x-ratelimit-limit-requests'))
    return { status: response.status, limit, message: error.message }
  }

  async function refusal(method: string, path: string, body: object) {
    const response = await person.call(method, path, body)
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    return { status: response.status, ...error }
  }

  test('a key’s own limit refuses what is above it, by its own name, and no other key of the team', async () => {
    const [slow, other] = [await make({ requests_per_minute: ONE_AT_ONCE }), await make()]
    expect(await ask(slow.key)).toMatchObject({ status: 400, limit: ONE_AT_ONCE })
    expect(await ask(slow.key)).toEqual({
      ...{ status: 429, limit: ONE_AT_ONCE },
      message: 'Too many requests with this key: at most 6 a minute, set for this key. Try again in 10 s.',
    })
    expect(await ask(other.key)).toMatchObject({ status: 400, limit: PER_MINUTE })
    const shown = { requests_per_minute: ONE_AT_ONCE, requests_per_minute_in_force: ONE_AT_ONCE }
    expect(await read(slow.id)).toMatchObject(shown)
    expect(await read(other.id)).toMatchObject({
      requests_per_minute: null,
      requests_per_minute_in_force: PER_MINUTE,
    })
    const { data } = await person.json<{ data: TeamKey[] }>('GET', keys)
    expect(data.find(({ id }) => id === slow.id)).toMatchObject(shown)
  })

  test('a limit that is changed or taken away holds from the next request on', async () => {
    const { id, key } = await make()
    expect((await ask(key)).limit).toBe(PER_MINUTE)
    await change(id, 120)
    expect((await ask(key)).limit).toBe(120)
    await person.json('PATCH', `${keys}/${id}`, { name: 'renamed' })
    expect((await ask(key)).limit).toBe(120)
    expect(await change(id, null)).toMatchObject({ requests_per_minute: null })
    expect((await ask(key)).limit).toBe(PER_MINUTE)
  })

  test('what another process changes holds here soon, though the key is cached', async () => {
    const [own, unset] = [await make(), await make()]
    for (const { key } of [own, unset]) expect((await ask(key)).limit).toBe(PER_MINUTE)
    const { database } = gateway.gateway
    const record = await createKeyStore(database).find(own.id)
    const limit = { budgetId: record?.budgetId ?? '', requestsPerMinute: 240 }
    await createKeyStore(database).change(own.id, { changedAt: clock.now(), limit })
    await createAccountLimitStore(database).set(team.accountId, { requestsPerMinute: 480 }, clock.now())
    await eventually(async () => expect((await ask(own.key)).limit).toBe(240))
    await eventually(async () => expect((await ask(unset.key)).limit).toBe(480))
  })

  test('no key may have more than the team’s keys, and the refusal names the highest', async () => {
    const { id } = await make()
    for (const [method, path, body] of [
      ['POST', keys, { name: 'greedy', requests_per_minute: PER_MINUTE + 1 }],
      ['PATCH', `${keys}/${id}`, { requests_per_minute: PER_MINUTE + 1 }],
    ] as const) {
      expect(await refusal(method, path, body)).toMatchObject({
        ...{ status: 400, code: 'invalid_value', param: 'requests_per_minute', highest_allowed: PER_MINUTE },
        message: expect.stringContaining(`1 to ${PER_MINUTE} requests a minute`),
      })
    }
    for (const wrong of [0, -1, 1.5, '60', 1e12]) {
      const refused = await refusal('POST', keys, { name: 'odd', requests_per_minute: wrong })
      expect([wrong, refused]).toMatchObject([wrong, { status: 400, param: 'requests_per_minute' }])
    }
    expect(await change(id, PER_MINUTE)).toMatchObject({ requests_per_minute: PER_MINUTE })
  })

  test('the operator gives a team more, or less than its keys have: then the lower counts', async () => {
    const [own, unset] = [await make({ requests_per_minute: 300 }), await make()]
    await setLimits({ requests_per_minute: 900 })
    expect((await ask(unset.key)).limit).toBe(900)
    expect((await ask(own.key)).limit).toBe(300)
    expect((await change(own.id, 900)).requests_per_minute).toBe(900)

    expect(await setLimits({ requests_per_minute: ONE_AT_ONCE })).toMatchObject({
      set: { requests_per_minute: ONE_AT_ONCE, account_requests_per_minute: null },
      in_force: {
        requests_per_minute: { most: ONE_AT_ONCE, set_for: 'team' },
        account_requests_per_minute: { most: 10 * ONE_AT_ONCE, set_for: 'team' },
      },
      defaults: { requests_per_minute: { most: PER_MINUTE, set_for: 'gateway' } },
    })
    expect(await read(own.id)).toMatchObject({
      ...{ requests_per_minute: 900, requests_per_minute_in_force: ONE_AT_ONCE },
    })
    expect(await change(own.id, 900)).toMatchObject({ requests_per_minute: 900 })
    expect((await ask(own.key)).status).toBe(400)
    expect((await ask(own.key)).message).toContain('at most 6 a minute, set for this team.')

    await setLimits({ requests_per_minute: null })
    expect((await ask(unset.key)).limit).toBe(PER_MINUTE)
    const path = `/console/operator/journal?account=${team.accountId}&action=account.limits`
    const { data } = await person.json<JournalReply>('GET', path)
    expect(data.map(({ details }) => details)).toEqual(
      ['6 → default', '900 → 6', 'default → 900'].map((value) => [{ name: 'requests_per_minute', value }]),
    )
    expect(data[0]).toMatchObject({ reason: 'a contract', outcome: 'done', way: 'console' })
  })

  test('all keys of a team together have a limit of their account', async () => {
    const [first, second] = [await make(), await make()]
    await setLimits({ account_requests_per_minute: ONE_AT_ONCE })
    expect((await ask(first.key)).status).toBe(400)
    expect(await ask(second.key)).toEqual({
      ...{ status: 429, limit: ONE_AT_ONCE },
      message: 'Too many requests of this account: at most 6 a minute, set for this team. Try again in 10 s.',
    })
    expect((await ask(gateway.key)).status).toBe(400)
  })

  test('how many streams a key has open at once is for its team’s limit to say', async () => {
    const { key } = await make()
    await setLimits({ streams_at_once: 1 })
    const client = new AbortController()
    const body = { model: 'svc-gpt', messages: [{ role: 'user', content: 'Hello!' }], stream: true }
    const open = await gateway.chat({ ...body, max_tokens: 4_000 }, { key, signal: client.signal })
    expect(open.status).toBe(200)
    const refused = await gateway.chat(body, { key })
    expect([refused.status, await refused.text()]).toEqual([
      ...[429, expect.stringContaining('streams with this key at once: at most 1, set for this team.')],
    ])
    client.abort()
  })

  test('a successor keeps the limit, and both together have it once', async () => {
    const old = await make({ requests_per_minute: ONE_AT_ONCE })
    const next = await person.json<Made>('POST', `${keys}/${old.id}/rotate`, { overlap_hours: 24 })
    expect(await read(next.id)).toMatchObject({ requests_per_minute: ONE_AT_ONCE })
    expect((await ask(old.key)).status).toBe(400)
    expect((await ask(next.key)).status).toBe(429)
    await change(next.id, 60)
    expect(await read(old.id)).toMatchObject({ requests_per_minute: 60 })
  })

  test('every member of a team sees what holds; what an account’s export says is the same', async () => {
    const viewer = await createTestAccount(gateway.gateway, '0', 'Watched')
    const kept = team
    team = viewer
    await setRole('viewer')
    const path = `/console/teams/${team.teamId}/limits`
    expect(await person.json<TeamLimits>('GET', path)).toEqual({
      requests_per_minute: { most: PER_MINUTE, set_for: 'gateway' },
      account_requests_per_minute: { most: 10 * PER_MINUTE, set_for: 'gateway' },
      streams_at_once: { most: STREAMS, set_for: 'gateway' },
    })
    team = kept
    await make({ requests_per_minute: 30 })
    await setLimits({ streams_at_once: 5 })
    const file = await person.call('GET', `/console/operator/accounts/${team.accountId}/export?reason=asked`)
    expect(JSON.parse(await file.text())).toMatchObject({
      limits: [{ requests_per_minute: null, account_requests_per_minute: null, streams_at_once: 5 }],
      keys: [{ requests_per_minute: 30 }],
    })
  })

  test('what an operator sets must be a limit, for an account that is there', async () => {
    for (const [name, value] of [
      ['requests_per_minute', 0],
      ['requests_per_minute', 10_000_001],
      ['account_requests_per_minute', 1.5],
      ['streams_at_once', '20'],
    ] as const) {
      const refused = await refusal('PATCH', limits, { [name]: value, reason: 'x' })
      expect(refused).toMatchObject({ status: 400, param: name })
    }
    expect(await refusal('PATCH', limits, { streams_at_once: 1 })).toMatchObject({ status: 400, param: 'reason' })
    const nobody = '/console/operator/accounts/nobody/limits'
    expect(await refusal('PATCH', nobody, { streams_at_once: 1, reason: 'x' })).toMatchObject({
      code: 'account_not_found',
    })
  })
})
