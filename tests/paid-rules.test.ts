/**
 * Rules that hold for every paid request, each tried with every kind of one: who is admitted, who is slowed, what is
 * held, what is asked for elsewhere, what is free and whose loss it is.
 */
import { formatCredits, parseCredits } from '@svc/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StubCall, StubHandler } from '../packages/server/testing/stub-upstream.ts'
import { createTestAccount } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { BILLED, DEAR, type PaidKind, PAID_KINDS, paidRoutes, usePaidStub } from './paid-kinds.ts'

/** Free answers after which an account is slowed. */
const FREE_ANSWERS = 3

const first = usePaidStub()
const second = usePaidStub()
const gateway = useGateway(() => {
  const upstream = (name: string, url: string) =>
    ({ name, kind: 'openai-compatible', url, reports_cost: true, failures_are_free: false }) as const
  return {
    credits: '1000000',
    file: {
      upstreams: [upstream('first', first.url), upstream('second', second.url)],
      routes: paidRoutes(),
      limits: { free_answers: FREE_ANSWERS },
    },
  }
})
beforeEach(() => {
  first.reset()
  second.reset()
})

interface Customer {
  readonly accountId: string
  readonly key: string
  readonly keyId: string
  readonly balance: () => Promise<{ readonly posted: bigint; readonly held: bigint }>
}

/** An account of its own, so that no rule meets what another test has left. @param credits as decimal text. */
async function createCustomer(credits = '100000', request: object = {}): Promise<Customer> {
  const { accountId, teamId } = await createTestAccount(gateway.gateway, credits)
  const { rawKey: key, keyId } = await gateway.createKey({ accountId, teamId, ...request })
  const balance = () =>
    gateway.gateway.database.read
      .selectFrom('balance')
      .select(['posted', 'held'])
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
  return { accountId, key, keyId, balance }
}

/** What the books say of an account's requests. */
async function booksOf({ accountId }: Customer): Promise<{ charge: bigint; writeOff: bigint; cost: bigint }> {
  await gateway.settled()
  const rows = await gateway.gateway.database.read
    .selectFrom('transfer')
    .select(['charge', 'write_off', 'cost'])
    .where('account_id', '=', accountId)
    .where('hold_id', 'is not', null)
    .execute()
  const sum = (pick: (row: (typeof rows)[number]) => bigint): bigint => rows.reduce((all, row) => all + pick(row), 0n)
  return { charge: sum((row) => row.charge), writeOff: sum((row) => row.write_off), cost: sum((row) => row.cost) }
}

const asked = (): number => first.calls.length + second.calls.length

const says =
  (status: number, error: object): StubHandler =>
  (_call, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))

const FREE = { charge: 0n, writeOff: 0n, cost: 0n }

