import type { ConsoleSession } from '@svc/contract'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { createBrowserSession, type BrowserSession } from '../../testing/browser-session.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'

const SESSION_COOKIE = 'svc.session_token'

async function signedIn(gateway: TestGateway): Promise<BrowserSession> {
  const browser = createBrowserSession(gateway.baseUrl)
  await browser.json('POST', '/auth/sign-in/demo', {})
  return browser
}

describeEachEngine('sessions of the console', (engine) => {
  const gateway = useGateway(() => ({ engine }))

  test('before a person signs in, the pages learn what is offered and nothing else', async () => {
    const visit = await createBrowserSession(gateway.baseUrl).json<ConsoleSession>('GET', '/console/session')
    expect(visit.user).toBeNull()
    expect(visit.teams).toEqual([])
    expect(visit.gateway.sign_in).toMatchObject({ demo: true, link: true, wallet: true })
  })

  test('one click signs the demo user in, who owns a team and operates the gateway', async () => {
    const browser = await signedIn(gateway)
    const visit = await browser.json<ConsoleSession>('GET', '/console/session')
    expect(visit.user).toMatchObject({ name: 'Demo', is_operator: true })
    expect(visit.teams).toHaveLength(1)
    expect(visit.teams[0]).toMatchObject({ role: 'owner', is_personal: true })
    expect(visit.gateway.sign_in.first_run).toBe(false)
  })

  test.each([
    ['through a proxy', { 'x-forwarded-for': '198.51.100.7' }],
    ['through a proxy that names itself alone', { via: '1.1 tunnel' }],
    ['through a proxy of this machine', { forwarded: 'for=127.0.0.1' }],
    ['by a host name that a stranger points at this machine', { host: 'rebound.example' }],
  ])('the demo user does not sign in %s', async (_way, headers) => {
    const ask = async (method: 'GET' | 'POST', path: string) => {
      const { origin } = new URL(gateway.baseUrl)
      const more = method === 'GET' ? {} : { body: '{}' }
      const sent = { origin, 'content-type': 'application/json', ...headers }
      const { statusCode, body } = await request(`${gateway.baseUrl}${path}`, { method, headers: sent, ...more })
      return { statusCode, body: (await body.json()) as { error?: { code: string } } & Partial<ConsoleSession> }
    }
    expect(await ask('POST', '/auth/sign-in/demo')).toMatchObject({
      statusCode: 403,
      body: { error: { code: 'role_denied' } },
    })
    const visit = await ask('GET', '/console/session')
    expect(visit.body.gateway).toMatchObject({ sign_in: { demo: false }, mail_folder: null })
  })

  test('many first visits at the same time make one team', async () => {
    const browser = await signedIn(gateway)
    const visits = await Promise.all(
      Array.from({ length: 10 }, () => browser.json<ConsoleSession>('GET', '/console/session')),
    )
    expect(new Set(visits.flatMap(({ teams }) => teams.map(({ id }) => id))).size).toBe(1)
  })

  test('without a session, with a broken cookie, and after signing out there is none', async () => {
    const stranger = createBrowserSession(gateway.baseUrl)
    expect((await stranger.call('GET', '/console/sessions')).status).toBe(401)
    stranger.cookies.set(SESSION_COOKIE, 'made.up')
    expect((await stranger.call('GET', '/console/sessions')).status).toBe(401)
    const browser = await signedIn(gateway)
    const kept = browser.cookies.get(SESSION_COOKIE) ?? ''
    await browser.json('POST', '/auth/sign-out', {})
    browser.cookies.set(SESSION_COOKIE, kept)
    expect((await browser.call('GET', '/console/sessions')).status).toBe(401)
  })

  test('a sign-in makes a new session: one that was planted before is not taken over', async () => {
    const victim = createBrowserSession(gateway.baseUrl)
    victim.cookies.set(SESSION_COOKIE, 'planted.value')
    await victim.json('POST', '/auth/sign-in/demo', {})
    expect(victim.cookies.get(SESSION_COOKIE)).not.toBe('planted.value')
  })

  test('a cookie is HttpOnly, of the same site, and never kept by a cache', async () => {
    const response = await createBrowserSession(gateway.baseUrl).call('POST', '/auth/sign-in/demo', {})
    const [cookie] = response.headers.getSetCookie()
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Lax/i)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('another origin changes nothing, with or without a cookie', async () => {
    const browser = await signedIn(gateway)
    for (const origin of ['http://evil.example', 'null', '']) {
      const foreign = createBrowserSession(gateway.baseUrl, { origin })
      foreign.cookies.set(SESSION_COOKIE, browser.cookies.get(SESSION_COOKIE) ?? '')
      for (const [method, path] of [
        ['DELETE', '/console/sessions'],
        ['POST', '/auth/sign-out'],
        ['POST', '/auth/sign-in/demo'],
      ] as const) {
        const response = await foreign.call(method, path, method === 'POST' ? {} : undefined)
        expect(response.status).toBe(403)
        expect(await response.json()).toMatchObject({ error: { code: 'foreign_origin' } })
      }
    }
    expect((await browser.call('GET', '/console/sessions')).status).toBe(200)
  })

  test('the API takes no cookie, and the console takes no key', async () => {
    const browser = await signedIn(gateway)
    expect((await browser.call('GET', '/v1/balance')).status).toBe(401)
    const withKey = createBrowserSession(gateway.baseUrl, { authorization: `Bearer ${gateway.key}` })
    expect((await withKey.call('GET', '/console/sessions')).status).toBe(401)
  })

  test('other sessions are listed and ended, one or all', async () => {
    const [here, there, elsewhere] = await Promise.all([signedIn(gateway), signedIn(gateway), signedIn(gateway)])
    const { data } = await there.json<{ data: { id: string; is_current: boolean }[] }>('GET', '/console/sessions')
    const own = data.find(({ is_current: isCurrent }) => isCurrent)
    await here.json('DELETE', `/console/sessions/${own?.id ?? ''}`)
    expect((await there.call('GET', '/console/sessions')).status).toBe(401)
    await here.json('DELETE', '/console/sessions')
    expect((await elsewhere.call('GET', '/console/sessions')).status).toBe(401)
    expect((await here.call('GET', '/console/sessions')).status).toBe(200)
    // Where there are no others, nothing is wrong.
    await here.json('DELETE', '/console/sessions')
    expect((await here.call('DELETE', '/console/sessions/nobody')).status).toBe(404)
  })

  test('what the sign-in library could do beside is not reachable', async () => {
    const browser = await signedIn(gateway)
    for (const path of [
      '/auth/get-session',
      '/auth/list-sessions',
      '/auth/sign-up/email',
      '/auth/update-user',
      '/auth/ok',
    ]) {
      expect((await browser.call('GET', path)).status).toBe(404)
      expect((await browser.call('POST', path, {})).status).toBe(404)
    }
  })
})

test('a person who is signed in is counted by themselves, however busy their address is', async () => {
  // The default limits: the pages of the other tests would not show what they are like.
  const limits = { requests_per_minute: 600, public_per_minute: 120 }
  const gateway = await startTestGateway({ file: { limits } })
  const person = await signedIn(gateway)
  const stranger = createBrowserSession(gateway.baseUrl)
  const statuses = async (browser: BrowserSession, path: string, count: number): Promise<Set<number>> => {
    const answers = await Promise.all(Array.from({ length: count }, () => browser.call('GET', path)))
    return new Set(answers.map(({ status }) => status))
  }
  expect(await statuses(stranger, '/console/session', 60)).toContain(429)
  expect(await statuses(stranger, '/console/sessions', 10)).toContain(429)
  // Thirty pages, one right after the other.
  expect(await statuses(person, '/console/session', 150)).toEqual(new Set([200]))
  expect(await statuses(person, '/console/sessions', 150)).toEqual(new Set([200]))
  await gateway.stop()
})

describe('behind a proxy with an https address', () => {
  const gateway = useGateway(() => ({
    env: { SVC_PUBLIC_URL: 'https://ai.example.com', SVC_TRUSTED_PROXIES: 'loopback' },
  }))

  test('signing in needs proof, though the gateway itself listens on loopback', async () => {
    const browser = createBrowserSession(gateway.baseUrl, { origin: 'https://ai.example.com' })
    expect((await browser.call('POST', '/auth/sign-in/demo', {})).status).not.toBe(200)
    const visit = await browser.json<ConsoleSession>('GET', '/console/session')
    expect(visit.gateway).toMatchObject({ sign_in: { demo: false, first_run: true }, mail_folder: null })
  })

  test('browsers are sent to https alone, and keep the cookie for this host', async () => {
    const address = await gateway.gateway.console.firstRunAddress()
    const token = new URL(address ?? '').hash.slice(1)
    const browser = createBrowserSession(gateway.baseUrl, { origin: 'https://ai.example.com' })
    const entered = await browser.call('POST', '/auth/first-run', { token, email: 'op@example.com', name: 'Op' })
    expect([entered.status, entered.headers.get('strict-transport-security')]).toEqual([200, 'max-age=31536000'])
    expect(entered.headers.getSetCookie()[0]).toMatch(/^__Host-svc\.session_token=.*; Path=\/;.*Secure/i)
    expect((await browser.json<ConsoleSession>('GET', '/console/session')).user).toMatchObject({ is_operator: true })
  })
})
