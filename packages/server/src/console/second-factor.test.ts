import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import type { BrowserSession } from '../../testing/browser-session.ts'
import { decodeBase32 } from '../../testing/decode-base32.ts'
import { openPerson, peopleEnv, refusalOf, signInByMail, takeMail, visitOf } from '../../testing/people.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { useMailServer } from '../../testing/use-mail-server.ts'
import { createJournalStore } from '../access/operators/journal-store.ts'
import { createSecondFactorStore } from '../access/sign-in/second-factor-store.ts'
import { totpCode, totpStep } from '../access/sign-in/totp.ts'
import { resetFactor } from '../operations/actions/reset-factor.ts'

const PASSWORD = 'correct horse battery'
const BASE = '/console/account/second-factor'

describeEachEngine('the second factor', (engine) => {
  const mail = useMailServer()
  const gateway = useGateway(() => ({ engine, env: peopleEnv(mail) }))

  const rowsOf = async (table: string): Promise<string> => {
    const { rows } = await gateway.gateway.database.read.executeQuery(CompiledQuery.raw(`select * from ${table}`))
    return JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  }

  /** A person with an app. */
  async function personWithApp(email: string) {
    const person = await signInByMail(gateway, mail, email)
    const { secret } = await person.json<{ secret: string }>('POST', BASE)
    const app = decodeBase32(secret)
    /** Of the next step: it counts for half a minute at least, and after the one that was confirmed. */
    const nextCode = (): string => totpCode(app, totpStep(Date.now()) + 1)
    const code = totpCode(app, totpStep(Date.now()))
    const { codes } = await person.json<{ codes: string[] }>('POST', `${BASE}/confirm`, { code })
    return { person, secret, nextCode, codes }
  }

  const setPassword = (person: BrowserSession) =>
    person.json('POST', '/console/account/password', { current: null, next: PASSWORD })

  async function signInByPassword(email: string, browser = openPerson(gateway)): Promise<BrowserSession> {
    const answered = await browser.json('POST', '/auth/sign-in/email', { email, password: PASSWORD })
    expect(answered).toEqual({ ok: true, second_factor: true })
    return browser
  }

  const finish = (browser: BrowserSession, code: string) => browser.call('POST', '/auth/second-factor', { code })

  test('without the code a session opens nothing, by whichever way the person came in', async () => {
    const { person, nextCode, codes } = await personWithApp('ada@example.com')
    await setPassword(person)
    const byPassword = await signInByPassword('ada@example.com')
    const byLink = await signInByMail(gateway, mail, 'ada@example.com')
    for (const browser of [byPassword, byLink]) {
      expect((await visitOf(browser)).user).toBeNull()
      for (const path of ['/console/account', '/console/sessions']) {
        expect((await browser.call('GET', path)).status).toBe(401)
      }
      expect((await browser.call('POST', BASE, {})).status).toBe(401)
    }
    expect(await refusalOf(await finish(byPassword, '000000'))).toEqual([400, 'WRONG_CODE'])
    const code = nextCode()
    expect((await finish(byPassword, code)).status).toBe(200)
    expect((await visitOf(byPassword)).user).toMatchObject({ email: 'ada@example.com' })
    // Proven is this session alone.
    expect((await visitOf(byLink)).user).toBeNull()
    expect(await refusalOf(await finish(byLink, code))).toEqual([400, 'WRONG_CODE'])
    expect((await finish(byLink, codes[0]?.toLowerCase().replaceAll('-', ' ') ?? '')).status).toBe(200)
    expect(await refusalOf(await finish(openPerson(gateway), codes[1] ?? ''))).toEqual([401, 'SIGN_IN_FIRST'])
  })

  test('a code counts once, also where it is sent twice at the same moment', async () => {
    const { codes } = await personWithApp('bob@example.com')
    const browsers = [
      await signInByMail(gateway, mail, 'bob@example.com'),
      await signInByMail(gateway, mail, 'bob@example.com'),
    ]
    const ends = await Promise.all(browsers.map((browser) => finish(browser, codes[0] ?? '')))
    expect(ends.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test('it is turned on by a code of its own secret, ends other sessions, and is at rest nowhere in the clear', async () => {
    const other = await signInByMail(gateway, mail, 'eve@example.com')
    const { person, secret, codes, nextCode } = await personWithApp('eve@example.com')
    expect((await visitOf(other)).user).toBeNull()
    expect((await visitOf(person)).user).not.toBeNull()
    expect(await person.json('GET', '/console/account')).toMatchObject({
      second_factor: { is_on: true, recovery_codes_left: 10 },
    })
    expect(await refusalOf(await person.call('POST', BASE))).toEqual([409, 'second_factor_on'])
    const tables = await Promise.all(['second_factor', 'recovery_code', 'proven_session'].map(rowsOf))
    const logged = gateway.logged.join('')
    for (const text of [
      secret,
      decodeBase32(secret).toString('hex'),
      decodeBase32(secret).toString('base64'),
      ...codes,
    ]) {
      expect(tables.join('')).not.toContain(text)
      expect(logged).not.toContain(text)
    }
    const { codes: renewed } = await person.json<{ codes: string[] }>('POST', `${BASE}/codes`, { code: nextCode() })
    const browser = await signInByMail(gateway, mail, 'eve@example.com')
    expect((await finish(browser, codes[0] ?? '')).status).toBe(400)
    expect((await finish(browser, renewed[0] ?? '')).status).toBe(200)
  })

  test('of renewals at once one set of recovery codes is left, and none of a factor that is removed meanwhile', async () => {
    const { person, nextCode } = await personWithApp('jan@example.com')
    const store = createSecondFactorStore(gateway.gateway.database)
    const userId = (await store.findPerson('jan@example.com')) ?? ''
    const setOf = (name: string): string[] => Array.from({ length: 10 }, (_, at) => `${name}-${at}`)
    const renewals = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => store.replaceCodes(userId, setOf(name)))
    expect(new Set(await Promise.all(renewals))).toEqual(new Set([true]))
    expect(await store.countCodes(userId)).toBe(10)
    await person.json('POST', `${BASE}/remove`, { code: nextCode() })
    expect(await store.replaceCodes(userId, setOf('late'))).toBe(false)
    expect(await store.countCodes(userId)).toBe(0)
  })

  test('a secret that was never confirmed asks for nothing, and removing one takes a code', async () => {
    const dan = await signInByMail(gateway, mail, 'dan@example.com')
    await dan.json('POST', BASE)
    expect((await visitOf(await signInByMail(gateway, mail, 'dan@example.com'))).user).not.toBeNull()
    const { person, nextCode } = await personWithApp('fay@example.com')
    expect(await refusalOf(await person.call('POST', `${BASE}/remove`, { code: '123' }))).toEqual([403, 'wrong_code'])
    await person.json('POST', `${BASE}/remove`, { code: nextCode() })
    expect((await visitOf(await signInByMail(gateway, mail, 'fay@example.com'))).user).not.toBeNull()
  })

  test('guessing codes is slow, in however many browsers', async () => {
    await personWithApp('gus@example.com')
    const statuses: number[] = []
    for (let round = 0; round < 2; round += 1) {
      const browser = await signInByMail(gateway, mail, 'gus@example.com')
      for (const code of ['111111', '222222', '333333']) statuses.push((await finish(browser, code)).status)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  })

  test('an operator removes a factor with a reason in the journal', async () => {
    await personWithApp('hal@example.com')
    const { database } = gateway.gateway
    const journal = createJournalStore(database)
    const deps = { store: createSecondFactorStore(database), journal, clock: { now: () => Date.now() } }
    const by = { operatorId: null, name: 'root', way: 'command' } as const
    const reset = (email: string) => resetFactor(deps, by, { email, reason: 'lost the phone' })
    expect(await reset('nobody@example.com')).toBe('unknown_person')
    expect(await reset('Hal@Example.com')).toBe('reset')
    expect(await reset('hal@example.com')).toBe('unchanged')
    expect((await visitOf(await signInByMail(gateway, mail, 'hal@example.com'))).user).not.toBeNull()
    const entries = await journal.list({ action: 'person.reset_factor', limit: 10 })
    expect(entries.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['unchanged', 'lost the phone'],
      ['done', 'lost the phone'],
      ['refused', 'lost the phone'],
    ])
    expect(JSON.stringify(entries)).not.toContain('hal@example.com')
  })

  test('a sign-in from a browser that the account does not know is told by email, once it is finished', async () => {
    const subject = /New sign-in/
    const told = () =>
      mail.received.filter(
        ({ envelopeTo, parsed }) => envelopeTo.includes('ivy@example.com') && subject.test(parsed.subject ?? ''),
      ).length
    const { codes, person } = await personWithApp('ivy@example.com')
    await setPassword(person)
    const browser = await signInByPassword('ivy@example.com')
    await finish(browser, '000000')
    expect(told()).toBe(0)
    await finish(browser, codes[0] ?? '')
    const email = await takeMail(mail, 'ivy@example.com', subject)
    expect(email.parsed.text).toMatch(/From +198\.51\./)
    // In a browser that the account knows nothing is told: the next email is that of a third one.
    await finish(await signInByPassword('ivy@example.com', browser), codes[1] ?? '')
    await finish(await signInByPassword('ivy@example.com'), codes[2] ?? '')
    await takeMail(mail, 'ivy@example.com', subject)
    expect(told()).toBe(0)
  })
})
