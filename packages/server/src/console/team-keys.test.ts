import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

interface Made {
  readonly id: string
  readonly key: string
  readonly display: string
}

interface Listed {
  readonly data: readonly {
    readonly id: string
    readonly name: string
    readonly status: string
    readonly budget_credits: number | null
    readonly budget_used: number
    readonly expires_at: number | null
    readonly is_own: boolean
    readonly made_by: { readonly name: string } | null
  }[]
}

interface UsageList {
  readonly data: readonly { readonly request_id: string; readonly key_name: string; readonly credits_charged: number }[]
  readonly totals: { readonly requests: number; readonly credits_charged: number }
  readonly has_more: boolean
  readonly last_id: string
}

describeEachEngine('keys of a team', (engine) => {
  const gateway = useGateway(() => ({ engine }))
  let browser: BrowserSession
  let team: { readonly accountId: string; readonly teamId: string }
  let base = ''
  const setRole = async (role: 'admin' | 'member' | 'viewer'): Promise<void> => {
    const { user } = await browser.json<{ user: { id: string } }>('GET', '/console/session')
    const store = createTeamStore(gateway.gateway.database)
    const member = { teamId: team.teamId, userId: user.id }
    if (!(await store.addMember({ ...member, role, createdAt: Date.now() }))) {
      const [before] = (await store.listMembers(member.teamId)).filter(({ userId }) => userId === member.userId)
      await store.setRole({ ...member, from: before?.role ?? role, to: role, now: Date.now() })
    }
  }

  beforeAll(async () => {
    browser = createBrowserSession(gateway.baseUrl)
    await browser.json('POST', '/auth/sign-in/demo', {})
    team = await createTestAccount(gateway.gateway, '500', 'Crew')
    base = `/console/teams/${team.teamId}`
    await setRole('admin')
  })

  const chat = (key: string): Promise<Response> =>
    fetch(`${gateway.v1}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 16 }),
    })
  const statusOf = async (key: string): Promise<number> => {
    const response = await chat(key)
    await response.text()
    return response.status
  }
  const make = (body: object): Promise<Made> => browser.json<Made>('POST', `${base}/keys`, body)
  const list = (): Promise<Listed> => browser.json<Listed>('GET', `${base}/keys`)
  const codeOf = async (response: Response): Promise<unknown> =>
    ((await response.json()) as { error: { code: string; param: string | null } }).error

  test('a key works at once, is listed without its secret, and is dead at once when revoked', async () => {
    const made = await make({ name: ' laptop ', budget: { credits: '2.5', period: 'monthly' } })
    expect(await statusOf(made.key)).toBe(200)
    const text = JSON.stringify(await list())
    expect(text).not.toContain(made.key)
    const listed = (await list()).data.find(({ id }) => id === made.id)
    expect(listed).toMatchObject({ name: 'laptop', status: 'active', budget_credits: 2.5, is_own: true })
    expect(listed?.made_by).toEqual({ id: expect.any(String), name: 'Demo' })
    await browser.json('DELETE', `${base}/keys/${made.id}`)
    expect(await statusOf(made.key)).toBe(401)
    expect((await list()).data.find(({ id }) => id === made.id)?.status).toBe('revoked')
    // Keys in use and keys that have ended are pages of their own, so that many of one kind hide none of the other.
    const of = (state: string): Promise<Listed> => browser.json<Listed>('GET', `${base}/keys?state=${state}`)
    expect((await of('active')).data.every(({ status }) => status === 'active')).toBe(true)
    expect((await of('ended')).data.map(({ id }) => id)).toContain(made.id)
    expect((await of('ended')).data.every(({ status }) => status !== 'active')).toBe(true)
    expect((await browser.call('GET', `${base}/keys?state=old`)).status).toBe(400)
    // Twice is no mistake.
    expect((await browser.call('DELETE', `${base}/keys/${made.id}`)).status).toBe(200)
  })

  test('what makes no sense is refused with the field’s name', async () => {
    for (const [body, param] of [
      [{}, 'name'],
      [{ name: '  ' }, 'name'],
      [{ name: 'a', budget: { credits: '-1', period: 'daily' } }, 'budget.credits'],
      [{ name: 'a', budget: { credits: '1', period: 'hourly' } }, 'budget.period'],
      [{ name: 'a', budget: { credits: '10000000000', period: 'none' } }, 'budget.credits'],
      [{ name: 'a', expires_at: 5 }, 'expires_at'],
      [{ name: 'a', expires_at: Number.MAX_SAFE_INTEGER }, 'expires_at'],
      [{ name: 'a', models: [] }, 'models'],
    ] as const) {
      const response = await browser.call('POST', `${base}/keys`, body)
      expect([response.status, await codeOf(response)]).toMatchObject([400, { param }])
    }
  })

  test('a rotated key works beside its successor for the overlap, and both spend one budget', async () => {
    const old = await make({ name: 'server', budget: { credits: '3', period: 'none' } })
    expect(await statusOf(old.key)).toBe(200)
    const next = await browser.json<Made>('POST', `${base}/keys/${old.id}/rotate`, { overlap_hours: 24 })
    expect(await statusOf(next.key)).toBe(200)
    expect(await statusOf(old.key)).toBe(200)
    await gateway.settled()
    const { data } = await list()
    const [first, second] = [old.id, next.id].map((id) => data.find((key) => key.id === id))
    expect(second).toMatchObject({ name: 'server', budget_credits: 3, expires_at: null })
    expect(first?.expires_at).toBeGreaterThan(Date.now() / 1_000 + 23 * 3_600)
    expect(second?.budget_used).toBe(first?.budget_used)
    expect(second?.budget_used).toBeGreaterThan(0)
  })

  test('without an overlap the old key ends at once, and cannot be rotated again', async () => {
    const old = await make({ name: 'leaked' })
    const next = await browser.json<Made>('POST', `${base}/keys/${old.id}/rotate`, { overlap_hours: 0 })
    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([401, 200])
    const again = await browser.call('POST', `${base}/keys/${old.id}/rotate`, { overlap_hours: 0 })
    expect(await codeOf(again)).toMatchObject({ code: 'key_not_found' })
  })

  test('a change of a key holds from the next request on, and what it has spent stays', async () => {
    const { id, key } = await make({ name: 'draft', budget: { credits: '3', period: 'none' } })
    const change = (body: object): Promise<Listed['data'][number]> =>
      browser.json<Listed['data'][number]>('PATCH', `${base}/keys/${id}`, body)
    expect(await statusOf(key)).toBe(200)
    await gateway.settled()
    const { budget_used: spent } = await browser.json<Listed['data'][number]>('GET', `${base}/keys/${id}`)
    expect(spent).toBeGreaterThan(0)
    expect(await change({ name: ' final ' })).toMatchObject({ name: 'final', budget_credits: 3, budget_used: spent })

    expect(await change({ budget: { credits: '0.000000001', period: 'none' } })).toMatchObject({ budget_used: spent })
    expect(await statusOf(key)).toBe(402)
    expect(await change({ budget: null, models: ['svc-claude'] })).toMatchObject({ budget_credits: null })
    expect(await statusOf(key)).toBe(403)
    const end = Math.floor(Date.now() / 1_000) + 3_600
    expect(await change({ models: null, expires_at: end })).toMatchObject({ expires_at: end, name: 'final' })
    expect(await statusOf(key)).toBe(200)

    const bad = await browser.call('PATCH', `${base}/keys/${id}`, { name: 'ok', expires_at: 5 })
    expect(await codeOf(bad)).toMatchObject({ code: 'invalid_value', param: 'expires_at' })
    const far = await browser.call('PATCH', `${base}/keys/${id}`, { expires_at: Number.MAX_SAFE_INTEGER })
    expect(await codeOf(far)).toMatchObject({ code: 'invalid_value', param: 'expires_at' })
    await browser.json('DELETE', `${base}/keys/${id}`)
    expect(await codeOf(await browser.call('PATCH', `${base}/keys/${id}`, { name: 'late' }))).toMatchObject({
      code: 'key_not_found',
    })
    expect((await browser.call('GET', `${base}/keys/${gateway.keyId}`)).status).toBe(404)
  })

  test('another period of a budget counts from the period that runs, and the audit agrees', async () => {
    const { id, key } = await make({ name: 'periods', budget: { credits: '3', period: 'daily' } })
    for (const period of ['monthly', 'none', 'weekly'] as const) {
      expect(await statusOf(key)).toBe(200)
      await browser.json('PATCH', `${base}/keys/${id}`, { budget: { credits: '3', period } })
    }
    expect(await statusOf(key)).toBe(200)
    await gateway.settled()
    await gateway.audit()
  })

  test('a member reaches their own keys and requests alone; a member who may see all sees all', async () => {
    const mine = await make({ name: 'mine' })
    const other = await gateway.createKey({ ...team, name: 'theirs', createdBy: 'somebody-else' })
    const command = await gateway.createKey({ ...team, name: 'by command' })
    for (const key of [mine.key, other.rawKey, command.rawKey]) expect(await statusOf(key)).toBe(200)
    await gateway.settled()
    const foreign = (await browser.json<UsageList>('GET', `${base}/usage?key=${other.keyId}`)).data[0]

    await setRole('member')
    const names = new Set((await list()).data.map(({ name }) => name))
    expect(names.has('mine')).toBe(true)
    expect(names.has('theirs') || names.has('by command')).toBe(false)
    expect((await browser.call('DELETE', `${base}/keys/${other.keyId}`)).status).toBe(404)
    const rotated = await browser.call('POST', `${base}/keys/${other.keyId}/rotate`, { overlap_hours: 0 })
    expect(rotated.status).toBe(404)
    const own = await browser.json<UsageList>('GET', `${base}/usage`)
    expect(own.data.every(({ key_name: name }) => name !== 'theirs' && name !== 'by command')).toBe(true)
    expect(own.totals.requests).toBe(own.data.length)
    expect((await browser.call('GET', `${base}/usage/${foreign?.request_id ?? ''}`)).status).toBe(404)
    expect((await browser.json<UsageList>('GET', `${base}/usage?key=${other.keyId}`)).data).toEqual([])

    await setRole('viewer')
    expect((await browser.json<UsageList>('GET', `${base}/usage`)).totals.requests).toBe(own.totals.requests + 2)
    expect((await browser.call('GET', `${base}/usage/${foreign?.request_id ?? ''}`)).status).toBe(200)
    await setRole('admin')
    await browser.json('DELETE', `${base}/keys/${other.keyId}`)
    expect(await statusOf(other.rawKey)).toBe(401)
  })

  test('a key of another team is not there', async () => {
    expect((await browser.call('DELETE', `${base}/keys/${gateway.keyId}`)).status).toBe(404)
    expect(await statusOf(gateway.key)).toBe(200)
  })

  test('pages, totals and days add up to the balance that is gone', async () => {
    await gateway.settled()
    const all = await browser.json<UsageList>('GET', `${base}/usage?limit=200`)
    const first = await browser.json<UsageList>('GET', `${base}/usage?limit=2`)
    const second = await browser.json<UsageList>('GET', `${base}/usage?limit=200&after=${first.last_id}`)
    expect([...first.data, ...second.data].map(({ request_id: id }) => id)).toEqual(
      all.data.map(({ request_id: id }) => id),
    )
    const balance = await browser.json<{ credits: number; credits_available: number; usd: number }>(
      'GET',
      `${base}/balance`,
    )
    expect(all.totals.credits_charged).toBeCloseTo(500 - balance.credits, 8)
    expect(balance.credits_available).toBe(balance.credits)
    const days = await browser.json<{ data: { credits_charged: number; requests: number }[] }>(
      'GET',
      `${base}/usage-days?days=2`,
    )
    expect(days.data.reduce((sum, { requests }) => sum + requests, 0)).toBe(all.totals.requests)
    expect(days.data.reduce((sum, day) => sum + day.credits_charged, 0)).toBeCloseTo(all.totals.credits_charged, 8)
  })
})
