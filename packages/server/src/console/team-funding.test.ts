import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { creditedDeposit } from '../../testing/credited-deposit.ts'
import { eventually } from '../../testing/eventually.ts'
import { seedReadyDeposit, seenDeposit } from '../../testing/seed-deposit.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { useMailServer } from '../../testing/use-mail-server.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

interface DepositList {
  readonly data: readonly { readonly id: string; readonly credits: number; readonly eta_seconds: number | null }[]
  readonly has_more: boolean
  readonly last_id: string
}

interface Statement {
  readonly opening_credits: number
  readonly closing_credits: number
  readonly sums: readonly { readonly kind: string; readonly entries: number; readonly credits: number }[]
}

describeEachEngine('deposits of a team', (engine) => {
  const mails = useMailServer()
  const gateway = useGateway(() => ({
    engine,
    env: { SVC_SMTP_URL: mails.url, SVC_MAIL_FROM: 'no-reply@gateway.example' },
  }))
  let browser: BrowserSession
  let accountId = ''
  let base = ''

  beforeAll(async () => {
    browser = createBrowserSession(gateway.baseUrl)
    await browser.json('POST', '/auth/sign-in/demo', {})
    const team = await createTestAccount(gateway.gateway, '7', 'Crew')
    accountId = team.accountId
    base = `/console/teams/${team.teamId}`
    const { user } = await browser.json<{ user: { id: string } }>('GET', '/console/session')
    const store = createTeamStore(gateway.gateway.database)
    await store.addMember({ teamId: team.teamId, userId: user.id, role: 'billing', createdAt: Date.now() })
  })

  const codeOf = async (response: Response): Promise<[number, string]> => [
    response.status,
    ((await response.json()) as { error: { code: string } }).error.code,
  ]

  test('say that none are taken where no chain is configured', async () => {
    const place = await browser.json('GET', `${base}/deposits/address`)
    expect(place).toMatchObject({ chains: [], mails_receipts: true })
    const claim = { txHash: `0x${'ab'.repeat(32)}`, asset: 'USDG', chainId: 4663 }
    expect((await codeOf(await browser.call('POST', `${base}/deposits/claim`, claim)))[0]).toBeGreaterThan(400)
  })

  test('are listed page by page, and another account’s are not there', async () => {
    for (const credits of [2n, 3n, 4n]) {
      await creditedDeposit(gateway.gateway, accountId, { credits: credits * 1_000_000_000_000n })
    }
    const foreign = await creditedDeposit(gateway.gateway, gateway.accountId)
    const first = await browser.json<DepositList>('GET', `${base}/deposits?limit=2`)
    expect(first).toMatchObject({ has_more: true, data: [{ credits: 4_000, eta_seconds: null }, { credits: 3_000 }] })
    const rest = await browser.json<DepositList>('GET', `${base}/deposits?limit=2&after=${first.last_id}`)
    expect(rest).toMatchObject({ has_more: false, data: [{ credits: 2_000 }] })
    const [newest] = first.data
    expect(await browser.json('GET', `${base}/deposits/${newest?.id}`)).toEqual(newest)
    const answer = await browser.call('GET', `${base}/deposits/dep_${foreign.depositId}`)
    expect(await codeOf(answer)).toEqual([404, 'deposit_not_found'])
  })

  test('have a receipt for the named recipient, once they are credited', async () => {
    const deposit = await creditedDeposit(gateway.gateway, accountId)
    const send = (id: string, email: string): Promise<Response> =>
      browser.call('POST', `${base}/deposits/dep_${id}/receipt`, { email })
    expect(await (await send(deposit.depositId, 'ada@example.com')).json()).toEqual({ sent: true })
    expect(mails.received.at(-1)).toMatchObject({ envelopeTo: ['ada@example.com'] })
    expect(mails.received.at(-1)?.parsed.text).toContain(deposit.txHash)
    expect(await (await send(deposit.depositId, 'ada@example.com')).json()).toMatchObject({ reason: 'throttled' })
    expect((await codeOf(await send(deposit.depositId, 'Ada <ada@example.com>')))[0]).toBe(400)
    const waiting = await seedReadyDeposit(gateway.gateway.database, seenDeposit(accountId, { ordinal: 'log:7' }))
    const early = await send(waiting.depositId, 'grace@example.com')
    expect(await early.json()).toEqual({ sent: false, reason: 'unknown_deposit' })
    const foreign = await creditedDeposit(gateway.gateway, gateway.accountId)
    expect(await codeOf(await send(foreign.depositId, 'eve@example.com'))).toEqual([404, 'deposit_not_found'])
    expect(mails.received).toHaveLength(1)
  })

  test('have a receipt of the ledger log, as each line of the statement has, and no line of another account', async () => {
    const { data } = await browser.json<DepositList>('GET', `${base}/deposits`)
    const depositId = data.at(-1)?.id.replace('dep_', '') ?? ''
    const receiptOf = (id: string) => browser.call('GET', `${base}/statement/entries/${encodeURIComponent(id)}/receipt`)
    const entryOf = (id: string) =>
      eventually(async () => {
        const answer = await receiptOf(id)
        expect(answer.status).toBe(200)
        return ((await answer.json()) as { entry: { id: string; kind: string } }).entry
      })
    for (const id of [depositId, `dep_${depositId}`]) {
      expect(await entryOf(id)).toMatchObject({ id: depositId, kind: 'deposit' })
    }
    const grant = await gateway.gateway.database.read
      .selectFrom('transfer')
      .select('transfer_id as id')
      .where('account_id', '=', accountId)
      .where('kind', '=', 'grant')
      .executeTakeFirstOrThrow()
    expect(await entryOf(grant.id)).toMatchObject({ id: grant.id, kind: 'grant' })
    const foreign = await creditedDeposit(gateway.gateway, gateway.accountId)
    for (const id of [foreign.depositId, 'nothing']) {
      expect(await codeOf(await receiptOf(id))).toEqual([404, 'usage_not_found'])
    }
  })

  test('are in the statement of the month, which ends with the balance', async () => {
    const month = new Date().toISOString().slice(0, 7)
    const statement = await browser.json<Statement>('GET', `${base}/statement?month=${month}`)
    const { credits } = await browser.json<{ credits: number }>('GET', `${base}/balance`)
    expect(statement).toMatchObject({ opening_credits: 0, closing_credits: credits })
    expect(statement.sums).toEqual([
      { kind: 'deposit', entries: 4, credits: 34_000 },
      { kind: 'grant', entries: 1, credits: 7 },
      { kind: 'adjustment', entries: 0, credits: 0 },
      { kind: 'charge', entries: 0, credits: 0 },
    ])
    const entries = await browser.json('GET', `${base}/statement/entries?month=${month}&limit=1`)
    expect(entries).toMatchObject({ has_more: true, opening_credits: 0, data: [{ kind: 'grant', credits: 7 }] })
    const file = await browser.call('GET', `${base}/statement/csv?month=${month}`)
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="statement-${month}.csv"`)
    const lines = (await file.text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(1 + 1 + 5 + 1)
    expect(lines.at(-1)).toContain(`,closing,,,,${credits},`)
    for (const wrong of ['2026-13', '1999-01', 'x', '9999-01']) {
      for (const path of ['statement', 'statement/entries', 'statement/csv']) {
        expect(await codeOf(await browser.call('GET', `${base}/${path}?month=${wrong}`))).toEqual([
          400,
          'invalid_value',
        ])
      }
    }
  })
})
