import type { ConsoleSession, PasskeyCreation, PasskeyView } from '@svc/contract'
import { CompiledQuery, sql } from 'kysely'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { decodeBase32 } from '../../testing/decode-base32.ts'
import { openPerson, peopleEnv, refusalOf, signInByMail, takeMail, visitOf } from '../../testing/people.ts'
import { createSoftPasskey, type DeviceLies, type SoftPasskey } from '../../testing/soft-authenticator.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { useMailServer } from '../../testing/use-mail-server.ts'
import { totpCode, totpStep } from '../access/sign-in/totp.ts'

const BASE = '/console/account/passkeys'

describeEachEngine('passkeys', (engine) => {
  const mail = useMailServer()
  const gateway = useGateway(() => ({ engine, env: peopleEnv(mail) }))

  const place = () => ({ rpId: 'localhost', origin: `http://localhost:${new URL(gateway.baseUrl).port}` })
  const write = (text: string) => gateway.gateway.database.write([CompiledQuery.raw(text)])
  const listed = async (person: BrowserSession): Promise<readonly PasskeyView[]> =>
    (await person.json<{ passkeys: PasskeyView[] }>('GET', '/console/account')).passkeys
  const begin = (person: BrowserSession, body: object = {}) =>
    person.json<PasskeyCreation>('POST', `${BASE}/options`, body)

  /** Adds a passkey as the account's page does. */
  async function addPasskey(person: BrowserSession, name = 'Laptop', body: object = {}): Promise<SoftPasskey> {
    const passkey = createSoftPasskey(place())
    const answer = passkey.create(await begin(person, body))
    await person.json('POST', BASE, { name, answer })
    return passkey
  }

  async function personWithPasskey(email: string) {
    const person = await signInByMail(gateway, mail, email)
    return { person, passkey: await addPasskey(person) }
  }

  const ask = (browser: BrowserSession) => browser.json<{ challenge: string }>('POST', '/auth/passkey/options', {})
  const send = (browser: BrowserSession, answer: object) => browser.call('POST', '/auth/passkey/verify', answer)
  async function enter(passkey: SoftPasskey, lies: DeviceLies = {}, browser = openPerson(gateway)) {
    return { browser, response: await send(browser, passkey.use(await ask(browser), lies)) }
  }

  test('a passkey signs in, is listed with its last use, and is called as its person says', async () => {
    const { person, passkey } = await personWithPasskey('ada@example.com')
    expect(await listed(person)).toMatchObject([{ name: 'Laptop', last_used_at: null, is_usable: true }])
    const { browser, response } = await enter(passkey)
    expect([response.status, await response.json()]).toEqual([200, { ok: true }])
    expect((await visitOf(browser)).user).toMatchObject({ email: 'ada@example.com' })
    const [used] = await listed(browser)
    expect(used?.last_used_at).toBeGreaterThanOrEqual(used?.added_at ?? Infinity)
    const path = `${BASE}/${used?.id ?? ''}`
    expect(await refusalOf(await browser.call('PATCH', path, { name: ' ' }))).toEqual([400, 'invalid_value'])
    await browser.json('PATCH', path, { name: 'Work laptop' })
    expect(await listed(browser)).toMatchObject([{ name: 'Work laptop' }])
    const stranger = await signInByMail(gateway, mail, 'stranger@example.com')
    for (const [method, body] of [
      ['PATCH', { name: 'Mine' }],
      ['DELETE', undefined],
    ] as const) {
      expect(await refusalOf(await stranger.call(method, path, body))).toEqual([404, 'passkey_not_found'])
    }
    await browser.json('DELETE', path)
    expect(await listed(browser)).toEqual([])
    expect(await refusalOf((await enter(passkey)).response)).toEqual([401, 'PASSKEY_UNKNOWN'])
  })

  test('adding one is told by email, and so is a sign-in from a browser that the account does not know', async () => {
    const { passkey } = await personWithPasskey('bea@example.com')
    const email = await takeMail(mail, 'bea@example.com', /New passkey/)
    expect(email.parsed.text).toMatch(/Passkey +Laptop/)
    await enter(passkey)
    await takeMail(mail, 'bea@example.com', /New sign-in/)
  })

  test('a passkey is both factors: no code is asked for behind it, and adding one takes a code', async () => {
    const person = await signInByMail(gateway, mail, 'cid@example.com')
    const { secret } = await person.json<{ secret: string }>('POST', '/console/account/second-factor')
    const code = (step: number) => ({ code: totpCode(decodeBase32(secret), totpStep(Date.now()) + step) })
    await person.json('POST', '/console/account/second-factor/confirm', code(0))
    const without = await person.call('POST', `${BASE}/options`, {})
    expect(await without.json()).toMatchObject({ error: { code: 'missing_required_parameter', param: 'code' } })
    const wrong = await person.call('POST', `${BASE}/options`, { code: '123' })
    expect(await refusalOf(wrong)).toEqual([403, 'wrong_code'])
    const passkey = await addPasskey(person, 'Phone', code(1))
    const { browser } = await enter(passkey)
    expect((await visitOf(browser)).user).toMatchObject({ email: 'cid@example.com' })
    // Every other way still asks for the code.
    expect((await visitOf(await signInByMail(gateway, mail, 'cid@example.com'))).user).toBeNull()
  })

  test('a forged or stale answer signs no one in', async () => {
    const { passkey } = await personWithPasskey('dot@example.com')
    const other = await personWithPasskey('eli@example.com')
    const lies: readonly DeviceLies[] = [
      { origin: 'https://evil.example' },
      { origin: `https://localhost:${new URL(gateway.baseUrl).port}` },
      { rpId: 'evil.example' },
      { type: 'webauthn.create' },
      { isVerified: false },
      { signature: Buffer.from('304402200102', 'hex') },
      // Of another person's passkey, with the hand of one's own.
      { credentialId: other.passkey.credentialId },
      { userHandle: Buffer.from('somebody else').toString('base64url') },
      { userHandle: '' },
    ]
    for (const lie of lies) {
      const { browser, response } = await enter(passkey, lie)
      const refused = lie.userHandle === '' ? [400, 'VALIDATION_ERROR'] : [401, 'PASSKEY_NOT_PROVEN']
      expect([lie, await refusalOf(response)]).toEqual([lie, refused])
      expect((await visitOf(browser)).user).toBeNull()
    }
    const strange = { userHandle: Buffer.from('somebody else').toString('base64url') }
    const unknown = await enter(createSoftPasskey(place()), strange)
    expect(await refusalOf(unknown.response)).toEqual([401, 'PASSKEY_UNKNOWN'])
    const made = { challenge: Buffer.from('made up').toString('base64url') }
    expect(await refusalOf((await enter(passkey, made)).response)).toEqual([401, 'PASSKEY_EXPIRED'])
    expect((await enter(passkey)).response.status).toBe(200)
  })

  test('a challenge counts once, for a while, and for the browser that asked for it', async () => {
    const { passkey } = await personWithPasskey('fay@example.com')
    const browser = openPerson(gateway)
    const answer = passkey.use(await ask(browser))
    // A stranger who has seen the answer uses nothing up.
    const thief = openPerson(gateway)
    await ask(thief)
    expect(await refusalOf(await send(thief, answer))).toEqual([401, 'PASSKEY_EXPIRED'])
    const ends = await Promise.all([send(browser, answer), send(browser, answer)])
    expect(ends.map(({ status }) => status).toSorted()).toEqual([200, 401])
    expect(await refusalOf(await send(browser, answer))).toEqual([401, 'PASSKEY_EXPIRED'])
    const late = passkey.use(await ask(browser))
    await write('update passkey_challenge set expires_at = 1')
    expect(await refusalOf(await send(browser, late))).toEqual([401, 'PASSKEY_EXPIRED'])
    // One that is refused is used up, too.
    const refused = await ask(browser)
    await send(browser, passkey.use(refused, { isVerified: false }))
    expect(await refusalOf(await send(browser, passkey.use(refused)))).toEqual([401, 'PASSKEY_EXPIRED'])
    // Tabs of one browser do not disturb each other.
    const [first, second] = [await ask(browser), await ask(browser)]
    expect((await send(browser, passkey.use(first))).status).toBe(200)
    expect((await send(browser, passkey.use(second))).status).toBe(200)
  })

  test('a counter that goes back or stands still is refused, and noted in the log', async () => {
    const { passkey } = await personWithPasskey('gus@example.com')
    expect((await enter(passkey, { counter: 7 })).response.status).toBe(200)
    for (const counter of [7, 6, 0]) {
      expect(await refusalOf((await enter(passkey, { counter })).response)).toEqual([401, 'PASSKEY_COPIED'])
    }
    expect(gateway.logged.join('')).toContain('its counter went back')
    expect((await enter(passkey, { counter: 8 })).response.status).toBe(200)
    // A device that does not count says 0 for good.
    const { passkey: silent } = await personWithPasskey('gil@example.com')
    for (let use = 0; use < 2; use += 1) {
      expect((await enter(silent, { counter: 0 })).response.status).toBe(200)
    }
  })

  test('only an answer to this session’s challenge, of a device that asks for its person, adds a passkey', async () => {
    const person = await signInByMail(gateway, mail, 'hal@example.com')
    const other = await signInByMail(gateway, mail, 'ian@example.com')
    const add = (by: BrowserSession, answer: object) => by.call('POST', BASE, { name: 'Key', answer })
    const passkey = createSoftPasskey(place())
    const param = async (response: Response) => {
      const { error } = (await response.json()) as { error: { code: string; param: string } }
      return [response.status, error.code, error.param]
    }
    const stolen = passkey.create(await begin(person))
    const notGiven = [422, 'passkey_not_proven', 'answer.response.clientDataJSON']
    expect(await param(await add(other, stolen))).toEqual(notGiven)
    expect((await add(person, stolen)).status).toBe(200)
    expect(await param(await add(person, stolen))).toEqual(notGiven)
    const lies: readonly DeviceLies[] = [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
      { isVerified: false },
      { credentialId: 'another' },
      { certificates: [Buffer.from('a certificate')] },
    ]
    for (const [at, lie] of lies.entries()) {
      const forger = await signInByMail(gateway, mail, `forger${at}@example.com`)
      const refused = await add(forger, createSoftPasskey(place()).create(await begin(forger), lie))
      expect([lie, ...(await param(refused))]).toEqual([lie, 422, 'passkey_not_proven', 'answer'])
    }
    const twice = await add(other, passkey.create(await begin(other)))
    expect(await refusalOf(twice)).toEqual([409, 'passkey_already_added'])
    const long = await add(person, { ...stolen, id: 'a'.repeat(2_000) })
    expect(await param(long)).toEqual([400, 'invalid_value', 'answer.id'])
    expect(await refusalOf(await openPerson(gateway).call('POST', BASE, {}))).toEqual([401, 'not_signed_in'])
  })

  test('an old sign-in neither adds nor removes one', async () => {
    const { person, passkey } = await personWithPasskey('lou@example.com')
    const answer = passkey.use({ challenge: 'any' })
    await write(`update sign_in_session set created_at = '2020-01-01T00:00:00.000Z'`)
    const [kept] = await listed(person)
    for (const [method, path, body] of [
      ['POST', `${BASE}/options`, {}],
      ['POST', BASE, { name: 'Key', answer }],
      ['DELETE', `${BASE}/${kept?.id ?? ''}`, undefined],
    ] as const) {
      expect(await refusalOf(await person.call(method, path, body))).toEqual([401, 'sign_in_again'])
    }
  })

  test('a session that ends takes its challenge along', async () => {
    const person = await signInByMail(gateway, mail, 'joy@example.com')
    await begin(person)
    await person.call('POST', '/auth/sign-out', {})
    const { rows } = await sql`select 1 from passkey_challenge where session_id is not null`.execute(
      gateway.gateway.database.read,
    )
    expect(rows).toEqual([])
  })

  test('a person has twenty, and begins few in a minute', async () => {
    const { person } = await personWithPasskey('kim@example.com')
    const { user } = await visitOf(person)
    for (let at = 0; at < 19; at += 1) {
      await write(`insert into passkey (passkey_id, user_id, credential_id, public_key, counter, rp_id, transports,
          is_backed_up, name, added_at)
        values ('many-${at}', '${user?.id ?? ''}', 'many-${at}', 'x', 0, 'old.example', '', 0, 'Old', 1)`)
    }
    expect(await refusalOf(await person.call('POST', `${BASE}/options`, {}))).toEqual([409, 'limit_reached'])
    // Those that were made for another address say so.
    expect((await listed(person)).filter(({ is_usable: isUsable }) => !isUsable)).toHaveLength(19)
    const other = await signInByMail(gateway, mail, 'lea@example.com')
    const statuses = new Set<number>()
    for (let at = 0; at < 8; at += 1) statuses.add((await other.call('POST', `${BASE}/options`, {})).status)
    expect(statuses).toEqual(new Set([200, 429]))
  })

  test('trying passkeys from one address is slow', async () => {
    const { passkey } = await personWithPasskey('may@example.com')
    const browser = openPerson(gateway)
    const statuses: number[] = []
    for (let at = 0; at < 11; at += 1) {
      statuses.push((await send(browser, passkey.use({ challenge: 'made-up' }))).status)
    }
    expect(statuses.slice(-2)).toEqual([401, 429])
  })

  test('the last way in stays, and of two that go at the same time one does', async () => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const person = openPerson(gateway)
    const asked = { address: wallet.address, chainId: 1 }
    const { message } = await person.json<{ message: string }>('POST', '/auth/siwe/challenge', asked)
    await person.json('POST', '/auth/siwe/verify', { message, signature: await wallet.signMessage({ message }) })
    const ways = () => person.json<{ wallets: { id: string }[]; passkeys: PasskeyView[] }>('GET', '/console/account')
    const passkey = await addPasskey(person)
    const before = await ways()
    const walletPath = `/console/account/wallets/${before.wallets[0]?.id ?? ''}`
    const passkeyPath = `${BASE}/${before.passkeys[0]?.id ?? ''}`
    await Promise.all([person.call('DELETE', walletPath), person.call('DELETE', passkeyPath)])
    const after = await ways()
    expect(after.wallets.length + after.passkeys.length).toBeGreaterThan(0)
    // Whichever of them is left: a passkey alone is a way in.
    if (after.passkeys.length === 0) await addPasskey(person, 'Again')
    if (after.wallets.length > 0) await person.json('DELETE', walletPath)
    const { passkeys } = await ways()
    expect(passkeys).toHaveLength(1)
    const last = `${BASE}/${passkeys[0]?.id ?? ''}`
    expect(await refusalOf(await person.call('DELETE', last))).toEqual([409, 'last_way_in'])
    // One that was made for another address is no way in, and may go.
    await write(`update passkey set rp_id = 'old.example' where passkey_id = '${passkeys[0]?.id ?? ''}'`)
    expect((await person.call('DELETE', last)).status).toBe(200)
    expect(passkey.credentialId).not.toBe('')
  })

  test('an operator turns them off and on again: while they are off, none is a way in', async () => {
    const operator = openPerson(gateway)
    const token = new URL((await gateway.gateway.console.firstRunAddress()) ?? '').hash.slice(1)
    await operator.json('POST', '/auth/first-run', { token, email: 'op@example.com', name: 'Op' })
    const { person, passkey } = await personWithPasskey('pia@example.com')
    const asked = await ask(openPerson(gateway))
    await operator.json('PATCH', '/console/operator/settings', { allows_passkeys: false })
    const { gateway: offers } = await person.json<ConsoleSession>('GET', '/console/session')
    expect(offers.sign_in.passkey).toBe(false)
    expect((await openPerson(gateway).call('POST', '/auth/passkey/options', {})).status).toBe(404)
    expect((await send(openPerson(gateway), passkey.use(asked))).status).toBe(404)
    expect(await person.json('GET', '/console/account')).toMatchObject({ passkeys_off: 'turned_off' })
    expect(await listed(person)).toMatchObject([{ is_usable: false }])
    expect(await refusalOf(await person.call('POST', `${BASE}/options`, {}))).toEqual([422, 'passkeys_not_enabled'])
    await operator.json('PATCH', '/console/operator/settings', { allows_passkeys: null })
    expect(await listed(person)).toMatchObject([{ is_usable: true }])
    expect((await enter(passkey)).response.status).toBe(200)
  })

  test('neither a row nor the log holds what could be used again', async () => {
    const { person, passkey } = await personWithPasskey('ned@example.com')
    const browser = openPerson(gateway)
    const { challenge } = await ask(browser)
    const { challenge: adding } = await begin(person)
    const { rows } = await sql`select * from passkey_challenge`.execute(gateway.gateway.database.read)
    const cookie = browser.cookies.get('svc.passkey') ?? ''
    expect(cookie).toMatch(/^[0-9a-f]{32}$/)
    for (const text of [challenge, adding, cookie]) {
      expect(JSON.stringify(rows)).not.toContain(text)
      expect(gateway.logged.join('')).not.toContain(text)
    }
    expect((await send(browser, passkey.use({ challenge }))).status).toBe(200)
  })
})

