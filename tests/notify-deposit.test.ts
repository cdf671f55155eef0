/** The receipt of a deposit by mail: from a whole gateway through a real SMTP server. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { creditedDeposit, randomHash } from '../packages/server/testing/credited-deposit.ts'
import { seedReadyDeposit, seenDeposit } from '../packages/server/testing/seed-deposit.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount, startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useMailServer } from '../packages/server/testing/use-mail-server.ts'
import type { Deposit } from '../packages/server/src/deposits/deposit.ts'
import { errorOf } from './error-of.ts'

const wideReceipts = {
  receipts_per_recipient_hour: 1_000_000,
  receipts_per_recipient_day: 1_000_000,
  receipts_per_account_day: 1_000_000,
  receipts_per_hour: 1_000_000,
}

const server = useMailServer()

const withMail = (limits: object = {}) => ({
  file: { limits: { ...wideReceipts, ...limits } },
  env: {
    SVC_SMTP_URL: server.url,
    SVC_MAIL_FROM: 'SVC receipts <no-reply@gateway.example>',
    SVC_PUBLIC_URL: 'https://gateway.example',
  },
})

function notify(gateway: TestGateway, body: object, path = '/notify/deposit', key?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return gateway.fetch(path, {
    ...{ method: 'POST', headers, body: JSON.stringify(body) },
    ...(key === undefined ? {} : { key }),
  })
}

describeEachEngine('a funding receipt', (engine) => {
  const gateway = useGateway(() => ({ engine, ...withMail() }))
  let deposit: Deposit
  let body: { email: string; txHash: string; credits: number; asset: string }
  let recipients = 0

  beforeEach(async () => {
    server.refuse(null)
    server.received.length = 0
    deposit = await creditedDeposit(gateway.gateway, gateway.accountId)
    body = { email: `ada${recipients++}@example.com`, txHash: deposit.txHash, credits: 25_000, asset: 'USDG' }
  })

  const answer = async (more: object = {}): Promise<unknown> => (await notify(gateway, { ...body, ...more })).json()

  test('goes to the one address, with amounts and link of our records, as text and as HTML', async () => {
    const response = await notify(gateway, body)
    expect([response.status, await response.json()]).toEqual([200, { sent: true }])
    expect(server.received).toHaveLength(1)
    const { envelopeFrom, envelopeTo, parsed } = server.received[0] as (typeof server.received)[number]
    expect([envelopeFrom, envelopeTo]).toEqual(['no-reply@gateway.example', [body.email]])
    expect(parsed.from?.text).toBe('"SVC receipts" <no-reply@gateway.example>')
    expect([parsed.to, parsed.cc, parsed.bcc, parsed.replyTo]).toMatchObject([
      { text: body.email },
      undefined,
      undefined,
      undefined,
    ])
    expect(parsed.subject).toBe('Funding receipt: 25,000 credits added')
    expect(parsed.text).toMatch(/^Funding receipt from SVC\n/)
    for (const form of [parsed.text ?? '', String(parsed.html)]) {
      expect(form).toContain('25 USDG')
      expect(form).toContain('25,000')
      expect(form).toContain('25 USD')
      expect(form).toContain('Robinhood Chain')
      expect(form).toContain(deposit.txHash)
      expect(form).toContain(`dep_${deposit.depositId}`)
      expect(form).toContain(`https://gateway.example/console/team/${gateway.teamId}/fund`)
    }
  })

  // Spec 4: the two last paths are ambiguous, so both addresses answer, without a redirect.
  test('is sent at both addresses, and the second says that it is deprecated', async () => {
    const second = await notify(gateway, body, '/api/notify/deposit')
    expect([second.status, second.redirected, await second.json()]).toEqual([200, false, { sent: true }])
    expect(second.headers.get('deprecation')).toBe('true')
    const first = await notify(gateway, body)
    expect(first.headers.get('deprecation')).toBeNull()
    expect(await first.json()).toEqual({ sent: false, reason: 'throttled' })
    expect((await gateway.fetch('/api/notify/deposit')).status).toBe(405)
  })

  test('goes once for each deposit and address, also when asked for many times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => answer()))
    expect(answers.filter((each) => JSON.stringify(each) === '{"sent":true}')).toHaveLength(1)
    expect(
      await answer({ txHash: deposit.txHash.toUpperCase().replace('0X', ''), email: body.email.toUpperCase() }),
    ).toEqual({ sent: false, reason: 'throttled' })
    expect(server.received).toHaveLength(1)
  })

  test('is of a credited deposit of the account, and of no other', async () => {
    const pending = await seedReadyDeposit(
      gateway.gateway.database,
      seenDeposit(gateway.accountId, { txHash: randomHash() }),
    )
    const other = await createTestAccount(gateway.gateway, '1')
    const foreign = await creditedDeposit(gateway.gateway, other.accountId)
    for (const txHash of [pending.txHash, foreign.txHash, randomHash()]) {
      expect(await answer({ txHash })).toEqual({ sent: false, reason: 'unknown_deposit' })
    }
    expect(server.received).toEqual([])
  })

  test('is refused where credits or asset are not those of the deposit', async () => {
    for (const more of [{ credits: 25_000.000000001 }, { credits: 24_999 }, { credits: -25_000 }, { asset: 'ETH' }]) {
      expect(await answer(more)).toEqual({ sent: false, reason: 'mismatch' })
    }
    expect(server.received).toEqual([])
  })

  test('reads the credits from their digits, and takes what a float makes of them', async () => {
    const credits = 900_719_925_474_099_301n
    const large = await creditedDeposit(gateway.gateway, gateway.accountId, { credits, amount: 10n ** 12n })
    const post = (digits: string, email: string): Promise<unknown> =>
      gateway
        .fetch('/notify/deposit', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"email":"${email}","txHash":"${large.txHash}","asset":"USDG","credits":${digits}}`,
        })
        .then((response) => response.json())
    expect(await post('900719925.474099301', 'exact@example.com')).toEqual({ sent: true })
    expect(await post(String(Number('900719925.474099301')), 'float@example.com')).toEqual({ sent: true })
    expect(await post('900719925.474098301', 'wrong@example.com')).toEqual({ sent: false, reason: 'mismatch' })
  })

  test('holds all transfers of the transaction together', async () => {
    const txHash = randomHash()
    const parts = { txHash, credits: 1_000_000_000_000n, amount: 1_000_000n }
    for (const ordinal of ['log:0', 'log:1', 'log:2']) {
      await creditedDeposit(gateway.gateway, gateway.accountId, { ...parts, ordinal })
    }
    expect(await answer({ txHash, credits: 1_000 })).toEqual({ sent: false, reason: 'mismatch' })
    expect(await answer({ txHash, credits: 3_000 })).toEqual({ sent: true })
    expect(server.received[0]?.parsed.text).toContain('3 USDG')
  })

  test('waits where the mail server is away, and goes out when it is back', async () => {
    server.refuse({ status: 451, text: `try later, ${body.email}` })
    expect(await answer()).toEqual({ sent: false, reason: 'queued' })
    server.refuse(null)
    await gateway.gateway.database.write([
      gateway.gateway.database.read
        .updateTable('mail_outbox')
        .set({ next_attempt_at: 0 })
        .where('state', '=', 'queued')
        .compile(),
    ])
    await expect.poll(() => server.received.length).toBe(1)
    expect(server.received[0]?.envelopeTo).toEqual([body.email])
  }, 30_000)

  test('that the mail server will never take is refused at once', async () => {
    server.refuse({ status: 550, text: 'no such user' })
    expect(await answer()).toEqual({ sent: false, reason: 'refused' })
  })

  test('leaves no address in the log and, once it is out, none in the database', async () => {
    await answer({ email: 'canary.4f1d@example.com' })
    server.refuse({ status: 550, text: 'no such user canary.9b77@example.com' })
    await answer({ email: 'canary.9b77@example.com' })
    expect(gateway.logged.join('')).not.toContain('canary.')
    const rows = await gateway.gateway.database.read.selectFrom('mail_outbox').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('canary.')
  })

  test('needs a key that is valid and has the right', async () => {
    expect((await errorOf(await notify(gateway, body, undefined, 'sk-svc-nothing'))).code).toBe('invalid_api_key')
    const { rawKey } = await gateway.createKey({ rights: ['inference', 'keys'] })
    expect((await errorOf(await notify(gateway, body, undefined, rawKey))).code).toBe('key_scope_denied')
    const revoked = await gateway.createKey()
    await gateway.revokeKey(revoked.keyId)
    expect((await errorOf(await notify(gateway, body, undefined, revoked.rawKey))).code).toBe('invalid_api_key')
    expect(server.received).toEqual([])
  })

  test.each([
    ['email', { email: 'ada@example.com,eve@example.com' }, 'invalid_value'],
    ['email', { email: ['ada@example.com'] }, 'invalid_value'],
    ['email', { email: undefined }, 'missing_required_parameter'],
    ['txHash', { txHash: '0x12' }, 'invalid_value'],
    ['txHash', { txHash: 'a'.repeat(200) }, 'invalid_value'],
    ['credits', { credits: '25000' }, 'invalid_value'],
    ['asset', { asset: 'USDC' }, 'invalid_value'],
  ])('names %s where it is wrong: %o', async (param, more, code) => {
    expect(await errorOf(await notify(gateway, { ...body, ...more }))).toMatchObject({ code, param })
  })
})

test('the limits hold for account, recipient and all, and say when there is room', async () => {
  server.received.length = 0
  const limits = { receipts_per_recipient_hour: 1, receipts_per_account_day: 2, receipts_per_hour: 3 }
  const gateway = await startTestGateway(withMail(limits))
  const ask = async (email: string, accountId = gateway.accountId, key = gateway.key): Promise<unknown> => {
    const { txHash } = await creditedDeposit(gateway.gateway, accountId)
    return (await notify(gateway, { email, txHash, credits: 25_000, asset: 'USDG' }, undefined, key)).json()
  }
  const throttled = { sent: false, reason: 'throttled', retry_after: expect.any(Number) }
  expect(await ask('ada@example.com')).toEqual({ sent: true })
  expect(await ask('ada+1@example.com')).toEqual(throttled)
  expect(await ask('eve@example.com')).toEqual({ sent: true })
  expect(await ask('bob@example.com')).toEqual(throttled)
  const other = await createTestAccount(gateway.gateway, '1')
  const { rawKey } = await gateway.createKey({ accountId: other.accountId, teamId: other.teamId })
  expect(await ask('bob@example.com', other.accountId, rawKey)).toEqual({ sent: true })
  expect(await ask('joe@example.com', other.accountId, rawKey)).toEqual(throttled)
  expect(server.received.map(({ envelopeTo }) => envelopeTo)).toEqual([
    ['ada@example.com'],
    ['eve@example.com'],
    ['bob@example.com'],
  ])
  await gateway.stop()
})

test('a gateway on loopback without a mail server writes receipts into its data folder', async () => {
  const gateway = await startTestGateway()
  const { txHash } = await creditedDeposit(gateway.gateway, gateway.accountId)
  const answer = await notify(gateway, { email: 'ada@example.com', txHash, credits: 25_000, asset: 'USDG' })
  expect(await answer.json()).toEqual({ sent: true })
  const [name = ''] = await readdir(join(gateway.dataDir, 'outbox'))
  expect(await readFile(join(gateway.dataDir, 'outbox', name), 'utf8')).toContain('To: ada@example.com')
  await gateway.stop()
})
