/** How often a client may try to sign in, and by which address they are counted and shown. */
import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { openPerson, peopleEnv, refusalOf, signInByMail, visitOf } from '../../testing/people.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { useMailServer } from '../../testing/use-mail-server.ts'

const PASSWORD = 'correct horse battery'

describeEachEngine('limits of sign-in', (engine) => {
  const mail = useMailServer()
  const gateway = useGateway(() => {
    const startedAt = Date.now()
    const clock = { now: () => startedAt + aheadMs }
    return { engine, clock, env: peopleEnv(mail) }
  })
  let aheadMs = 0
  beforeAll(async () => {
    for (const email of ['ada@example.com', 'slow@example.com']) await openOwner(email)
  })

  const tryPassword = (browser: BrowserSession, email: string, password: string) =>
    browser.call('POST', '/auth/sign-in/email', { email, password })
  /** A person with a password, in a browser that the account knows. */
  const openOwner = async (email: string): Promise<BrowserSession> => {
    const owner = await signInByMail(gateway, mail, email)
    await owner.json('POST', '/console/account/password', { next: PASSWORD })
    return owner
  }
  /** Wrong passwords at once, each from an address of its own. @returns how often each status came. */
  const guess = async (email: string, count: number): Promise<Record<number, number>> => {
    const counts: Record<number, number> = {}
    const answers = Array.from({ length: count }, async () => {
      const { status } = await tryPassword(openPerson(gateway), email, 'wrong horse battery')
      counts[status] = (counts[status] ?? 0) + 1
    })
    await Promise.all(answers)
    return counts
  }

  test('what strangers do slows neither the browser that an account knows nor a link', async () => {
    const email = 'owner@example.com'
    const owner = await openOwner(email)
    await owner.json('POST', '/auth/sign-out', {})
    await guess(email, 10)
    expect((await tryPassword(openPerson(gateway), email, PASSWORD)).status).toBe(429)
    // The browser of another account is a stranger here.
    const other = await openOwner('other@example.com')
    expect((await tryPassword(other, email, PASSWORD)).status).toBe(429)
    expect((await tryPassword(owner, email, PASSWORD)).status).toBe(200)
    await guess(email, 10)
    expect((await visitOf(await signInByMail(gateway, mail, email))).user).toMatchObject({ email })
    expect((await tryPassword(openPerson(gateway), email, PASSWORD)).status).toBe(200)
  })

  test('a known browser may not guess without end either, and a made-up mark is none', async () => {
    const email = 'device@example.com'
    const owner = await openOwner(email)
    const statuses: number[] = []
    for (let at = 0; at < 6; at++) statuses.push((await tryPassword(owner, email, 'wrong horse battery')).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    await guess(email, 5)
    const liar = openPerson(gateway)
    liar.cookies.set('svc.device', `${'a'.repeat(32)}.${'b'.repeat(64)}`)
    expect((await tryPassword(liar, email, PASSWORD)).status).toBe(429)
  })

  test('the present password is asked for a few times alone before it is exchanged', async () => {
    const owner = await openOwner('change@example.com')
    const change = (current: string) => owner.call('POST', '/console/account/password', { current, next: PASSWORD })
    const refusals: unknown[] = []
    for (let at = 0; at < 6; at++) {
      // Never so many at once that the limit of requests is what answers.
      aheadMs += 10_000
      refusals.push(await refusalOf(await change('wrong horse battery')))
    }
    expect(refusals).toEqual([
      ...Array.from({ length: 5 }, () => [403, 'wrong_password']),
      [429, 'rate_limit_exceeded'],
    ])
  })

  test('clients of different networks are counted apart, and each session shows its whole address', async () => {
    await openOwner('places@example.com')
    const enter = async (address: string, email: string) => {
      const browser = createBrowserSession(gateway.baseUrl, { 'x-forwarded-for': address })
      const answer = await tryPassword(browser, email, PASSWORD)
      return { browser, seen: answer.ok ? 200 : (await refusalOf(answer))[1] }
    }
    const network = ['2001:db8:1:1::1', '[2001:db8:1:1::2]:443', '2001:DB8:1:1:0:0:0:3', '2001:db8:1:1::4%eth0']
    const seen: unknown[] = []
    for (const [at, address] of [...network, ...network.slice(0, 2), '2001:db8:1:2::1', '192.0.2.1:80'].entries()) {
      seen.push((await enter(address, `who${at}@example.com`)).seen)
    }
    const wrong = 'INVALID_EMAIL_OR_PASSWORD'
    expect(seen).toEqual([wrong, wrong, wrong, wrong, wrong, 'TOO_MANY_ATTEMPTS', wrong, wrong])
    let last: BrowserSession | null = null
    for (const address of ['[2001:db8:7::9]:443', '::ffff:192.0.2.9', '192.0.2.10:5050']) {
      last = (await enter(address, 'places@example.com')).browser
    }
    const sessions = await last?.json<{ data: readonly { address: string | null }[] }>('GET', '/console/sessions')
    const shown = sessions?.data.map(({ address }) => address)
    expect(shown).toEqual(expect.arrayContaining(['2001:db8:7::9', '192.0.2.9', '192.0.2.10']))
  })

  // The clock of the gateway moves from here on.
  test('wrong passwords from many addresses slow the account down, known or not, and the right one with it', async () => {
    const known = await guess('ada@example.com', 40)
    const unknown = await guess('nobody@example.com', 40)
    expect([known, unknown]).toEqual([
      { 401: 5, 429: 35 },
      { 401: 5, 429: 35 },
    ])
    const refused = await tryPassword(openPerson(gateway), 'Ada@example.com', PASSWORD)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refusalOf(refused)).toEqual([429, 'TOO_MANY_PASSWORDS'])
    aheadMs += 30_000
    expect((await tryPassword(openPerson(gateway), 'ada@example.com', PASSWORD)).status).toBe(200)
    // A successful sign-in resets the count.
    expect(await guess('ada@example.com', 4)).toEqual({ 401: 4 })
  })

  test('the waits grow with each failure and never end the account', async () => {
    const email = 'slow@example.com'
    await guess(email, 5)
    const waits: number[] = []
    for (let failure = 0; failure < 8; failure++) {
      const refused = await tryPassword(openPerson(gateway), email, PASSWORD)
      const seconds = Number(refused.headers.get('retry-after'))
      waits.push(seconds)
      aheadMs += seconds * 1_000
      expect(await guess(email, 1)).toEqual({ 401: 1 })
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900])
    aheadMs += 900_000
    expect((await tryPassword(openPerson(gateway), email, PASSWORD)).status).toBe(200)
  })
})