describe.each([
  ['https://ai.example.com', null],
  ['http://ai.example.com', 'plain_http'],
  ['http://192.0.2.7:8080', 'bare_address'],
] as const)('at the address %s', (origin, obstacle) => {
  const gateway = useGateway(() => ({ env: { SVC_PUBLIC_URL: origin, SVC_TRUSTED_PROXIES: 'loopback' } }))

  test('passkeys are there for a name over TLS alone, and the account says why they are not', async () => {
    const operator = createBrowserSession(gateway.baseUrl, { origin })
    const token = new URL((await gateway.gateway.console.firstRunAddress()) ?? '').hash.slice(1)
    await operator.json('POST', '/auth/first-run', { token, email: 'op@example.com', name: 'Op' })
    const { gateway: offers } = await operator.json<ConsoleSession>('GET', '/console/session')
    expect(offers.sign_in.passkey).toBe(obstacle === null)
    expect(await operator.json('GET', '/console/account')).toMatchObject({ passkeys_off: obstacle })
    const asked = await operator.call('POST', `${BASE}/options`, {})
    if (obstacle !== null) {
      expect(await refusalOf(asked)).toEqual([422, 'passkeys_not_enabled'])
      expect((await operator.call('POST', '/auth/passkey/options', {})).status).toBe(404)
      return
    }
    const passkey = createSoftPasskey({ rpId: 'ai.example.com', origin })
    const answer = passkey.create((await asked.json()) as PasskeyCreation)
    const { id } = await operator.json('POST', BASE, { name: 'Key', answer })
    const other = createBrowserSession(gateway.baseUrl, { origin })
    const options = await other.call('POST', '/auth/passkey/options', {})
    expect(options.headers.getSetCookie()[0]).toMatch(/^__Host-svc\.passkey=\w+;.*Path=\/;.*HttpOnly;.*Secure/i)
    await other.json('POST', '/auth/passkey/verify', passkey.use((await options.json()) as { challenge: string }))
    expect((await visitOf(other)).user).toMatchObject({ email: 'op@example.com' })
    // No email is sent here, and there is no password: it is the last way in.
    expect(await refusalOf(await other.call('DELETE', `${BASE}/${String(id)}`))).toEqual([409, 'last_way_in'])
  })
})
