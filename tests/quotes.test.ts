/**
 * Quotes, for every kind of paid request: the most that a request can cost is known before it is sent, and is all that
 * it costs, at the prices that were quoted.
 */
import { endpointList, formatCredits, parseCredits, paidPaths } from '@svc/contract'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { StubHandler } from '../packages/server/testing/stub-upstream.ts'
import type { ConfigFile } from '../packages/server/src/config/config-file.ts'
import { findPostgres } from '../packages/server/testing/test-database.ts'
import { createTestAccount, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { type AskOptions, DEAR, type PaidKind, PAID_KINDS, paidRoutes, usePaidStub } from './paid-kinds.ts'

let now = Date.UTC(2026, 5, 1)
const first = usePaidStub()
const second = usePaidStub()

/** @param routes in place of those of every kind. */
function settings(routes = paidRoutes()): ConfigFile {
  const upstream = (name: string, url: string) =>
    ({ name, kind: 'openai-compatible', url, reports_cost: true, failures_are_free: false }) as const
  return { upstreams: [upstream('first', first.url), upstream('second', second.url)], routes }
}

/** Every price a hundredfold. */
function dearer(): ReturnType<typeof paidRoutes> {
  const text = JSON.stringify(paidRoutes())
  return JSON.parse(text.replaceAll(/"(0\.0?1)"/g, (_all, usd: string) => `"${Number(usd) * 100}"`))
}

interface Quoted {
  readonly quote_id: string
  readonly most: bigint
  readonly likely: bigint
  readonly lines: readonly { readonly unit: string; readonly credits: string }[]
}

function amountOf(text: string, name: string): bigint {
  return parseCredits(new RegExp(`"${name}":([\\d.]+)`).exec(text)?.[1] ?? '') ?? -1n
}

const post = (gateway: Pick<TestGateway, 'fetch'>, body: unknown, key?: string) =>
  gateway.fetch('/v1/quotes', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(key === undefined ? {} : { key }),
  })

async function quoteOf(gateway: Pick<TestGateway, 'fetch'>, asked: unknown, key?: string): Promise<Quoted> {
  const response = await post(gateway, asked, key)
  const text = await response.text()
  expect([response.status, text]).toEqual([200, text])
  const { quote_id } = JSON.parse(text) as { quote_id: string }
  const lines = [...text.matchAll(/"unit":"(\w+)",[^}]*"credits":([\d.]+)/g)]
  return {
    ...{ quote_id, most: amountOf(text, 'credits_at_most'), likely: amountOf(text, 'credits_likely') },
    lines: lines.map(([, unit = '', credits = '']) => ({ unit, credits })),
  }
}

test('there is a quote for every endpoint that is paid for', () => {
  const paid = endpointList.filter(({ isPaid }) => isPaid === true).map(({ path }) => path)
  expect(paid.toSorted()).toEqual([...paidPaths].toSorted())
})

