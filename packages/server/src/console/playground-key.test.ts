import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { PLAYGROUND_KEY_MS } from '../access/keys/playground-keys.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

interface Made {
  readonly id: string
  readonly key: string
  readonly expires_at: number
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly status: string; readonly is_playground: boolean }[]
}

const SESSION_COOKIE = 'svc.session_token'

describeEachEngine('keys of the playground', (engine) => {
  const gateway = useGateway(() => ({ engine, clock: { now: () => Date.now() + aheadMs } }))
  let browser: BrowserSession
  let team: { readonly accountId: string; readonly teamId: string }
  let userId = ''
  let base = ''
  let aheadMs = 0

  beforeAll(async () => {
    team = await createTestAccount(gateway.gateway, '500', 'Crew')
    base = `/console/teams/${team.teamId}`
    const { user } = await (await signIn()).json<{ user: { id: string } }>('GET', '/console/session')
    userId = user.id
    await teams().addMember({ teamId: team.teamId, userId, role: 'admin', createdAt: Date.now() })
  })
  beforeEach(async () => {
    browser = await signIn()
  })

  const teams = () => createTeamStore(gateway.gateway.database)
  async function signIn(): Promise<BrowserSession> {
    const made = createBrowserSession(gateway.baseUrl)
    await made.json('POST', '/auth/sign-in/demo', {})
    return made
  }
  const mint = (from = browser): Promise<Made> => from.json<Made>('POST', `${base}/playground-key`)
  const post = (key: string, path: string, body: object): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const chat = (key: string, more: object = {}): Promise<Response> =>
    post(key, '/v1/chat/completions', { model: 'svc-gpt', messages: [{ role: 'user', content: 'Hi' }], ...more })
  const statusOf = async (key: string): Promise<number> => (await gateway.fetch('/v1/balance', { key })).status
  const codeOf = async (response: Response): Promise<string> =>
    ((await response.json()) as { error: { code: string } }).error.code

  test('one asks models, spends the credits of the team, and shows as "Playground" in its usage', async () => {
    const { key } = await mint()
    expect((await chat(key)).status).toBe(200)
    await gateway.settled()
    const { data, totals } = await browser.json<{
      data: { key_name: string; credits_charged: number }[]
      totals: { requests: number }
    }>('GET', `${base}/usage?key=playground`)
    expect(data[0]).toMatchObject({ key_name: 'Playground' })
    expect(data[0]?.credits_charged).toBeGreaterThan(0)
    expect(totals.requests).toBe(data.length)
    expect(gateway.logged.join('\n')).not.toContain(key)
  })

  test('one may do nothing but ask models: no claim, no mirror', async () => {
    const { key } = await mint()
    const raw = (await mint(await signIn())).key
    const mirror = await post(key, '/keys/mirror', { raw, name: 'x' })
    expect(await mirror.json()).toMatchObject({ mirrored: false })
    const claim = await post(key, '/deposits/claim', { chain_id: 1, tx_hash: `0x${'0'.repeat(64)}` })
    expect(await codeOf(claim)).toBe('key_scope_denied')
  })

  test('roles that may not play get none', async () => {
    for (const role of ['viewer', 'billing'] as const) {
      const { teamId } = await createTestAccount(gateway.gateway, '5', role)
      await teams().addMember({ teamId, userId, role, createdAt: Date.now() })
      const response = await browser.call('POST', `/console/teams/${teamId}/playground-key`)
      expect([role, response.status, await codeOf(response)]).toEqual([role, 403, 'role_denied'])
    }
  })

  test('a page of another origin gets none, even with the cookie', async () => {
    const foreign = createBrowserSession(gateway.baseUrl, { origin: 'http://evil.example' })
    foreign.cookies.set(SESSION_COOKIE, browser.cookies.get(SESSION_COOKIE) ?? '')
    const response = await foreign.call('POST', `${base}/playground-key`)
    expect([response.status, await codeOf(response)]).toEqual([403, 'foreign_origin'])
  })

  test('signing out ends it, and a stream that runs with it', async () => {
    const { key } = await mint()
    const stream = await chat(key, { model: 'svc-sandbox/stall@1', stream: true })
    expect(stream.status).toBe(200)
    await browser.json('POST', '/auth/sign-out', {})
    expect(await statusOf(key)).toBe(401)
    expect((await chat(key)).status).toBe(401)
    expect(await stream.text()).toContain('"error"')
  })

  test('it ends when its session is ended from another browser, and no other does', async () => {
    const other = await signIn()
    const [mine, theirs] = [await mint(), await mint(other)]
    const { data } = await other.json<{ data: { id: string; is_current: boolean }[] }>('GET', '/console/sessions')
    const ended = data.find(({ is_current: isCurrent }) => isCurrent)?.id ?? ''
    await browser.json('DELETE', `/console/sessions/${ended}`)
    expect([await statusOf(mine.key), await statusOf(theirs.key)]).toEqual([200, 401])
    const third = await signIn()
    const last = await mint(third)
    await browser.json('DELETE', '/console/sessions')
    expect([await statusOf(mine.key), await statusOf(last.key)]).toEqual([200, 401])
  })

  test('it is worth nothing without its session, however that went', async () => {
    const { key } = await mint()
    expect(await statusOf(key)).toBe(200)
    const { user } = await browser.json<{ user: { session_id: string } }>('GET', '/console/session')
    const { database } = gateway.gateway
    await database.write([
      { sql: `delete from sign_in_session where id = '${user.session_id}'`, parameters: [] } as never,
    ])
    expect(await statusOf(key)).toBe(401)
  })

  test('it is listed apart from the others, can be revoked, and cannot be replaced', async () => {
    const { id, key } = await mint()
    const list = async (query = '') =>
      (await browser.json<Listed>('GET', `${base}/keys${query}`)).data.find((each) => each.id === id)
    expect(await list('?state=playground')).toMatchObject({ status: 'active', is_playground: true })
    for (const others of ['', '?state=active', '?state=ended']) expect(await list(others)).toBeUndefined()
    const rotated = await browser.call('POST', `${base}/keys/${id}/rotate`, { overlap_hours: 0 })
    expect([rotated.status, await codeOf(rotated)]).toEqual([404, 'key_not_found'])
    expect(await statusOf(key)).toBe(200)
    await browser.json('DELETE', `${base}/keys/${id}`)
    expect(await statusOf(key)).toBe(401)
    // Who looks for it finds it, and what it was spent on.
    expect(await list('?state=playground')).toMatchObject({ status: 'revoked', is_playground: true })
    for (const others of ['', '?state=active', '?state=ended']) expect(await list(others)).toBeUndefined()
    expect(await browser.json('GET', `${base}/keys/${id}`)).toMatchObject({ id, status: 'revoked' })
  })

  test('all pages of a session share one, and another session has another', async () => {
    const pages = await Promise.all([mint(), mint(), mint()])
    const [first] = pages
    expect(new Set([...pages, await mint()].map(({ id, key }) => `${id} ${key}`))).toEqual(
      new Set([`${first.id} ${first.key}`]),
    )
    expect((await mint(await signIn())).key).not.toBe(first.key)
    // One that was revoked stays so: the next is another.
    await browser.json('DELETE', `${base}/keys/${first.id}`)
    const next = await mint()
    expect([next.key === first.key, await statusOf(first.key), await statusOf(next.key)]).toEqual([false, 401, 200])
    expect(await mint()).toEqual(next)
  })

  test('a page whose key ends soon gets the next one, and both work meanwhile', async () => {
    const first = await mint()
    aheadMs += PLAYGROUND_KEY_MS / 2
    const next = await mint()
    expect(next.expires_at).toBeGreaterThan(first.expires_at)
    expect([await statusOf(first.key), await statusOf(next.key)]).toEqual([200, 200])
  })

  test('it lives for half an hour at most', async () => {
    const { key, expires_at: expiresAt } = await mint()
    expect(expiresAt * 1_000).toBeLessThanOrEqual(Date.now() + aheadMs + PLAYGROUND_KEY_MS)
    expect(await statusOf(key)).toBe(200)
    aheadMs += PLAYGROUND_KEY_MS + 1_000
    expect([await statusOf(key), (await chat(key)).status]).toEqual([401, 401])
  })

  test('a person who asks for keys without end has to wait', async () => {
    const statuses: number[] = []
    while (statuses.length < 500 && statuses.at(-1) !== 429) {
      statuses.push((await browser.call('POST', `${base}/playground-key`)).status)
    }
    expect(statuses.at(-1)).toBe(429)
    aheadMs += 61_000
    expect((await browser.call('POST', `${base}/playground-key`)).status).toBe(200)
  })
})
