import { nanocreditsOf, parseCredits, ZERO } from '@svc/contract'
import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { peopleEnv, refusalOf } from '../../testing/people.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { useMailServer } from '../../testing/use-mail-server.ts'
import { createId } from '../platform/runtime/ids.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

interface Settings {
  readonly cap_credits: number | null
  readonly cap_period: string
  readonly cap_used: number
  readonly alert_credits: number | null
  readonly alert_is_low: boolean
}

describeEachEngine('what a team sets', (engine) => {
  const mail = useMailServer()
  const gateway = useGateway(() => ({ engine, env: peopleEnv(mail) }))
  let owner: BrowserSession
  let team: { readonly accountId: string; readonly teamId: string }
  let base = ''

  beforeAll(async () => {
    owner = createBrowserSession(gateway.baseUrl)
    await owner.json('POST', '/auth/sign-in/demo', {})
    const { user } = await owner.json<{ user: { id: string } }>('GET', '/console/session')
    team = await createTestAccount(gateway.gateway, '500', 'Crew <evil.example>')
    const store = createTeamStore(gateway.gateway.database)
    await store.addMember({ teamId: team.teamId, userId: user.id, role: 'owner', createdAt: 1 })
    base = `/console/teams/${team.teamId}`
  })

  const settings = () => owner.json<Settings>('GET', `${base}/settings`)
  const setCap = (cap: object | null) => owner.call('POST', `${base}/cap`, { cap })
  const setAlert = (credits: unknown) => owner.call('POST', `${base}/alert`, { credits })
  const add = (credits: string) =>
    gateway.gateway.ledger.submit({
      ...{ kind: 'credit', source: credits.startsWith('-') ? 'adjustment' : 'grant', reason: 'test' },
      ...{ transferId: createId(Date.now()), accountId: team.accountId, now: Date.now() },
      amount: credits.startsWith('-')
        ? nanocreditsOf(-(parseCredits(credits.slice(1)) ?? ZERO))
        : (parseCredits(credits) ?? ZERO),
    })

  test('a cap refuses what goes above it; another limit counts on, another period counts anew', async () => {
    const first = await gateway.createKey({ ...team, name: 'capped' })
    const chat = async (key = first) => {
      const body = { model: 'svc-gpt', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 16 }
      const response = await gateway.chat(body, { key: key.rawKey })
      return (await refusalOf(response))[1]
    }
    expect((await setCap({ credits: '5', period: 'monthly' })).status).toBe(200)
    expect(await chat()).toBeNull()
    await gateway.settled()
    const before = await settings()
    expect(before).toMatchObject({ cap_credits: 5, cap_period: 'monthly' })
    expect(before.cap_used).toBeGreaterThan(0)
    expect((await setCap({ credits: '0.000001', period: 'monthly' })).status).toBe(200)
    expect(await chat()).toBe('team_budget_exceeded')
    expect((await settings()).cap_used).toBe(before.cap_used)
    await setCap({ credits: '5', period: 'daily' })
    expect(await settings()).toMatchObject({ cap_credits: 5, cap_period: 'daily', cap_used: 0 })
    await setCap(null)
    expect(await settings()).toMatchObject({ cap_credits: null })
    // A key may be known for five seconds by the budget that its team had.
    expect(await chat(await gateway.createKey({ ...team, name: 'later' }))).toBeNull()
    for (const cap of [{ credits: '0', period: 'monthly' }, { credits: '1', period: 'hourly' }, { credits: '-1' }, 7]) {
      expect((await setCap(cap as object)).status).toBe(400)
    }
    expect((await refusalOf(await setCap({ credits: '99999999999', period: 'none' })))[1]).toBe('invalid_value')
  })

  test('responses are stored from the switch on, and no longer than it is on', async () => {
    const { rawKey: key } = await gateway.createKey({ ...team, name: 'stores' })
    const store = (isOn: boolean) => owner.call('POST', `${base}/response-storage`, { is_on: isOn })
    const stored = () => gateway.gateway.database.read.selectFrom('stored_response').selectAll().execute()
    expect(await settings()).toMatchObject({ stores_responses: false })
    expect([(await store(true)).status, (await store(true)).status]).toEqual([200, 200])
    expect(await settings()).toMatchObject({ stores_responses: true })
    const body = JSON.stringify({ model: 'svc-gpt', input: 'Hello!', max_output_tokens: 16 })
    const headers = { 'content-type': 'application/json' }
    expect(await (await gateway.fetch('/v1/responses', { method: 'POST', key, headers, body })).json()).toMatchObject({
      store: true,
    })
    expect(await stored()).toHaveLength(1)
    expect((await store(false)).status).toBe(200)
    expect([await settings(), await stored()]).toMatchObject([{ stores_responses: false }, []])
    expect((await owner.call('POST', `${base}/response-storage`, {})).status).toBe(400)
  })

  test('a team is notified once for each fall of its balance, by however many processes look', async () => {
    const tell = gateway.gateway.console.notifyLowBalances
    if (tell === null) throw new Error('this gateway sends mail')
    const lookOften = () => Promise.all([1, 2, 3, 4].map(() => tell()))
    const emails = async () => {
      await lookOften()
      await lookOften()
      const rows = await gateway.gateway.database.read.selectFrom('mail_outbox').select('kind').execute()
      return rows.filter(({ kind }) => kind === 'low_balance').length
    }
    // Off until a member wants it; what is below already is no fall.
    expect(await emails()).toBe(0)
    await setAlert('1000')
    expect(await settings()).toMatchObject({ alert_credits: 1_000, alert_is_low: true })
    expect(await emails()).toBe(0)
    await setAlert('100')
    expect(await settings()).toMatchObject({ alert_credits: 100, alert_is_low: false })
    await add('-450')
    expect(await emails()).toBe(1)
    expect((await settings()).alert_is_low).toBe(true)
    await add('-1')
    expect(await emails()).toBe(1)
    await add('200')
    expect(await emails()).toBe(1)
    await add('-200')
    expect(await emails()).toBe(2)
    await expect.poll(() => mail.received.length).toBe(2)
    const { subject, text } = mail.received[0]?.parsed ?? {}
    expect(subject).toMatch(/^Low balance: 4\d[.\d]* credits left$/)
    expect(text).toContain('The balance of Crew evil example fell below 100 credits.')
    expect(text).toContain(`/console/team/${team.teamId}/fund`)
    await setAlert(null)
    await add('200')
    await add('-200')
    expect(await emails()).toBe(2)
    for (const credits of ['0', '-5', 'x', '', 5]) expect((await setAlert(credits)).status).toBe(400)
  }, 30_000)
})
