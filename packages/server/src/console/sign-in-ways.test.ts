import { CompiledQuery } from 'kysely'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { BrowserSession } from '../../testing/browser-session.ts'
import {
  linkIn,
  openPerson,
  peopleEnv,
  refusalOf,
  signInByMail,
  takeMail,
  TEST_SESSION_SECRET,
  tokenIn,
  visitOf,
} from '../../testing/people.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { useMailServer } from '../../testing/use-mail-server.ts'
import { openEmail } from '../platform/mail/sealed-email.ts'

const PASSWORD = 'correct horse battery'

describeEachEngine('ways to sign in', (engine) => {
  const mail = useMailServer()
  const gateway = useGateway(() => ({ engine, env: peopleEnv(mail) }))

  const rowsOf = async (table: string): Promise<string> => {
    const query = CompiledQuery.raw(`select * from ${table}`)
    return JSON.stringify((await gateway.gateway.database.read.executeQuery(query)).rows, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
  }
  const run = (text: string) => gateway.gateway.database.write([CompiledQuery.raw(text)])
  const setSignup = async (signup: string): Promise<void> => {
    await run(`delete from gateway_setting where name = 'signup'`)
    await run(`insert into gateway_setting (name, value, updated_at) values ('signup', '"${signup}"', 1)`)
  }
  const ask = (person: BrowserSession, email: string, more: object = {}) =>
    person.call('POST', '/auth/sign-in/magic-link', { email, ...more })
  const open = (person: BrowserSession, token: string) => person.call('POST', '/auth/magic-link/verify', { token })

  test('a link comes by mail, signs in once, and leads where the person wanted to go', async () => {
    const person = openPerson(gateway)
    expect((await ask(person, 'Ada@Example.com', { callbackURL: '/console/keys' })).status).toBe(200)
    const email = await takeMail(mail, 'ada@example.com')
    expect(email.parsed.subject).toBe('Your link to sign in to SVC')
    const link = linkIn(email)
    expect([link.pathname, link.searchParams.get('next')]).toEqual(['/console/link', '/console/keys'])
    const opened = await open(person, tokenIn(email))
    expect([opened.status, await opened.json()]).toEqual([200, { ok: true }])
    expect((await visitOf(person)).user).toMatchObject({ email: 'ada@example.com', name: 'ada' })
    expect(await refusalOf(await open(openPerson(gateway), tokenIn(email)))).toEqual([403, 'INVALID_TOKEN'])
  })

  test('a program that only opens the link, or another site, uses nothing up', async () => {
    const person = openPerson(gateway)
    await ask(person, 'bob@example.com')
    const token = tokenIn(await takeMail(mail, 'bob@example.com'))
    expect((await person.call('GET', `/auth/magic-link/verify?token=${token}`)).status).toBe(404)
    const foreign = openPerson(gateway)
    const headers = { origin: 'https://evil.example', 'content-type': 'application/json' }
    const body = JSON.stringify({ token })
    const refused = await fetch(`${gateway.baseUrl}/auth/magic-link/verify`, { method: 'POST', headers, body })
    expect(await refusalOf(refused)).toEqual([403, 'foreign_origin'])
    expect((await open(foreign, token)).status).toBe(200)
  })

  test('what is no request is refused in words and is no fault in the log', async () => {
    const logged = gateway.logged.length
    const headers = { origin: new URL(gateway.baseUrl).origin, 'x-forwarded-for': '198.51.100.7' }
    const send = (path: string, type: string, body: string) =>
      fetch(`${gateway.baseUrl}/auth${path}`, { method: 'POST', headers: { ...headers, 'content-type': type }, body })
    const statuses: number[] = []
    for (const [path, type, body] of [
      ['/sign-in/magic-link', 'application/json', '{'],
      ['/sign-in/magic-link', 'text/plain', '{}'],
      ['/sign-in/magic-link', 'application/json', '{"email":{"length":1}}'],
    ] as const) {
      const response = await send(path, type, body)
      statuses.push(response.status)
      expect(await response.json()).toMatchObject({ message: expect.stringMatching(/\w/) })
    }
    expect(statuses).toEqual([400, 415, 400])
    expect(gateway.logged.slice(logged).filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([])
  })

  test('a link that is over, made up or of another form opens nothing', async () => {
    const person = openPerson(gateway)
    await ask(person, 'late@example.com')
    const token = tokenIn(await takeMail(mail, 'late@example.com'))
    await run(`update sign_in_verification set expires_at = '2020-01-01T00:00:00.000Z'`)
    for (const wrong of [token, 'made-up', '', 'a'.repeat(5_000), 7, null]) {
      expect(await refusalOf(await open(openPerson(gateway), wrong as string))).toEqual([403, 'INVALID_TOKEN'])
    }
    expect((await visitOf(person)).user).toBeNull()
  })

  test('the database and the log never hold what a link says, while its email waits or after', async () => {
    mail.refuse({ status: 451, text: 'later' })
    const person = openPerson(gateway)
    await ask(person, 'canary@example.com')
    await expect.poll(() => rowsOf('mail_outbox')).toContain('EENVELOPE 451')
    mail.refuse(null)
    const { read } = gateway.gateway.database
    const waiting = await read
      .selectFrom('mail_outbox')
      .select(['mail_id', 'content'])
      .where('state', '=', 'queued')
      .executeTakeFirstOrThrow()
    // Only a holder of the session secret and the database can read it.
    const email = openEmail(waiting.content ?? '', waiting.mail_id, TEST_SESSION_SECRET)
    const [, token = ''] = /#(\w{20,})$/m.exec(email?.text ?? '') ?? []
    expect(token).not.toBe('')
    const kept = (await rowsOf('mail_outbox')) + (await rowsOf('sign_in_verification'))
    for (const text of [kept, gateway.logged.join('')]) expect(text).not.toContain(token)
    const answered = await (await open(person, token)).text()
    const session = decodeURIComponent(person.cookies.get('svc.session_token') ?? '').split('.')[0] ?? ''
    expect(session.length).toBeGreaterThan(20)
    expect(answered).not.toContain(session)
  })

  test('a stranger does not learn who has an account, and strangers of a closed gateway get no email', async () => {
    await signInByMail(gateway, mail, 'known@example.com')
    await setSignup('closed')
    try {
      const answers = []
      for (const email of ['unknown@example.com', 'known@example.com']) {
        const response = await ask(openPerson(gateway), email)
        answers.push([response.status, await response.text()])
      }
      expect(answers[0]).toEqual(answers[1])
      await takeMail(mail, 'known@example.com')
      expect(await rowsOf('mail_outbox')).not.toContain('unknown@')
      expect(mail.received.flatMap(({ envelopeTo }) => envelopeTo)).not.toContain('unknown@example.com')
    } finally {
      await setSignup('open')
    }
  })

  test('links are limited for an address and for a mailbox, and the answer does not show it', async () => {
    const person = openPerson(gateway)
    const statuses = []
    for (let at = 0; at < 6; at += 1) statuses.push((await ask(person, `flood${at}@example.com`)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    for (let at = 0; at < 8; at += 1) expect((await ask(openPerson(gateway), 'box@example.com')).status).toBe(200)
    await expect
      .poll(() => mail.received.filter(({ envelopeTo }) => envelopeTo.includes('box@example.com')).length)
      .toBe(5)
    for (const wrong of ['a@b', 'x@wallet.invalid', '"a b"@example.com']) await ask(openPerson(gateway), wrong)
    expect(await rowsOf('mail_outbox')).not.toContain('wallet.invalid')
  })

  const challenge = async (person: BrowserSession, address: string) =>
    (await person.json<{ message: string }>('POST', '/auth/siwe/challenge', { address, chainId: 1 })).message
  const verify = (person: BrowserSession, message: string, signature: string) =>
    person.call('POST', '/auth/siwe/verify', { message, signature })

  test('a wallet signs in by its signature of the very message, once', async () => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const person = openPerson(gateway)
    const message = await challenge(person, wallet.address.toLowerCase())
    expect(message).toContain(wallet.address)
    const signature = await wallet.signMessage({ message })
    const stranger = await privateKeyToAccount(generatePrivateKey()).signMessage({ message })
    expect((await verify(person, message, stranger)).status).toBe(401)
    // A nonce that was used is gone, whichever client used it.
    expect((await verify(person, message, signature)).status).toBe(401)
    const again = await challenge(person, wallet.address)
    expect((await verify(person, again, await wallet.signMessage({ message: again }))).status).toBe(200)
    const { user } = await visitOf(person)
    expect(user).toMatchObject({ email: null, name: `${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}` })
    for (const change of [
      (text: string) => text.replace('Sign in to the console.', 'Give me everything.'),
      (text: string) => text.replace(/^URI: .*$/m, 'URI: https://evil.example'),
      (text: string) => text.replace(/^\S+ wants/, 'evil.example wants'),
      (text: string) => text.replace('Chain ID: 1', 'Chain ID: 10'),
      (text: string) => text.replace(/^Expiration Time: .*$/m, 'Expiration Time: 2099-01-01T00:00:00.000Z'),
    ]) {
      const other = openPerson(gateway)
      const given = await challenge(other, wallet.address)
      const changed = change(given)
      expect(changed).not.toBe(given)
      const isChainAlone = changed.includes('Chain ID: 10')
      const { status } = await verify(other, changed, await wallet.signMessage({ message: changed }))
      // A key is the same on every chain, and the chain was not ours to choose.
      expect([changed, status]).toEqual([changed, isChainAlone ? 200 : 401])
    }
  })

  test('a closed gateway makes no people of wallets, and a person who has added one comes in by it', async () => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const person = await signInByMail(gateway, mail, 'wallets@example.com')
    const other = await signInByMail(gateway, mail, 'other@example.com')
    await setSignup('closed')
    try {
      const stranger = openPerson(gateway)
      const tried = await challenge(stranger, wallet.address)
      const refused = await verify(stranger, tried, await wallet.signMessage({ message: tried }))
      expect(await refusalOf(refused)).toEqual([403, 'SIGN_UP_CLOSED'])
      const place = { address: wallet.address, chain_id: 1 }
      const asked = await person.json<{ message: string }>('POST', '/console/account/wallets/challenge', place)
      const signature = await wallet.signMessage({ message: asked.message })
      const stolen = await other.call('POST', '/console/account/wallets', { ...asked, signature })
      expect(await refusalOf(stolen)).toEqual([422, 'wallet_not_proven'])
      await person.json('POST', '/console/account/wallets', { message: asked.message, signature })
      const again = openPerson(gateway)
      const message = await challenge(again, wallet.address)
      expect((await verify(again, message, await wallet.signMessage({ message }))).status).toBe(200)
      expect((await visitOf(again)).user).toMatchObject({ email: 'wallets@example.com' })
      const ways = await person.json<{ wallets: { id: string; address: string }[] }>('GET', '/console/account')
      expect(ways.wallets).toMatchObject([{ address: wallet.address }])
      await person.json('DELETE', `/console/account/wallets/${ways.wallets[0]?.id ?? ''}`)
      const gone = openPerson(gateway)
      const last = await challenge(gone, wallet.address)
      expect((await verify(gone, last, await wallet.signMessage({ message: last }))).status).toBe(403)
    } finally {
      await setSignup('open')
    }
  })

  test('the last wallet of a person without a mailbox stays', async () => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const person = openPerson(gateway)
    const message = await challenge(person, wallet.address)
    await verify(person, message, await wallet.signMessage({ message }))
    const ways = await person.json<{ wallets: { id: string }[] }>('GET', '/console/account')
    const refused = await person.call('DELETE', `/console/account/wallets/${ways.wallets[0]?.id ?? ''}`)
    expect(await refusalOf(refused)).toEqual([409, 'last_way_in'])
    expect(await refusalOf(await person.call('DELETE', '/console/account/wallets/none'))).toEqual([
      404,
      'wallet_not_found',
    ])
  })

  const openByWallet = async () => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const person = openPerson(gateway)
    const message = await challenge(person, wallet.address)
    await verify(person, message, await wallet.signMessage({ message }))
    return { wallet, person }
  }
  const askFor = (person: BrowserSession, email: string) => person.call('POST', '/console/account/email', { email })
  const prove = (person: BrowserSession, token: string) =>
    person.call('POST', '/console/account/email/proof', { token })

  test('an email address counts for a wallet’s owner once its link was opened in their own session, once', async () => {
    const { person, wallet } = await openByWallet()
    expect(await (await askFor(person, 'Lovelace@Example.com')).json()).toEqual({ done: true })
    const email = await takeMail(mail, 'lovelace@example.com', /Confirm/)
    expect(linkIn(email).pathname).toBe('/console/confirm-email')
    expect((await visitOf(person)).user).toMatchObject({ email: null })
    // Neither a stranger nor a person with an account can take it, and trying uses nothing up.
    const other = await openByWallet()
    const token = tokenIn(email)
    expect(await refusalOf(await prove(openPerson(gateway), token))).toEqual([401, 'not_signed_in'])
    expect(await refusalOf(await prove(other.person, token))).toEqual([422, 'email_not_proven'])
    expect(await rowsOf('sign_in_verification')).not.toContain(token)
    expect((await prove(person, token)).status).toBe(200)
    expect((await visitOf(person)).user).toMatchObject({ email: 'lovelace@example.com' })
    expect(await refusalOf(await prove(person, token))).toEqual([409, 'email_already_set'])
    expect(await refusalOf(await askFor(person, 'another@example.com'))).toEqual([409, 'email_already_set'])
    // It is a way in now, so the wallet may go.
    const { user } = await visitOf(await signInByMail(gateway, mail, 'lovelace@example.com'))
    expect(user?.id).toBe((await visitOf(person)).user?.id)
    const ways = await person.json<{ wallets: { id: string; address: string }[] }>('GET', '/console/account')
    expect(ways.wallets).toMatchObject([{ address: wallet.address }])
    expect((await person.call('DELETE', `/console/account/wallets/${ways.wallets[0]?.id ?? ''}`)).status).toBe(200)
  })

  test('a person who asks for a taken address learns nothing, and its owner is notified', async () => {
    await signInByMail(gateway, mail, 'owner@example.com')
    const { person } = await openByWallet()
    const answers = []
    for (const email of ['owner@example.com', 'nobody-yet@example.com']) {
      const response = await askFor(person, email)
      answers.push([response.status, await response.text()])
    }
    expect(answers[0]).toEqual(answers[1])
    const told = await takeMail(mail, 'owner@example.com', /already/)
    expect(linkIn(told).pathname).toBe('/console/sign-in')
    expect(linkIn(told).hash).toBe('')
    // Another person makes an account with an address while the email waits: it is theirs.
    const token = tokenIn(await takeMail(mail, 'nobody-yet@example.com', /Confirm/))
    await signInByMail(gateway, mail, 'nobody-yet@example.com')
    expect(await refusalOf(await prove(person, token))).toEqual([409, 'email_taken'])
    expect((await visitOf(person)).user).toMatchObject({ email: null })
  })

  test('a link to an address ends by time, and one of two that are opened together counts', async () => {
    const { person } = await openByWallet()
    const tokenFor = async (email: string): Promise<string> => {
      expect((await askFor(person, email)).status).toBe(200)
      return tokenIn(await takeMail(mail, email, /Confirm/))
    }
    const old = await tokenFor('old@example.com')
    await run(`update sign_in_verification set expires_at = '2020-01-01T00:00:00.000Z'`)
    expect(await refusalOf(await prove(person, old))).toEqual([422, 'email_not_proven'])
    const tokens = [await tokenFor('first@example.com'), await tokenFor('second@example.com')]
    const outcomes = await Promise.all(tokens.map(async (token) => (await prove(person, token)).status))
    expect(outcomes.toSorted((one, other) => one - other)).toEqual([200, 409])
    expect(await refusalOf(await askFor(person, 'no address'))).toEqual([400, 'invalid_value'])
  })

  test('of two wallets that are removed at the same time one stays, where there is no other way in', async () => {
    const { person } = await openByWallet()
    const second = privateKeyToAccount(generatePrivateKey())
    const place = { address: second.address, chain_id: 1 }
    const { message } = await person.json<{ message: string }>('POST', '/console/account/wallets/challenge', place)
    const signature = await second.signMessage({ message })
    await person.json('POST', '/console/account/wallets', { message, signature })
    const listed = () => person.json<{ wallets: { id: string }[] }>('GET', '/console/account')
    const { wallets } = await listed()
    expect(wallets).toHaveLength(2)
    await Promise.all(wallets.map(({ id }) => person.call('DELETE', `/console/account/wallets/${id}`)))
    expect((await listed()).wallets.length).toBeGreaterThan(0)
  })

  test('a password can be set, changed with the old one alone, and ends the other sessions', async () => {
    const person = await signInByMail(gateway, mail, 'pass@example.com')
    const elsewhere = await signInByMail(gateway, mail, 'pass@example.com')
    const set = (body: object) => person.call('POST', '/console/account/password', body)
    expect(await refusalOf(await set({ next: 'too short' }))).toEqual([400, 'invalid_value'])
    expect((await set({ next: PASSWORD })).status).toBe(200)
    expect((await elsewhere.call('GET', '/console/account')).status).toBe(401)
    expect(await refusalOf(await set({ next: `${PASSWORD} 2` }))).toEqual([403, 'wrong_password'])
    expect((await set({ current: PASSWORD, next: `${PASSWORD} 2` })).status).toBe(200)
    const email = 'pass@example.com'
    const other = openPerson(gateway)
    expect((await other.call('POST', '/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(401)
    expect((await other.call('POST', '/auth/sign-in/email', { email, password: `${PASSWORD} 2` })).status).toBe(200)
  })

  test('a name is changed, and never holds what cannot be seen', async () => {
    const person = await signInByMail(gateway, mail, 'name@example.com')
    await person.json('PATCH', '/console/account', { name: '  Grace Hopper ' })
    expect((await visitOf(person)).user?.name).toBe('Grace Hopper')
    for (const name of ['', '  ', 'a\u202eb', 'a\nb', 'x'.repeat(65)]) {
      expect((await person.call('PATCH', '/console/account', { name })).status).toBe(400)
    }
  })
})