describe.skipIf(findPostgres() === null)('a quote', () => {
  const gateway = useGateway(() => ({
    ...{ engine: 'postgres', credits: '1000000', file: settings() },
    clock: { now: () => now },
  }))
  let later: Pick<TestGateway, 'fetch'>
  beforeAll(async () => {
    later = await gateway.startBeside(settings(dearer()))
  })
  beforeEach(() => {
    first.reset()
    second.reset()
  })

  async function createCustomer() {
    const { accountId, teamId } = await createTestAccount(gateway.gateway, '100000')
    const { rawKey: key } = await gateway.createKey({ accountId, teamId })
    return { accountId, key }
  }

  async function booksOf({ accountId }: { readonly accountId: string }) {
    await gateway.settled()
    const rows = await gateway.gateway.database.read
      .selectFrom('transfer')
      .select(['charge', 'write_off'])
      .where('account_id', '=', accountId)
      .where('hold_id', 'is not', null)
      .execute()
    const sum = (name: 'charge' | 'write_off'): bigint => rows.reduce((all, row) => all + row[name], 0n)
    return { charge: sum('charge'), writeOff: sum('write_off') }
  }

  describe.each(PAID_KINDS)('of $name', (kind) => {
    test('has lines that make its maximum, is more than what it likely costs, and asks no upstream', async () => {
      const { most, likely, lines } = await quoteOf(gateway, kind.quoted())
      expect(lines.reduce((sum, { credits }) => sum + (parseCredits(credits) ?? 0n), 0n)).toBe(most)
      expect([likely > 0n, likely <= most]).toEqual([true, true])
      expect([first.calls.length, second.calls.length]).toEqual([0, 0])
    })

    test('covers its request: also where the dearer upstream serves it', async () => {
      const customer = await createCustomer()
      const { quote_id, most } = await quoteOf(gateway, kind.quoted(), customer.key)
      first.onWork = (_call, response) =>
        void response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":{"message":"busy"}}')
      const { status, text } = await kind.ask(gateway, { key: customer.key, headers: { 'x-svc-quote': quote_id } })
      expect([status, text]).toEqual([200, text])
      expect(second.calls.length).toBe(1)
      expect((await booksOf(customer)).charge).toBeLessThanOrEqual(most)
    })

    test('holds its unit prices over a change of the catalog, in whichever process', async () => {
      const ask = async (by: Pick<TestGateway, 'fetch'>, headers: Record<string, string>, key: string) => {
        const { status, text } = await kind.ask({ ...gateway, ...by }, { key, headers })
        expect([status, text]).toEqual([200, text])
      }
      const [old, quoted, dear] = [await createCustomer(), await createCustomer(), await createCustomer()]
      const { quote_id } = await quoteOf(gateway, kind.quoted(), quoted.key)
      await ask(gateway, {}, old.key)
      await ask(later, { 'x-svc-quote': quote_id }, quoted.key)
      await ask(later, {}, dear.key)
      const [before, locked, after] = [await booksOf(old), await booksOf(quoted), await booksOf(dear)]
      expect(locked).toEqual(before)
      // A job of this upstream fails, and is free at every price.
      if (before.charge > 0n) expect(after.charge).toBeGreaterThan(before.charge * 50n)
    })

    test('is for its key, its model and its kind of work alone', async () => {
      const { key } = await createCustomer()
      const other = await createCustomer()
      const { quote_id } = await quoteOf(gateway, kind.quoted(), key)
      const ask = (options: AskOptions) => kind.ask(gateway, { key, headers: { 'x-svc-quote': quote_id }, ...options })
      const foreign = await ask({ key: other.key })
      expect([foreign.status, foreign.text.includes('quote_not_found')]).toEqual([404, true])
      const another = PAID_KINDS.find(({ quoted }) => modelOf(quoted) !== modelOf(kind.quoted))
      const elsewhere = await another?.ask(gateway, { key, headers: { 'x-svc-quote': quote_id } })
      expect([elsewhere?.status, elsewhere?.text.includes('quote_mismatch')]).toEqual([400, true])
      expect([first.calls.length, second.calls.length]).toEqual([0, 0])
    })

    test('ends after ten minutes, and is no name at all', async () => {
      const customer = await createCustomer()
      const { quote_id } = await quoteOf(gateway, kind.quoted(), customer.key)
      const ask = (quote: string) => kind.ask(gateway, { key: customer.key, headers: { 'x-svc-quote': quote } })
      for (const [quote, status, word] of [
        ['mine', 400, 'x-svc-quote'],
        [`${quote_id.slice(0, -8)}AAAAAAAA`, 404, 'quote_not_found'],
        [`quote_${'A'.repeat(200)}`, 404, 'quote_not_found'],
      ] as const) {
        const refused = await ask(quote)
        expect([refused.status, refused.text.includes(word)]).toEqual([status, true])
      }
      now += 600_000
      const expired = await ask(quote_id)
      expect([expired.status, expired.text.includes('quote_expired')]).toEqual([400, true])
      expect([first.calls.length, await booksOf(customer)]).toEqual([0, { charge: 0n, writeOff: 0n }])
    })
  })

  describe.each(PAID_KINDS.filter(({ dear }) => dear !== null))('of $name', (kind) => {
    test('is all that is charged, whatever the upstream says that it cost: the rest is a write-off', async () => {
      const customer = await createCustomer()
      const { quote_id, most } = await quoteOf(gateway, kind.quoted(), customer.key)
      first.onWork = kind.dear as StubHandler
      const { status } = await kind.ask(gateway, { key: customer.key, headers: { 'x-svc-quote': quote_id } })
      expect(status).toBe(200)
      expect(await booksOf(customer)).toEqual({ charge: most, writeOff: (DEAR * 12n) / 10n - most })
    })
  })

  describe.each(PAID_KINDS.filter(({ isDivisible }) => isDivisible))('of $name', (kind) => {
    const longer = 'Say hello, and say it as often as you can, to everybody that you know and to their neighbours, too.'
    const more: Readonly<Record<string, object>> = {
      '/v1/completions': { prompt: longer },
      '/v1/responses': { input: longer },
      '/v1/messages': { messages: [{ role: 'user', content: longer }] },
      '/v1/chat/completions': { messages: [{ role: 'user', content: longer }] },
    }

    test('is a 400 for a longer input or more output, free, and covers what a client adds to be streamed', async () => {
      const customer = await createCustomer()
      const { quote_id, most } = await quoteOf(gateway, kind.quoted(), customer.key)
      const headers = { 'x-svc-quote': quote_id }
      const limit = kind.path === '/v1/responses' ? 'max_output_tokens' : 'max_tokens'
      for (const body of [more[kind.path] ?? {}, { [limit]: 500 }]) {
        const { status, text } = await kind.ask(gateway, { key: customer.key, headers, more: body })
        expect([status, text.includes('quote_mismatch')]).toEqual([400, true])
        expect(amountOf(text, 'credits_required')).toBeGreaterThan(most)
      }
      expect([first.calls.length, (await booksOf(customer)).charge]).toEqual([0, 0n])
      const streamed = await kind.ask(gateway, { key: customer.key, headers, more: { stream: true } })
      expect(streamed.status).toBe(200)
    })

    test('goes with a lower maximum of the caller, which then counts', async () => {
      const customer = await createCustomer()
      const { quote_id, most } = await quoteOf(gateway, kind.quoted(), customer.key)
      first.onWork = kind.dear as StubHandler
      const headers = { 'x-svc-quote': quote_id, 'x-svc-max-credits': formatCredits(most / 2n) }
      expect((await kind.ask(gateway, { key: customer.key, headers })).status).toBe(200)
      expect((await booksOf(customer)).charge).toBe(most / 2n)
    })
  })

  test.each([
    ['endpoint', { endpoint: '/v1/models', body: {} }],
    ['body', { endpoint: '/v1/embeddings', body: 'text' }],
    ['body.model', { endpoint: '/v1/embeddings', body: { input: 'Hello' } }],
    ['body.model', { endpoint: '/v1/embeddings', body: { model: 'none', input: 'Hello' } }],
    ['body.messages.0.role', { endpoint: '/v1/chat/completions', body: { model: 'talks', messages: [{ role: 1 }] } }],
    ['body.input', { endpoint: '/v1/responses', body: { model: 'talks', input: '' } }],
    ['body.seconds', { endpoint: '/v1/audio/transcriptions', body: { model: 'hears' } }],
  ])('of a request that its endpoint refuses is refused so, and names %s', async (param, asked) => {
    const response = await post(gateway, asked)
    const { error } = (await response.json()) as { error: { param: string } }
    expect([response.ok, error.param]).toEqual([false, param])
  })

  test('needs no credits', async () => {
    const { accountId, teamId } = await createTestAccount(gateway.gateway, '0')
    const { rawKey: key } = await gateway.createKey({ accountId, teamId })
    for (const kind of PAID_KINDS) expect((await quoteOf(gateway, kind.quoted(), key)).most).toBeGreaterThan(0n)
  })
})

function modelOf(quoted: PaidKind['quoted']): unknown {
  return (quoted().body as { readonly model?: unknown }).model
}
