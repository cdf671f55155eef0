/** Caps of teams and keys: they refuse before any work, by name, and start anew with their period. */
import { afterEach, expect, test } from 'vitest'
import { type BalanceReply, nanocreditsOf } from '@svc/contract'
import { createAccountStore } from '../packages/server/src/access/accounts/account-store.ts'
import { createAccount } from '../packages/server/src/access/accounts/create-account.ts'
import { type BudgetPeriod, periodEnd } from '../packages/server/src/platform/runtime/budget-period.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { ask, credits, question } from './open-stream.ts'
import { sendTogether } from './parallel-load.ts'
import { measureHold, setBalance } from './funded-caller.ts'

const stub = useStubUpstream()

const body = question('openai/gpt-6-astra', { max_tokens: 500 })
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A Thursday noon that is two days before the end of its month. */
const START = Date.UTC(2026, 9, 29, 12)

describeEachEngine('budgets', (engine) => {
  let gateway: TestGateway
  const clock = { time: START, now: () => clock.time }
  afterEach(() => gateway.stop())

  async function start(): Promise<void> {
    clock.time = START
    gateway = await startTestGateway({ engine, upstreamUrl: stub.url, credits: '1000000', clock })
  }

  /** A team with a cap in an account of its own, with a key and credits. */
  async function createTeam(limit: bigint, period: BudgetPeriod) {
    const { database, ledger } = gateway.gateway
    const teamCap = { limit: nanocreditsOf(limit), period }
    const team = await createAccount({ store: createAccountStore(database), clock }, { name: 'Capped', teamCap })
    if (team === null) throw new Error('the account exists already')
    await ledger.submit({
      kind: 'credit',
      transferId: `grant-${team.accountId}`,
      source: 'grant',
      accountId: team.accountId,
      amount: nanocreditsOf(credits('1000000')),
      reason: 'test',
      now: clock.now(),
    })
    return { team, ...(await gateway.createKey({ accountId: team.accountId, teamId: team.teamId })) }
  }

  /** Makes the upstream report a cost whose charge is an amount that divides by 12. */
  function chargeEach(amount: bigint): void {
    stub.onChat = (_call, response) => sendCompletion(response, { cost: `${(amount * 10n) / 12n}e-12` })
  }

  test.each(['key', 'team'] as const)('a %s over its budget is refused by name, before the upstream', async (limit) => {
    await start()
    const amount = credits('33')
    const { rawKey: key } =
      limit === 'key'
        ? await gateway.createKey({ budget: { limit: nanocreditsOf(amount), period: 'none' } })
        : await createTeam(amount, 'none')
    chargeEach(credits('12'))
    // A hold is about 32.6 credits, so after the first charge nothing fits.
    expect(await ask(gateway, body, { key })).toMatchObject({ status: 200, charge: credits('12') })
    const before = stub.chats.length
    const refused = await ask(gateway, body, { key })
    expect([refused.status, refused.json?.error?.code]).toEqual([402, `${limit}_budget_exceeded`])
    expect(refused.json?.error).toMatchObject({ limit, credits_available: 21 })
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(stub.chats.length).toBe(before)
    // A smaller request still fits, and the account's other keys are not touched.
    expect((await ask(gateway, { ...body, max_tokens: 100 }, { key })).status).toBe(200)
    expect((await ask(gateway, body)).status).toBe(200)
  })

  test('the least of account, team and key decides, and is what the balance shows', async () => {
    await start()
    const { team } = await createTeam(credits('50'), 'none')
    const budget = { limit: nanocreditsOf(credits('40')), period: 'none' } as const
    const { rawKey: key } = await gateway.createKey({ accountId: team.accountId, teamId: team.teamId, budget })
    const available = async () =>
      ((await (await gateway.fetch('/v1/balance', { key })).json()) as { credits_available: number }).credits_available
    expect(await available()).toBe(40)
    const tooMuch = { ...body, max_tokens: 5_000 }
    expect((await ask(gateway, tooMuch, { key })).json?.error?.limit).toBe('key')
    const { rawKey: other } = await gateway.createKey({ accountId: team.accountId, teamId: team.teamId })
    chargeEach(credits('24'))
    expect((await ask(gateway, body, { key: other })).status).toBe(200)
    expect(await available()).toBe(26)
    expect((await ask(gateway, tooMuch, { key })).json?.error?.limit).toBe('team')
  })

  test('a hundred requests at once never spend more than a key’s budget', async () => {
    await start()
    const { ledger } = gateway.gateway
    const hold = await measureHold(gateway, { ledger, stub }, body)
    await setBalance(gateway, ledger, credits('1000000'))
    const { rawKey } = await gateway.createKey({ budget: { limit: nanocreditsOf(7n * hold), period: 'none' } })
    const requests = Array.from({ length: 100 }, () => ({ target: gateway, body, key: rawKey }))
    expect(await sendTogether(gateway, stub, requests)).toMatchObject({ statuses: { 200: 7, 402: 93 }, reached: 7 })
  })

  test.each<[BudgetPeriod, number, number]>([
    ['daily', 12 * HOUR_MS - 1, 12 * HOUR_MS],
    // Weeks begin on Monday.
    ['weekly', 3.5 * DAY_MS - 1, 3.5 * DAY_MS],
    ['monthly', 2.5 * DAY_MS - 1, 2.5 * DAY_MS],
  ])('a %s budget starts anew with its period, to the millisecond, in UTC', async (period, before, after) => {
    await start()
    const budget = { limit: nanocreditsOf(credits('33')), period } as const
    const { rawKey: key } = await gateway.createKey({ budget })
    chargeEach(credits('12'))
    const status = async (): Promise<number> => (await ask(gateway, body, { key })).status
    expect([await status(), await status()]).toEqual([200, 402])
    clock.time = START + before
    expect(await status()).toBe(402)
    clock.time = START + after
    expect([await status(), await status()]).toEqual([200, 402])
  })

  test.each(
    (['none', 'daily', 'weekly', 'monthly'] as const).flatMap((period) => [
      ['key', period] as const,
      ['team', period] as const,
    ]),
  )('a clock that jumps leaves a %s budget (%s) as it was', async (limit, period) => {
    await start()
    const amount = credits('33')
    const { rawKey: key } =
      limit === 'key'
        ? await gateway.createKey({ budget: { limit: nanocreditsOf(amount), period } })
        : await createTeam(amount, period)
    chargeEach(credits('12'))
    const status = async (): Promise<number> => (await ask(gateway, body, { key })).status
    const balance = async () => (await (await gateway.fetch('/v1/balance', { key })).json()) as BalanceReply
    expect([await status(), await status()]).toEqual([200, 402])
    const before = await balance()
    // Ahead and behind lie periods of their own, each of which pays for one request; without a period there is one.
    const there = period === 'none' ? [402, 402] : [200, 402]
    for (const jump of [40 * DAY_MS, -40 * DAY_MS]) {
      clock.time = START + jump
      expect([await status(), await status()]).toEqual(there)
      clock.time = START
      expect(await status()).toBe(402)
    }
    const after = await balance()
    expect(after.key).toEqual(
      limit === 'key' ? before.key : { ...before.key, budget_used: period === 'none' ? 12 : 36 },
    )
    // What is promised as the reset is one, and not a millisecond before it.
    const resetsAt = limit === 'key' ? after.key.budget_resets_at : periodEnd(period, START)
    if (resetsAt === null) return
    const resetMs = limit === 'key' ? resetsAt * 1_000 : resetsAt
    clock.time = resetMs - 1
    expect(await status()).toBe(402)
    clock.time = resetMs
    expect(await status()).toBe(200)
  })

  test('a request that a jump of the clock cuts in two counts where it began', async () => {
    await start()
    const budget = { limit: nanocreditsOf(credits('33')), period: 'monthly' } as const
    const { rawKey: key } = await gateway.createKey({ budget })
    stub.onChat = (_call, response) => {
      clock.time = START + 40 * DAY_MS
      sendCompletion(response, { cost: `${(credits('12') * 10n) / 12n}e-12` })
    }
    expect((await ask(gateway, body, { key })).status).toBe(200)
    const used = async () =>
      ((await (await gateway.fetch('/v1/balance', { key })).json()) as BalanceReply).key.budget_used
    expect(await used()).toBe(0)
    clock.time = START
    expect(await used()).toBe(12)
  })
})
