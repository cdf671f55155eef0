import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { refusalOf } from '../../testing/people.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { DEVICE_CODE_MS } from '../access/devices/device-sign-in.ts'
import { FRESH_MS } from '../access/sign-in/sign-in.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

interface Codes {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
}

describeEachEngine('terminals that are signed in from a browser', (engine) => {
  let aheadMs = 0
  const gateway = useGateway(() => ({ engine, clock: { now: () => Date.now() + aheadMs } }))
  let browser: BrowserSession
  let base = ''
  let teamId = ''

  beforeAll(async () => {
    const team = await createTestAccount(gateway.gateway, '500', 'Crew')
    teamId = team.teamId
    base = `/console/teams/${teamId}/device`
    await signIn()
    const { user } = await browser.json<{ user: { id: string } }>('GET', '/console/session')
    const teams = createTeamStore(gateway.gateway.database)
    await teams.addMember({ teamId, userId: user.id, role: 'member', createdAt: Date.now() })
  })
  beforeEach(async () => {
    // Limits of the test before are over.
    aheadMs += 60_000
    await signIn()
  })

  async function signIn(): Promise<void> {
    browser = createBrowserSession(gateway.baseUrl)
    await browser.json('POST', '/auth/sign-in/demo', {})
  }
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const ask = async (more: object = {}): Promise<Codes> =>
    (await (await post('/v1/device/code', { device_name: 'laptop', ...more })).json()) as Codes
  const poll = async ({ device_code }: Codes) =>
    (await (await post('/v1/device/token', { device_code })).json()) as { status: string; key: string | null }
  const approval = ({ user_code }: Codes, more: object = {}) => ({
    ...{ user_code, makes_keys: false, expires_at: null },
    ...more,
  })
  const statusOf = async (key: string): Promise<number> => (await gateway.fetch('/v1/balance', { key })).status

  test('a person types the code, and the terminal gets a key of its own, the same each time it asks', async () => {
    const codes = await ask()
    expect(codes.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
    expect(codes.verification_uri).not.toContain(codes.user_code)
    expect(await poll(codes)).toMatchObject({ status: 'pending', key: null })
    const typed = ` ${codes.user_code.toLowerCase().replace('-', ' ')} `
    expect(await browser.json('POST', '/console/device', { user_code: typed })).toMatchObject({
      ...{ device_name: 'laptop', is_same_address: true, wants_keys: false },
    })
    const made = await browser.json<{ id: string; name: string }>('POST', base, approval(codes))
    expect(made.name).toBe('Terminal client on laptop')
    const { status, key } = await poll(codes)
    expect(status).toBe('approved')
    expect(await statusOf(key ?? '')).toBe(200)
    expect((await poll(codes)).key).toBe(key)
    const keys = await browser.json<{ data: { name: string; kind: string }[] }>('GET', `/console/teams/${teamId}/keys`)
    expect(keys.data).toContainEqual(expect.objectContaining({ name: made.name, kind: 'personal', is_own: true }))
    for (const secret of [key ?? '', codes.device_code, codes.user_code]) {
      expect(gateway.logged.join('\n')).not.toContain(secret)
    }
  })

  test('neither codes nor key are in the database', async () => {
    const codes = await ask()
    await browser.json('POST', base, approval(codes))
    const { key } = await poll(codes)
    const rows = await gateway.gateway.database.read.selectFrom('device_request').selectAll().execute()
    const text = JSON.stringify(rows)
    for (const secret of [key ?? '', codes.device_code, codes.user_code, codes.user_code.replace('-', '')]) {
      expect(text).not.toContain(secret)
    }
  })

  test('the key may make others only where it asks to and the person says so', async () => {
    const rightsOf = async (codes: Codes) => {
      const { key } = await poll(codes)
      const list = (await (await gateway.fetch('/v1/keys', { key: key ?? '' })).json()) as {
        data: { rights: string[] }[]
      }
      return list.data[0]?.rights
    }
    const asked = await ask({ wants_keys: true })
    await browser.json('POST', base, approval(asked, { makes_keys: true }))
    expect(await rightsOf(asked)).toContain('keys')
    const refused = await ask({ wants_keys: true })
    await browser.json('POST', base, approval(refused))
    expect(await rightsOf(refused)).not.toContain('keys')
    const never = await ask()
    await browser.json('POST', base, approval(never, { makes_keys: true }))
    expect(await rightsOf(never)).not.toContain('keys')
  })

  test('what is refused gets no key, and a code is decided once', async () => {
    const codes = await ask()
    await browser.json('POST', '/console/device/deny', { user_code: codes.user_code })
    expect(await poll(codes)).toMatchObject({ status: 'denied', key: null })
    expect(await refusalOf(await browser.call('POST', base, approval(codes)))).toEqual([404, 'device_code_not_found'])
    const twice = await ask()
    const ends = await Promise.all([1, 2, 3].map(() => browser.call('POST', base, approval(twice))))
    expect(ends.filter(({ status }) => status === 200)).toHaveLength(1)
    const { key } = await poll(twice)
    expect(await statusOf(key ?? '')).toBe(200)
  })

  test('what a terminal calls itself cannot mislead, and guessing codes is limited', async () => {
    for (const name of ['', 'x'.repeat(41), 'you\u202eevil', '<b>']) {
      expect((await post('/v1/device/code', { device_name: name })).status).toBe(400)
    }
    const guesses = await Promise.all(
      Array.from({ length: 40 }, () => browser.call('POST', '/console/device', { user_code: 'BBBB-BBBB' })),
    )
    expect(guesses.some(({ status }) => status === 429)).toBe(true)
  })

  test('a code ends by itself, for the page and for the terminal', async () => {
    const codes = await ask()
    const approved = await ask()
    await browser.json('POST', base, approval(approved))
    aheadMs += DEVICE_CODE_MS
    await signIn()
    const found = await browser.call('POST', '/console/device', { user_code: codes.user_code })
    expect(await refusalOf(found)).toEqual([404, 'device_code_not_found'])
    expect((await poll(codes)).status).toBe('expired')
    expect(await poll(approved)).toMatchObject({ status: 'expired', key: null })
    expect(await poll({ ...codes, device_code: 'unknown' })).toMatchObject({ status: 'expired', key: null })
  })

  test('approving needs a session, a fresh one, and a role that may have keys', async () => {
    const codes = await ask()
    const stranger = createBrowserSession(gateway.baseUrl)
    expect((await stranger.call('POST', '/console/device', { user_code: codes.user_code })).status).toBe(401)
    aheadMs += FRESH_MS + 1_000
    const late = await ask()
    expect(await refusalOf(await browser.call('POST', base, approval(late)))).toEqual([401, 'sign_in_again'])
    const elsewhere = '/console/teams/0198b2c4-5d6e-7f80-91a2-b3c4d5e6f708/device'
    await signIn()
    expect((await browser.call('POST', elsewhere, approval(late))).status).toBe(404)
    expect((await poll(late)).status).toBe('pending')
  })
})
