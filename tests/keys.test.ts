/** What a key lets in, what it keeps out, and how soon it ends. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { createRawKey } from '../packages/server/src/access/keys/raw-key.ts'
import { openGatewayProcesses } from '../packages/server/testing/gateway-process.ts'
import { beginStream, chunkText, sendCompletion, sendEvent } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { refusalOf } from './error-of.ts'
import { ask, createGate, hasText, openStream, question, recordOf } from './open-stream.ts'

const stub = useStubUpstream()
beforeEach(() => {
  stub.onChat = (_call, response) => sendCompletion(response)
})

const body = question('svc-gpt', { max_tokens: 100 })
/** Every address that wants a key. */
const keyed = ['/v1/balance', '/v1/usage', '/v1/usage/01a21f7d-9113-7000-af5c-e90daee92bab'] as const

/** An upstream that streams words until it is left. */
function endlessStream(): void {
  stub.onChat = (call, response) => {
    beginStream(response)
    const timer = setInterval(() => sendEvent(response, chunkText({ content: 'word ' })), 20)
    void call.closed.then(() => clearInterval(timer))
  }
}

describeEachEngine('keys', (engine) => {
  const gateway = useGateway(() => ({ engine, upstreamUrl: stub.url, clock }))
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead }

  // Case B121
  test.each<[string, string, Record<string, string>]>([
    ['x-api-key', '', { 'x-api-key': 'KEY' }],
    ['the query', '?api_key=KEY&key=KEY', {}],
    ['a cookie', '', { cookie: 'key=KEY; api_key=KEY; authorization=Bearer%20KEY' }],
    ['basic credentials', '', { authorization: 'Basic KEY' }],
    ['another scheme', '', { authorization: 'Token KEY' }],
    ['no scheme', '', { authorization: 'KEY' }],
  ])('a key in %s is refused', async (_place, query, headers) => {
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('KEY', gateway.key)] as const)
    const init = { key: null, headers: Object.fromEntries(filled) }
    for (const path of keyed) {
      const answer = await gateway.fetch(`${path}${query.replaceAll('KEY', gateway.key)}`, init)
      expect(answer.status).toBe(401)
    }
    const before = stub.chats.length
    const chat = await gateway.fetch(`/v1/chat/completions${query.replaceAll('KEY', gateway.key)}`, {
      ...init,
      method: 'POST',
      body: JSON.stringify(body),
    })
    expect([chat.status, stub.chats.length]).toEqual([401, before])
  })

  // Case B122
  test('with two credentials the one in Authorization decides, admits and pays', async () => {
    const revoked = await gateway.createKey()
    await gateway.revokeKey(revoked.keyId)
    const other = await gateway.createKey()
    const send = (bearer: string, extra: string) =>
      gateway.chat(body, { key: bearer, headers: { 'x-api-key': extra } as Record<string, string> })
    expect((await send(revoked.rawKey, other.rawKey)).status).toBe(401)
    const served = await send(gateway.key, revoked.rawKey)
    expect(served.status).toBe(200)
    const requestId = served.headers.get('x-request-id') ?? ''
    expect(await recordOf(gateway, requestId)).toMatchObject({ status: 'ok' })
    expect((await gateway.fetch(`/v1/usage/${requestId}`, { key: other.rawKey })).status).toBe(404)
    // A second value in the header itself is no key.
    expect((await send(`${gateway.key}, Bearer ${other.rawKey}`, '')).status).toBe(401)
  })

  // Case B124
  test('a revoked or expired key is refused everywhere, also where it was just used', async () => {
    const revoked = await gateway.createKey()
    const expired = await gateway.createKey({ expiresAt: clock.now() + 3_600_000 })
    for (const { rawKey } of [revoked, expired]) {
      expect((await ask(gateway, body, { key: rawKey })).status).toBe(200)
      expect((await gateway.fetch('/v1/balance', { key: rawKey })).status).toBe(200)
    }
    await gateway.revokeKey(revoked.keyId)
    clock.ahead = 3_600_001
    const before = stub.chats.length
    for (const { rawKey } of [revoked, expired]) {
      for (const path of keyed) expect((await gateway.fetch(path, { key: rawKey })).status).toBe(401)
      expect((await ask(gateway, body, { key: rawKey })).status).toBe(401)
      expect((await ask(gateway, { ...body, stream: true }, { key: rawKey })).status).toBe(401)
    }
    expect(stub.chats.length).toBe(before)
  })

  test('every wrong key gets the same answer, whatever is wrong with it', async () => {
    const [revoked, cached] = [await gateway.createKey(), await gateway.createKey()]
    await ask(gateway, body, { key: cached.rawKey })
    await gateway.revokeKey(revoked.keyId)
    await gateway.revokeKey(cached.keyId)
    const wrong = [null, '', 'sk-svc-', 'hello', createRawKey(), `${gateway.key}x`, revoked.rawKey, cached.rawKey]
    const answers = await Promise.all(
      wrong.map(async (key) => {
        const { status, headers, text } = await ask(gateway, body, { key })
        return `${status} ${headers.get('www-authenticate')} ${text}`
      }),
    )
    expect(new Set(answers)).toEqual(new Set([answers[0]]))
    expect(answers[0]).toMatch(/^401 Bearer \{"error":\{/)
  })

  test('a running stream of a revoked key ends with an error and is charged for what was delivered', async () => {
    endlessStream()
    const key = await gateway.createKey()
    const stream = await openStream(gateway, body, { key: key.rawKey })
    await stream.until(hasText)
    await gateway.revokeKey(key.keyId)
    const last = await stream.rest()
    expect(last.json.error).toMatchObject({ code: 'invalid_api_key' })
    await stub.chats.at(-1)?.closed
    await gateway.settled()
    const rows = await gateway.gateway.database.read
      .selectFrom('usage_record')
      .selectAll()
      .where('usage_id', '=', stream.requestId)
      .execute()
    expect(rows).toMatchObject([{ status: 'incomplete', estimated: 1, key_id: key.keyId }])
    expect(rows[0]?.completion_tokens).toBeGreaterThan(0)
  })

  // Case B127
  test('a key reads its own usage and nothing of others, whatever it asks for', async () => {
    const [mine, theirs] = [await gateway.createKey(), await gateway.createKey()]
    const foreign = await ask(gateway, body, { key: theirs.rawKey })
    const own = await ask(gateway, body, { key: mine.rawKey })
    const filters = [`?key=${theirs.keyId}`, `?key_id=${theirs.keyId}`, '?team_id=other', `?account_id=x&user=y`]
    for (const query of ['', ...filters]) {
      const answer = await gateway.fetch(`/v1/usage${query}`, { key: mine.rawKey })
      if (answer.status === 400) continue
      const { data, totals } = (await answer.json()) as { data: { id: string }[]; totals: { requests: number } }
      expect([data.map(({ id }) => id), totals.requests]).toEqual([[own.requestId], 1])
    }
    const read = await gateway.fetch(`/v1/usage/${foreign.requestId}`, { key: mine.rawKey })
    expect(read.status).toBe(404)
    const unknown = await gateway.fetch('/v1/usage/01a21f7d-9113-7000-af5c-e90daee92bab', { key: mine.rawKey })
    expect([unknown.status, Object.keys(((await unknown.json()) as { error: object }).error)]).toEqual([
      404,
      Object.keys(((await read.json()) as { error: object }).error),
    ])
    // A cursor that is no id would select another page than was meant.
    const odd = await gateway.fetch('/v1/usage?after=garbage', { key: mine.rawKey })
    expect(await refusalOf(odd)).toBe('400 invalid_value after')
    const page = await gateway.fetch(`/v1/usage?after=${foreign.requestId}`, { key: mine.rawKey })
    expect(await page.text()).not.toContain(foreign.requestId)
  })

  // Case B126
  test('a key cannot raise its own budget', async () => {
    const budget = { limit: nanocreditsOf(1_000_000n), period: 'none' } as const
    const { rawKey, keyId } = await gateway.createKey({ budget, rights: ['inference', 'deposits', 'keys'] })
    const change = JSON.stringify({
      budget: 1_000,
      max_budget: 1_000,
      temp_budget_increase: 1_000,
      metadata: { budget: 9 },
    })
    const places = [
      '/v1/keys',
      `/v1/keys/${keyId}`,
      '/keys',
      `/keys/${keyId}`,
      '/key/update',
      '/key/generate',
      '/v1/balance',
    ]
    for (const path of places) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        // Every key may end itself, which raises nothing.
        if (method === 'DELETE' && path === `/v1/keys/${keyId}`) continue
        const answer = await gateway.fetch(path, { key: rawKey, method, body: change })
        expect([path, method, answer.status >= 400]).toEqual([path, method, true])
      }
    }
    await ask(gateway, { ...body, budget: 1_000, metadata: { max_budget: '1000' } }, { key: rawKey })
    const row = await gateway.gateway.database.read
      .selectFrom('budget')
      .innerJoin('api_key', 'api_key.budget_id', 'budget.budget_id')
      .select('budget.limit_nanocredits')
      .where('api_key.key_id', '=', keyId)
      .executeTakeFirstOrThrow()
    expect(row.limit_nanocredits).toBe(1_000_000n)
  })

  test.each([
    [['svc-gpt'], ['svc-gpt'], ['svc-opus', 'openai/gpt-6-astra', 'openrouter/openai/gpt-6-astra']],
    // `gpt-4o` is what clients call it. Source: decision 0128.
    [['openai/gpt-4o'], ['openai/gpt-4o', 'openrouter/openai/gpt-4o', 'gpt-4o'], ['openai/gpt-4o-mini', 'svc-gpt']],
    [['openrouter/openai/gpt-4o'], ['openai/gpt-4o', 'openrouter/openai/gpt-4o'], ['openrouter/openai/gpt-4o-mini']],
    [['no/such-model'], [], ['svc-gpt', 'openai/gpt-4o']],
  ])('a key for %s may use exactly that, by all its names', async (models, allowed, refused) => {
    const { rawKey: key } = await gateway.createKey({ models })
    for (const model of allowed) {
      expect([model, (await ask(gateway, question(model, { max_tokens: 10 }), { key })).status]).toEqual([model, 200])
    }
    const before = stub.chats.length
    for (const model of refused) {
      const { status, json } = await ask(gateway, question(model, { max_tokens: 10 }), { key })
      expect([model, status]).toEqual([model, json?.error?.code === 'model_not_found' ? 404 : 403])
    }
    expect(stub.chats.length).toBe(before)
  })

  test('a key without the right to inference reads and spends nothing', async () => {
    const { rawKey: key } = await gateway.createKey({ rights: ['deposits'] })
    const answers = await Promise.all([
      ask(gateway, body, { key }),
      ...keyed.map((path) => gateway.fetch(path, { key })),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })
})