describe.each(PAID_KINDS)('$name', (kind) => {
  test('is refused to a key that may not have it, and no upstream is asked', async () => {
    const revoked = await createCustomer()
    await gateway.revokeKey(revoked.keyId)
    const narrow = await createCustomer('100000', { models: ['another-model'] })
    const deposits = await createCustomer('100000', { rights: ['deposits'] })
    for (const [{ key }, status] of [
      [revoked, 401],
      [narrow, 403],
      [deposits, 403],
    ] as const) {
      expect((await kind.ask(gateway, { key })).status).toBe(status)
    }
    expect((await kind.ask(gateway, { model: 'no-such-model' })).status).toBe(404)
    expect(asked()).toBe(0)
  })

  test('is a 402 without credits, and no upstream is asked', async () => {
    const poor = await createCustomer('0')
    const { status, text, headers } = await kind.ask(gateway, { key: poor.key })
    expect([status, headers.get('x-should-retry'), asked()]).toEqual([402, 'false', 0])
    expect(text).toContain('"credits_required"')
  })

  test('holds its bound before an upstream is asked, so that credits for one pay for one', async () => {
    const rich = await createCustomer()
    let held = 0n
    first.onWork = async (call, response) => {
      held = (await rich.balance()).held
      first.reset()
      return first.onWork(call, response)
    }
    expect((await kind.ask(gateway, { key: rich.key })).status).toBe(200)
    expect(held).toBeGreaterThan(0n)

    const { key, accountId } = await createCustomer('0')
    const transferId = `exact-${accountId}`
    const amount = held as never
    await gateway.gateway.ledger.submit({
      ...{ kind: 'credit', source: 'grant', transferId, accountId, amount, reason: 'test', now: Date.now() },
    })
    const both = Promise.withResolvers<void>()
    first.onWork = async (call, response) => {
      await both.promise
      first.reset()
      return first.onWork(call, response)
    }
    const answers = [kind.ask(gateway, { key }), kind.ask(gateway, { key })]
    // Whichever is refused ends first: the other waits for its upstream.
    const early = await Promise.race(answers)
    both.resolve()
    const statuses = (await Promise.all(answers)).map(({ status }) => status).toSorted()
    expect([early.status, statuses]).toEqual([402, [200, 402]])
  })

  test('is asked for elsewhere where the first upstream certainly did nothing, and charged by who did it', async () => {
    const customer = await createCustomer()
    first.onWork = says(429, { message: 'busy', code: 429 })
    expect((await kind.ask(gateway, { key: customer.key })).status).toBe(200)
    expect([first.calls.length, second.calls.length]).toEqual([1, 1])
  })

  test('is free where the upstream refuses what it was asked for, and the customer reads why', async () => {
    const customer = await createCustomer()
    first.onWork = says(400, { message: 'no', code: 'content_policy_violation', type: 'invalid_request_error' })
    const { status, code } = await kind.ask(gateway, { key: customer.key })
    expect([status, asked()]).toEqual([400, 1])
    if (code !== null) expect(code).toBe('content_policy_violation')
    expect(await booksOf(customer)).toEqual(FREE)
  })

  test('waits once the account has provoked too many free answers of any kind', async () => {
    const customer = await createCustomer()
    const chat = PAID_KINDS[0] as PaidKind
    first.onWork = chat.emptyAndBilled as StubHandler
    for (let at = 0; at <= FREE_ANSWERS; at += 1) await chat.ask(gateway, { key: customer.key })
    await gateway.settled()
    first.reset()
    const { status, headers } = await kind.ask(gateway, { key: customer.key })
    expect([status, asked()]).toEqual([429, 0])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

/** Credits that an answer says are needed, in nanocredits. */
function requiredIn(text: string): bigint {
  return parseCredits(/"credits_required":([\d.]+)/.exec(text)?.[1] ?? '') ?? -1n
}

describe.each(PAID_KINDS)('a maximum for $name', (kind) => {
  const within = (key: string, most: bigint | string) =>
    kind.ask(gateway, {
      key,
      headers: { 'x-svc-max-credits': typeof most === 'string' ? most : formatCredits(most) },
    })

  test('that is no amount is a 400 that names it, and no upstream is asked', async () => {
    const customer = await createCustomer()
    for (const most of ['5 credits', '-1', '1e3', '0.0000000001', '']) {
      const { status, text } = await within(customer.key, most)
      expect([most, status]).toEqual([most, 400])
      expect(text).toContain('x-svc-max-credits')
    }
    expect(asked()).toBe(0)
    expect(await booksOf(customer)).toEqual(FREE)
  })

  test('that pays for less is a 400, free, before any upstream is asked; what it says is needed is enough', async () => {
    const customer = await createCustomer()
    const refused = await within(customer.key, 0n)
    expect([refused.status, asked()]).toEqual([400, 0])
    expect(refused.text).toContain('max_credits_exceeded')
    const required = requiredIn(refused.text)
    expect((await within(customer.key, required - 1n)).status).toBe(400)
    expect([asked(), await booksOf(customer)]).toEqual([0, FREE])
    const { status } = await within(customer.key, required)
    expect(status).toBe(200)
    expect((await booksOf(customer)).charge).toBeLessThanOrEqual(required)
  })
})

describe.each(PAID_KINDS.filter((kind) => kind.dear !== null))('a maximum for $name', (kind) => {
  test('is all that is charged, whatever the upstream says that it cost: the rest is a write-off', async () => {
    const customer = await createCustomer()
    first.onWork = kind.dear as StubHandler
    const ask = (headers: Record<string, string>) => kind.ask(gateway, { key: customer.key, headers })
    const required = requiredIn((await ask({ 'x-svc-max-credits': '0' })).text)
    const { status } = await ask({ 'x-svc-max-credits': formatCredits(required) })
    expect(status).toBe(200)
    expect(await booksOf(customer)).toEqual({
      ...{ charge: required, cost: DEAR, writeOff: (DEAR * 12n) / 10n - required },
    })
  })
})

describe.each(PAID_KINDS.filter((kind) => kind.isDivisible))('a maximum for $name', (kind) => {
  test('that pays for a part limits the answer to it', async () => {
    const customer = await createCustomer()
    const headers = (most: bigint) => ({ 'x-svc-max-credits': formatCredits(most) })
    const required = requiredIn((await kind.ask(gateway, { key: customer.key, headers: headers(0n) })).text)
    // A token of output at the dearest upstream.
    const token = 120_000n
    await kind.ask(gateway, { key: customer.key, headers: headers(required + token * 6n) })
    const { json } = first.calls[0] as StubCall
    expect(json?.['max_tokens'] ?? json?.['max_completion_tokens']).toBe(7)
  })
})

describe.each(PAID_KINDS.filter((kind) => kind.emptyAndBilled !== null))('an empty answer of $name', (kind) => {
  test('is a loss of ours where it was billed and is nothing', async () => {
    const customer = await createCustomer()
    first.onWork = kind.emptyAndBilled as StubHandler
    await kind.ask(gateway, { key: customer.key })
    expect(await booksOf(customer)).toEqual({ charge: 0n, writeOff: BILLED, cost: BILLED })
  })
})

describe.each(PAID_KINDS)('a repeated request of $name', (kind) => {
  test('is charged once, however often its Idempotency-Key comes', async () => {
    const customer = await createCustomer()
    const ask = () => kind.ask(gateway, { key: customer.key, headers: { 'idempotency-key': 'once' } })
    const [one, two] = [await ask(), await ask()]
    expect([one.status, two.status, first.calls.length]).toEqual([200, 200, 1])
    expect(two.headers.get('idempotent-replayed')).toBe('true')
  })
})
