import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startMailServer, type TestMailServer } from '../../../testing/mail-server.ts'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import type { DatabaseEngine } from '../db/database.ts'
import { createLogger } from '../runtime/log.ts'
import { createFileMailer } from './file-mailer.ts'
import type { Mailer } from './mailer.ts'
import { hurryMail, listMail, suppressRecipient } from './manage-outbox.ts'
import { createOutboxStore, type MailWindow } from './outbox-store.ts'
import {
  deliverDueMail,
  deliverMail,
  type OutboxDeps,
  queueMail,
  type QueueResult,
  RETRY_WAITS_MS,
  sendMail,
} from './outbox.ts'
import { createSmtpMailer } from './smtp-mailer.ts'

const HOUR_MS = 3_600_000
const sender = { name: 'SVC', address: 'no-reply@gateway.example' }
const content = { subject: 'Funding receipt', text: 'plain words', html: '<p>marked words</p>' }
const windowsOf = (windows: readonly MailWindow[]): OutboxDeps['windows'] => ({
  funding_receipt: windows,
  sign_in_link: windows,
  invitation: windows,
  low_balance: windows,
})

function suite(engine: DatabaseEngine): void {
  let opened: TestDatabase
  let server: TestMailServer
  let now: number
  let accountId: string
  let logged: string[]

  beforeEach(async () => {
    opened = await openTestDatabase(engine)
    server = await startMailServer()
    now = 1_795_000_000_000
    logged = []
    accountId = (await seedCaller(opened.database)).accountId
  })
  afterEach(async () => {
    await server.close()
    await opened.close()
  })

  function createDeps(more: Partial<OutboxDeps> = {}): OutboxDeps {
    const { host, port } = server
    return {
      store: createOutboxStore(opened.database),
      mailer: createSmtpMailer({ host, port, isSecure: false, requiresTls: false, login: null }, () =>
        Promise.resolve(sender),
      ),
      clock: { now: () => now },
      log: createLogger({ level: 'debug', sink: { write: (line) => void logged.push(line) } }),
      secret: 'the secret of these tests',
      windows: windowsOf([]),
      ...more,
    }
  }

  const queue = (deps: OutboxDeps, recipient = 'ada@example.com', topic = 'deposit-1'): Promise<QueueResult> =>
    queueMail(deps, { kind: 'funding_receipt', accountId, topic, recipient, content })

  async function queueOne(deps: OutboxDeps, recipient?: string, topic?: string): Promise<string> {
    const result = await queue(deps, recipient, topic)
    if (result.kind !== 'queued') throw new Error(`the email was not queued: ${result.kind}`)
    return result.mailId
  }

  test('an email reaches its one recipient, with both forms of its text', async () => {
    const deps = createDeps()
    const mailId = await queueOne(deps)
    expect(await deliverMail(deps, mailId)).toBe('sent')
    const [mail, ...others] = server.received
    expect(others).toEqual([])
    expect(mail).toMatchObject({ envelopeFrom: sender.address, envelopeTo: ['ada@example.com'] })
    const { parsed } = mail as NonNullable<typeof mail>
    expect(parsed).toMatchObject({ subject: content.subject, messageId: `<${mailId}@gateway.example>` })
    expect([parsed.text?.trim(), parsed.html]).toEqual(['plain words', '<p>marked words</p>'])
    expect(parsed.headers.get('auto-submitted')).toBe('auto-generated')
  })

  test('a delivered email leaves neither recipient nor text in the database, and none in the log', async () => {
    const deps = createDeps()
    await deliverMail(deps, await queueOne(deps))
    const rows = await opened.database.read.selectFrom('mail_outbox').selectAll().execute()
    expect(rows).toMatchObject([{ state: 'sent', recipient: null, content: null, attempts: 1 }])
    expect(JSON.stringify(rows) + logged.join('')).not.toMatch(/ada@|example\.com/)
  })

  test('what a waiting email says is sealed: neither the database nor another secret opens it', async () => {
    const deps = createDeps()
    const mailId = await queueOne(deps)
    const [row] = await opened.database.read.selectFrom('mail_outbox').select('content').execute()
    expect(row?.content).toMatch(/^[A-Za-z0-9+/=]+$/)
    expect(Buffer.from(row?.content ?? '', 'base64').toString('latin1')).not.toContain('words')
    expect(await deliverMail(createDeps({ secret: 'another secret' }), mailId)).toBe('refused')
    expect(server.received).toEqual([])
    expect(await listMail(deps, { limit: 1 })).toMatchObject([{ state: 'failed', errorCode: 'EUNREADABLE' }])
  })

  test('an email that must not come late is dropped in time, and never sent after it', async () => {
    const deps = createDeps()
    const request = { kind: 'sign_in_link', accountId: null, recipient: 'ada@example.com', content } as const
    const [late, soon] = await Promise.all([
      queueMail(deps, { ...request, topic: 'link-1', expiresAt: now + 90_000 }),
      queueMail(deps, { ...request, topic: 'link-2', expiresAt: now + 30_000 }),
    ])
    if (late.kind !== 'queued' || soon.kind !== 'queued') throw new Error('the emails were not queued')
    server.refuse({ status: 451, text: 'later' })
    // Its next attempt would come after its end.
    expect(await deliverMail(deps, soon.mailId)).toBe('refused')
    expect(await deliverMail(deps, late.mailId)).toBe('queued')
    server.refuse(null)
    now += 90_000
    await deliverDueMail(deps)
    expect(server.received).toEqual([])
    const rows = await opened.database.read
      .selectFrom('mail_outbox')
      .select(['state', 'recipient', 'content'])
      .execute()
    expect(rows).toEqual([
      { state: 'failed', recipient: null, content: null },
      { state: 'failed', recipient: null, content: null },
    ])
  })

  test('emails of one kind never use up the places of another', async () => {
    const deps = createDeps({ windows: windowsOf([{ of: 'all', max: 1, withinMs: HOUR_MS }]) })
    expect(await queue(deps, 'ada@example.com', 'deposit-1')).toMatchObject({ kind: 'queued' })
    expect(await queue(deps, 'bob@example.com', 'deposit-2')).toMatchObject({ kind: 'throttled' })
    const link = {
      kind: 'sign_in_link',
      accountId: null,
      topic: 'link',
      recipient: 'ada@example.com',
      content,
    } as const
    expect(await queueMail(deps, link)).toMatchObject({ kind: 'queued' })
  })

  test('an email that waits goes out once, however many processes look after it', async () => {
    const deps = createDeps()
    await queueOne(deps)
    await Promise.all(Array.from({ length: 8 }, () => deliverDueMail(createDeps())))
    expect(server.received).toHaveLength(1)
  })

  test('a mail server that cannot be reached is tried again, each time later, until it answers', async () => {
    const { port } = server
    await server.close()
    const attempts: string[] = []
    const deps = createDeps({ onAttempt: (outcome) => void attempts.push(outcome) })
    const mailId = await queueOne(deps)
    expect(await deliverMail(deps, mailId)).toBe('queued')
    await deliverDueMail(deps)
    expect(await listMail(deps, { limit: 10 })).toMatchObject([
      { state: 'queued', attempts: 1, nextAttemptAt: now + (RETRY_WAITS_MS[0] ?? 0), errorCode: 'ESOCKET' },
    ])
    now += RETRY_WAITS_MS[0] ?? 0
    await deliverDueMail(deps)
    expect(await listMail(deps, { limit: 10 })).toMatchObject([
      { attempts: 2, nextAttemptAt: now + (RETRY_WAITS_MS[1] ?? 0) },
    ])
    server = await startMailServer({ port })
    now += RETRY_WAITS_MS[1] ?? 0
    await deliverDueMail(deps)
    expect(server.received.map(({ envelopeTo }) => envelopeTo)).toEqual([['ada@example.com']])
    expect(await listMail(deps, { limit: 10 })).toMatchObject([{ state: 'sent', attempts: 3, errorCode: null }])
    expect(attempts).toEqual(['postponed', 'postponed', 'sent'])
  })

  test('an email fails for good after its last attempt, and the log says so without an address', async () => {
    server.refuse({ status: 451, text: 'not now, ada@example.com' })
    const ends: string[] = []
    const deps = createDeps({ onAttempt: (outcome) => void ends.push(outcome) })
    await queueOne(deps)
    for (const wait of [...RETRY_WAITS_MS, 0]) {
      await deliverDueMail(deps)
      now += wait
    }
    const attempts = RETRY_WAITS_MS.length + 1
    expect(await listMail(deps, { state: 'failed', limit: 10 })).toMatchObject([
      { attempts, errorCode: 'EENVELOPE 451' },
    ])
    expect(ends.filter((end) => end !== 'postponed')).toEqual(['failed'])
    expect(logged.join('')).toContain('an email was not delivered')
    expect(logged.join('')).not.toContain('ada@')
    now += 30 * 24 * HOUR_MS
    await deliverDueMail(deps)
    expect(server.received).toEqual([])
  })

  test('a recipient whom the mail server refuses for good is not tried again, and may be asked for anew', async () => {
    server.refuse({ status: 550, text: 'no such user ada@example.com' })
    const deps = createDeps()
    expect(await deliverMail(deps, await queueOne(deps))).toBe('refused')
    server.refuse(null)
    now += 40 * 24 * HOUR_MS
    await deliverDueMail(deps)
    expect(server.received).toEqual([])
    expect(await deliverMail(deps, await queueOne(deps))).toBe('sent')
  })

  // A process that died in the middle of an attempt leaves the email taken, and a restart must find it.
  test('an email that a clock ahead put off for a month goes out all the same', async () => {
    const deps = createDeps()
    const mailId = await queueOne(deps)
    await deps.store.postpone(mailId, now + 30 * 24 * HOUR_MS, 'ESOCKET')
    await deliverDueMail(deps)
    expect(await listMail(deps, { limit: 1 })).toMatchObject([{ mailId, state: 'sent' }])
  })

  test('an attempt that never ended is made again', async () => {
    const deps = createDeps()
    const never: Mailer = { send: () => new Promise(() => undefined) }
    void deliverMail(createDeps({ mailer: never }), await queueOne(deps))
    await expect.poll(async () => (await listMail(deps, { limit: 1 }))[0]?.attempts).toBe(1)
    await deliverDueMail(deps)
    expect(server.received).toEqual([])
    now += 5 * 60_000
    await deliverDueMail(deps)
    expect(server.received).toHaveLength(1)
  })

  test('whoever sends an email learns how its first attempt ended, however many rounds run meanwhile', async () => {
    const deps = createDeps()
    const { store } = deps
    // As on a busy machine: rounds of this and other processes run between the email's row and its first attempt.
    const crowded = {
      ...store,
      insert: async (...mail: Parameters<typeof store.insert>) => {
        const result = await store.insert(...mail)
        await deliverDueMail(deps)
        return result
      },
    }
    const request = { kind: 'funding_receipt', accountId, recipient: 'ada@example.com', content } as const
    const sent = await sendMail(createDeps({ store: crowded }), { ...request, topic: 'deposit-1' })
    if (sent.kind !== 'queued') throw new Error(`the email was not queued: ${sent.kind}`)
    expect(await sent.delivery).toBe('sent')
    expect(server.received).toHaveLength(1)
  })

  test('an email whose sender died before its first attempt is sent by a round', async () => {
    const deps = createDeps()
    const dead = { ...deps.store, take: () => Promise.reject(new Error('the process is gone')) }
    const request = { kind: 'funding_receipt', accountId, recipient: 'ada@example.com', content } as const
    const sent = await sendMail(createDeps({ store: dead }), { ...request, topic: 'deposit-1' })
    if (sent.kind !== 'queued') throw new Error(`the email was not queued: ${sent.kind}`)
    expect(await sent.delivery).toBe('queued')
    now += 2 * 60_000
    await deliverDueMail(deps)
    expect(server.received).toHaveLength(1)
  })

  test('one recipient gets one email about one matter, in whatever spelling', async () => {
    const deps = createDeps()
    await queueOne(deps, 'ada.lovelace@example.com')
    for (const spelling of ['Ada.Lovelace@Example.com', 'adalovelace@example.com', 'ada.lovelace+again@example.com']) {
      expect(await queue(deps, spelling)).toEqual({ kind: 'repeated' })
    }
    await queueOne(deps, 'ada.lovelace@example.com', 'deposit-2')
    await queueOne(deps, 'eve@example.com')
  })

  // B129: a limit that is looked at before it is used lets too many through when all come at once.
  test('no window is ever overfull, though all come at once from several processes', async () => {
    const windows: readonly MailWindow[] = [{ of: 'account', max: 3, withinMs: HOUR_MS }]
    const others = await Promise.all([opened.openAgain(), opened.openAgain()])
    const stores = [opened.database, ...others].map((database) => createOutboxStore(database))
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, index) => {
        const store = stores[index % stores.length] as OutboxDeps['store']
        return queue(createDeps({ store, windows: windowsOf(windows) }), `user${index}@example.com`, `deposit-${index}`)
      }),
    )
    expect(results.filter(({ kind }) => kind === 'queued')).toHaveLength(3)
    expect(results.filter(({ kind }) => kind === 'throttled')).toHaveLength(21)
  })

  test('each window counts what it is about, says when there is room again, and has room then', async () => {
    const windows: readonly MailWindow[] = [
      { of: 'recipient', max: 1, withinMs: HOUR_MS },
      { of: 'account', max: 2, withinMs: 24 * HOUR_MS },
      { of: 'all', max: 3, withinMs: 48 * HOUR_MS },
    ]
    const deps = createDeps({ windows: windowsOf(windows) })
    await queueOne(deps, 'ada@example.com', 'deposit-1')
    now += 1_000
    expect(await queue(deps, 'ada@example.com', 'deposit-2')).toEqual({
      kind: 'throttled',
      retryAfterMs: HOUR_MS - 1_000,
    })
    await queueOne(deps, 'eve@example.com', 'deposit-2')
    expect(await queue(deps, 'bob@example.com', 'deposit-3')).toMatchObject({ retryAfterMs: 24 * HOUR_MS - 1_000 })
    const other = (await seedCaller(opened.database)).accountId
    const request = { kind: 'funding_receipt', topic: 'deposit-4', content } as const
    expect(await queueMail(deps, { ...request, accountId: other, recipient: 'bob@example.com' })).toMatchObject({
      kind: 'queued',
    })
    expect(await queueMail(deps, { ...request, accountId: other, recipient: 'joe@example.com' })).toMatchObject({
      kind: 'throttled',
      retryAfterMs: 48 * HOUR_MS - 1_000,
    })
    now += 48 * HOUR_MS
    await queueOne(deps, 'ada@example.com', 'deposit-5')
  })

  test('a recipient who wants no emails gets none', async () => {
    const deps = createDeps()
    expect(await suppressRecipient(deps, 'Ada@example.com')).toBe(true)
    expect(await suppressRecipient(deps, 'ada+x@example.com')).toBe(false)
    expect(await queue(deps, 'ada@example.com')).toEqual({ kind: 'suppressed' })
    await queueOne(deps, 'eve@example.com')
  })

  test('an operator can have a waiting email tried at once, and no other', async () => {
    server.refuse({ status: 451, text: 'later' })
    const deps = createDeps()
    const mailId = await queueOne(deps)
    await deliverMail(deps, mailId)
    server.refuse(null)
    expect(await hurryMail(deps, mailId)).toBe(true)
    await deliverDueMail(deps)
    expect(server.received).toHaveLength(1)
    expect(await hurryMail(deps, mailId)).toBe(false)
  })

  test('without a mail server an email becomes a file that only its owner can read', async () => {
    const folder = join(opened.dataDir, 'outbox')
    const deps = createDeps({ mailer: createFileMailer(folder, () => Promise.resolve(sender)) })
    const mailId = await queueOne(deps)
    expect(await deliverMail(deps, mailId)).toBe('sent')
    expect(await readdir(folder)).toEqual([`${mailId}.eml`])
    const parsed = await simpleParser(await readFile(join(folder, `${mailId}.eml`)))
    expect(parsed).toMatchObject({ subject: content.subject, to: { text: 'ada@example.com' } })
    const { mode } = await import('node:fs/promises').then(({ stat }) => stat(join(folder, `${mailId}.eml`)))
    expect(mode & 0o777).toBe(0o600)
  })
}

describeEachEngine('emails', suite)