describeEachEngine('limits of a key', (engine) => {
  let gateway: TestGateway
  afterEach(() => gateway.stop())

  // Case B129
  test('of twenty requests at once no more than the rate’s burst pass', async () => {
    const clock = { now: () => 1_795_813_200_000 }
    gateway = await startTestGateway({
      ...{ engine, upstreamUrl: stub.url, clock },
      file: { limits: { requests_per_minute: 12 } },
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(gateway, body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.every(({ status, headers }) => status === 429 && headers.has('retry-after'))).toBe(true)
    const other = await gateway.createKey()
    expect((await ask(gateway, body, { key: other.rawKey })).status).toBe(200)
  })

  // Case B129
  test('of twenty streams at once no more than allowed are open, and an ended one makes room', async () => {
    gateway = await startTestGateway({ engine, upstreamUrl: stub.url, file: { limits: { streams_at_once: 2 } } })
    const gate = createGate()
    stub.onChat = async (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hi' }))
      await gate.opened
      sendEvent(response, chunkText({}, 'stop'))
      response.end('data: [DONE]\n\n')
    }
    const before = stub.chats.length
    const openings = await Promise.allSettled(Array.from({ length: 20 }, () => openStream(gateway, body)))
    const opened = openings.flatMap((opening) => (opening.status === 'fulfilled' ? [opening.value] : []))
    expect([opened.length, stub.chats.length - before]).toEqual([2, 2])
    gate.open()
    await Promise.all(opened.map((stream) => stream.rest()))
    await gateway.settled()
    await (await openStream(gateway, body)).rest()
  })
})

describe('wrong keys', () => {
  let gateway: TestGateway
  afterEach(() => gateway.stop())

  // Case B131
  test('wrong keys are looked up once each at most, and after a few of them not at all', async () => {
    gateway = await startTestGateway({ upstreamUrl: stub.url, file: { limits: { failed_auth_per_minute: 60 } } })
    expect((await ask(gateway, body)).status).toBe(200)
    const statuses: number[] = []
    for (let count = 0; count < 40; count++) {
      statuses.push((await ask(gateway, body, { key: createRawKey() })).status)
    }
    // A burst is a sixth of a minute's worth; some more may have been filled in meanwhile.
    const looked = statuses.filter((status) => status === 401).length
    expect(looked).toBeGreaterThanOrEqual(10)
    expect(looked).toBeLessThan(40)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    // The flood takes nothing from a key that is valid, even from the same address.
    expect((await ask(gateway, body)).status).toBe(200)
    expect((await gateway.fetch('/v1/balance')).status).toBe(200)
  })
})

describeEachEngine('a key that another process revokes', (engine) => {
  test('ends its running streams and opens no others', { timeout: 180_000 }, async () => {
    const processes = await openGatewayProcesses({ engine, upstreamUrl: stub.url, credits: '100' })
    const gateway = await processes.start()
    endlessStream()
    const key = await processes.createKey()
    const stream = await openStream(gateway, body, { key: key.rawKey })
    const other = await openStream(gateway, body)
    await stream.until(hasText)
    expect(await processes.admin('key', 'revoke', key.keyId)).toContain('is revoked')
    // Refused at once, whatever the process has in memory.
    expect((await ask(gateway, body, { key: key.rawKey })).status).toBe(401)
    const revokedAt = stream.frames.length
    expect((await stream.rest()).json.error).toMatchObject({ code: 'invalid_api_key' })
    // A word every 20 ms, and the gateway looks every second: far more words than a busy machine needs, and far fewer
    // than without an end.
    expect(stream.frames.length - revokedAt).toBeLessThan(1_500)
    await other.until(hasText)
    other.leave()
    await processes.settled()
    await processes.stop()
  })
})
