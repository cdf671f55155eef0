/** Batches through OpenAI's own client, against a whole gateway on both engines. */
import { formatCredits, nanocreditsOf } from '@svc/contract'
import type OpenAI from 'openai'
import { toFile } from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAccountStore } from '../packages/server/src/access/accounts/account-store.ts'
import { setAccountStatus } from '../packages/server/src/access/accounts/set-account-status.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount, readDatabaseFiles, startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway, useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { capturesOf, chatLines, clientOf, CHAT_URL, ended, linesOf, requestLine, startBatch } from './batch-stage.ts'
import { cardOf, chargeOf, nanocreditsIn, recordOf } from './charge-of.ts'
import { errorOf, refusalOf } from './error-of.ts'
import { setBalance } from './funded-caller.ts'

/** What the stub reports of each chat, by the card. */
const CHARGE = cardOf(10, 5)
const CHAT = { model: 'svc-gpt', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }

describeEachEngine('batches', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ engine, upstreamUrl: stub.url }))
  let client: OpenAI
  beforeAll(() => {
    client = clientOf(gateway)
  })

  test('each line is answered as by its endpoint, and charged once, to the nanocredit', async () => {
    const { result: batch, charge } = await chargeOf(gateway, async () => {
      const started = await startBatch(client, chatLines(20), { metadata: { run: 'nightly' } })
      expect(started).toMatchObject({
        ...{ object: 'batch', status: 'validating', endpoint: CHAT_URL, completion_window: '24h' },
        ...{ metadata: { run: 'nightly' }, errors: null, expires_at: started.created_at + 86_400 },
        request_counts: { total: 0, completed: 0, failed: 0 },
      })
      return ended(client, started.id)
    })
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 20, completed: 20, failed: 0 } })
    expect(batch.error_file_id).toBeNull()
    expect(batch.completed_at).toBeGreaterThanOrEqual(batch.in_progress_at!)
    const lines = await linesOf(client, batch.output_file_id)
    expect(lines.map((line) => line.custom_id)).toEqual(Array.from({ length: 20 }, (_, at) => `line-${at}`))
    for (const { response, error, id } of lines) {
      expect([response?.status_code, error, id]).toEqual([200, null, expect.stringMatching(/^batch_req_/)])
      expect(response?.body).toMatchObject({
        object: 'chat.completion',
        model: 'svc-gpt',
        usage: { prompt_tokens: 10 },
      })
    }
    expect(charge).toBe(20n * CHARGE)
    const record = await recordOf(gateway, lines[7]!.response!.request_id)
    expect(record).toMatchObject({ status: 'ok', type: 'chat', basis: 'card' })
    expect((await client.batches.list({ limit: 1 })).data).toEqual([batch])
    // Nothing of them is left where they were worked on.
    const left = gateway.gateway.database.read.selectFrom('batch_line').select('line').where('batch_id', '=', batch.id)
    expect(await left.execute()).toEqual([])
  })

  test('no line costs more than x-svc-max-credits says: one that could is refused, and free', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { cost: '5' })
    const long = { ...CHAT, messages: [{ role: 'user', content: 'word '.repeat(20_000) }] }
    const most = 50_000_000n
    const headers = { 'x-svc-max-credits': formatCredits(nanocreditsOf(most)) }
    const limited = clientOf(gateway).withOptions({ defaultHeaders: headers })
    const { result: batch, charge } = await chargeOf(gateway, async () => {
      const started = await startBatch(limited, [...chatLines(2), requestLine('long', long)])
      return ended(client, started.id)
    })
    expect(batch.request_counts).toEqual({ total: 3, completed: 2, failed: 1 })
    expect(charge).toBe(2n * most)
    const [refused] = await linesOf(client, batch.error_file_id)
    expect(refused).toMatchObject({ custom_id: 'long', response: { status_code: 400 } })
    expect(refused?.response?.body.error.code).toBe('max_credits_exceeded')
    const malformed = clientOf(gateway).withOptions({ defaultHeaders: { 'x-svc-max-credits': 'little' } })
    await expect(startBatch(malformed, chatLines(1))).rejects.toMatchObject({ status: 400, param: 'x-svc-max-credits' })
    const quoted = clientOf(gateway).withOptions({ defaultHeaders: { 'x-svc-quote': 'quote_1' } })
    await expect(startBatch(quoted, chatLines(1))).rejects.toMatchObject({ status: 400, param: 'x-svc-quote' })
  })

  test('a line that names several models is answered by the first that can, as by its endpoint', async () => {
    const models = ['no-such-model', 'svc-gpt']
    const lines = [
      requestLine('several', { ...CHAT, model: undefined, models }),
      requestLine('none', { ...CHAT, model: 'no-such-model', models: ['nor-this'] }),
    ]
    const batch = await ended(client, (await startBatch(client, lines)).id)
    const [answered] = await linesOf(client, batch.output_file_id)
    expect(answered).toMatchObject({ custom_id: 'several', response: { status_code: 200, body: { model: 'svc-gpt' } } })
    const [refused] = await linesOf(client, batch.error_file_id)
    expect(refused).toMatchObject({ custom_id: 'none', response: { status_code: 404 } })
  })

  test('a line that fails is free and says why; the others go on', async () => {
    stub.onChat = (call, response) => {
      if (call.text.includes('This fails')) response.writeHead(500).end('{"error":{"message":"out of order"}}')
      else sendCompletion(response)
    }
    const lines = [
      ...chatLines(2),
      requestLine('failing', { ...CHAT, messages: [{ role: 'user', content: 'This fails' }] }),
      requestLine('unknown', { ...CHAT, model: 'no-such-model' }),
      requestLine('wrong', { ...CHAT, max_tokens: 'many' }),
      requestLine('streamed', { ...CHAT, stream: true }),
      requestLine('blank', { model: 'svc-gpt', messages: [] }),
    ]
    const { result: batch, charge } = await chargeOf(gateway, async () =>
      ended(client, (await startBatch(client, lines)).id, 60_000),
    )
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 7, completed: 2, failed: 5 } })
    expect(charge).toBe(2n * CHARGE)
    const failures = await linesOf(client, batch.error_file_id)
    expect(
      failures.map(({ custom_id: id, response }) => {
        const { code, param } = response!.body.error
        return [id, response!.status_code, code, param]
      }),
    ).toEqual([
      ['failing', 502, 'upstream_error', null],
      ['unknown', 404, 'model_not_found', 'model'],
      ['wrong', 400, 'invalid_value', 'max_tokens'],
      ['streamed', 400, 'unsupported_parameter', 'stream'],
      ['blank', 400, expect.any(String), 'messages'],
    ])
    // As often as a client would ask.
    expect(stub.chats.filter(({ text }) => text.includes('This fails'))).toHaveLength(3)
    // Each request has its line in the log, those that are made again among them.
    const logged = gateway.logged.map((line) => JSON.parse(line)).filter((each) => each.batch_id === batch.id)
    const [first, ...others] = logged.toSorted((one, other) => one.line - other.line)
    expect(first).toMatchObject({
      ...{ level: 'info', msg: 'batch request', line: 1, endpoint: CHAT_URL, status: 200, model: 'svc-gpt' },
      ...{
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        key_id: gateway.keyId,
        duration_ms: expect.any(Number),
      },
      credits_charged: formatCredits(nanocreditsOf(CHARGE)),
    })
    expect(others.map(({ line, status, code }) => [line, status, code])).toEqual([
      ...[[2, 200, undefined], ...Array.from({ length: 3 }, () => [3, 502, 'upstream_error'])],
      ...[
        [4, 404, 'model_not_found'],
        [5, 400, 'invalid_value'],
        [6, 400, 'unsupported_parameter'],
      ],
      [7, 400, expect.any(String)],
    ])
    stub.onChat = (_call, response) => sendCompletion(response)
  })

  test.each([
    ['invalid_json_line', null, '{"custom_id":'],
    ['missing_required_parameter', 'custom_id', JSON.stringify({ method: 'POST', url: CHAT_URL, body: CHAT })],
    ['invalid_value', 'method', JSON.stringify({ custom_id: 'a', method: 'GET', url: CHAT_URL, body: CHAT })],
    ['url_mismatch', 'url', requestLine('a', CHAT, '/v1/embeddings')],
    ['invalid_value', 'body', JSON.stringify({ custom_id: 'a', method: 'POST', url: CHAT_URL, body: [1] })],
    ['duplicate_custom_id', 'custom_id', requestLine('line-0', CHAT)],
  ])('a file that is not in order makes nothing: %s %s', async (code, param, line) => {
    const asked = stub.chats.length
    const batch = await ended(client, (await startBatch(client, [...chatLines(1), '', line])).id)
    expect(batch).toMatchObject({ status: 'failed', output_file_id: null, error_file_id: null })
    expect(batch.errors!.data).toEqual([{ code, param, line: 3, message: expect.any(String) }])
    expect(stub.chats).toHaveLength(asked)
  })

  test('what is wrong with the request for one is named', async () => {
    const file = await client.files.create({ file: await toFile(Buffer.from('x'), 'x'), purpose: 'batch' })
    const right = { input_file_id: file.id, endpoint: CHAT_URL, completion_window: '24h' }
    const post = (body: object, key?: string | null) =>
      gateway.fetch('/v1/batches', {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        ...(key === undefined ? {} : { key }),
      })
    const refusals = [
      { ...right, input_file_id: undefined },
      { ...right, endpoint: '/v1/audio/speech' },
      { ...right, completion_window: '1h' },
      { ...right, metadata: { a: 1 } },
      { ...right, input_file_id: 'file-none' },
    ]
    const found: string[] = []
    for (const body of refusals) found.push(await refusalOf(await post(body)))
    expect(found).toEqual([
      '400 missing_required_parameter input_file_id',
      '400 invalid_value endpoint',
      '400 invalid_value completion_window',
      '400 invalid_value metadata.a',
      '404 file_not_found input_file_id',
    ])
    expect(await refusalOf(await post(right, null))).toBe('401 invalid_api_key')
    expect(await refusalOf(await gateway.fetch('/v1/batches?limit=101'))).toBe('400 invalid_value limit')
    const other = await createTestAccount(gateway.gateway, '1000', 'Elsewhere')
    const { rawKey: elsewhere } = await gateway.createKey(other)
    expect(await refusalOf(await post(right, elsewhere))).toBe('404 file_not_found input_file_id')
    const batch = await startBatch(client, chatLines(1))
    const path = `/v1/batches/${batch.id}`
    expect(await refusalOf(await gateway.fetch(path, { key: elsewhere }))).toBe('404 job_not_found batch_id')
    const cancel = await gateway.fetch(`${path}/cancel`, { key: elsewhere, method: 'POST' })
    expect(await refusalOf(cancel)).toBe('404 job_not_found batch_id')
    expect((await ended(client, batch.id)).status).toBe('completed')
    expect(await refusalOf(await gateway.fetch(`${path}/cancel`, { method: 'POST' }))).toBe(
      '409 job_not_cancelled batch_id',
    )
  })

  test('one that is sent again under its Idempotency-Key is started once', async () => {
    const file = await client.files.create({
      file: await toFile(Buffer.from(chatLines(1).join('\n')), 'x'),
      purpose: 'batch',
    })
    const send = () =>
      client.batches.create(
        { input_file_id: file.id, endpoint: CHAT_URL, completion_window: '24h' },
        { headers: { 'idempotency-key': 'started once'.replaceAll(' ', '-') } },
      )
    const [first, second] = [await send(), await send()]
    expect(second.id).toBe(first.id)
    await ended(client, first.id)
  })

  test('a file that is read is not deleted', async () => {
    let answer: () => void = () => undefined
    stub.onChat = (_call, response) => {
      answer = () => sendCompletion(response)
    }
    const asked = stub.chats.length
    const batch = await startBatch(client, chatLines(1))
    await expect.poll(() => stub.chats.length).toBe(asked + 1)
    await expect(client.files.delete(batch.input_file_id)).rejects.toMatchObject({ status: 409, code: 'file_in_use' })
    answer()
    await ended(client, batch.id)
    expect((await client.files.delete(batch.input_file_id)).deleted).toBe(true)
    stub.onChat = (_call, response) => sendCompletion(response)
  })

  test('no prompt and no answer is in the clear while it is worked on, or after', async () => {
    const secret = 'a word that nobody else may read'
    stub.onChat = (_call, response) => sendCompletion(response, { text: secret })
    const line = requestLine('a', { ...CHAT, messages: [{ role: 'user', content: secret }] })
    const batch = await ended(client, (await startBatch(client, [line])).id)
    const [made] = await linesOf(client, batch.output_file_id)
    expect(made!.response!.body.choices[0]!.message.content).toBe(secret)
    expect(await readDatabaseFiles(gateway.dataDir)).not.toContain(secret)
    expect(gateway.logged.join('\n')).not.toContain(secret)
    stub.onChat = (_call, response) => sendCompletion(response)
  })
})

describeEachEngine('credits of batches', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGatewayPerTest(() => ({ engine, upstreamUrl: stub.url }))

  test('credit for one of two pays one: the other is a 402 of its own, and nothing stays held', async () => {
    const client = clientOf(gateway)
    stub.onChat = (_call, response) => sendCompletion(response)
    const held: (() => void)[] = []
    stub.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const lines = chatLines(2, 'svc-gpt', { max_tokens: 5 })
    const { ledger } = gateway.gateway
    await setBalance(gateway, ledger, 1n)
    const { credits_required: required } = await errorOf(await gateway.chat(JSON.parse(lines[0]!).body))
    // Enough for the hold of one, and not for two.
    await setBalance(gateway, ledger, BigInt(Math.round(Number(required) * 1e9)))
    const batch = await startBatch(client, lines)
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(1)
    held[0]!()
    const done = await ended(client, batch.id)
    const outcomes = [...(await linesOf(client, done.output_file_id)), ...(await linesOf(client, done.error_file_id))]
    expect(outcomes.map(({ response }) => response!.status_code)).toEqual([200, 402])
    expect(outcomes[1]!.response!.body.error).toMatchObject({
      ...{ code: 'insufficient_credits', credits_required: expect.any(Number), topup_url: expect.any(String) },
    })
    expect(done.request_counts).toEqual({ total: 2, completed: 1, failed: 1 })
    expect((await gateway.balance()).held).toBe(0n)
    expect(await capturesOf(gateway)).toEqual([CHARGE])
  })

  test('an account without credits starts none; a key that has ended pays no further line', async () => {
    const client = clientOf(gateway)
    const file = await client.files.create({
      file: await toFile(Buffer.from(chatLines(2).join('\n')), 'x'),
      purpose: 'batch',
    })
    const { posted } = await gateway.balance()
    await setBalance(gateway, gateway.gateway.ledger, 0n)
    const body = JSON.stringify({ input_file_id: file.id, endpoint: CHAT_URL, completion_window: '24h' })
    const headers = { 'content-type': 'application/json' }
    const refused = await gateway.fetch('/v1/batches', { method: 'POST', headers, body })
    expect([refused.status, (await errorOf(refused)).code]).toEqual([402, 'insufficient_credits'])
    await setBalance(gateway, gateway.gateway.ledger, posted)
    const { rawKey, keyId } = await gateway.createKey()
    const batch = await startBatch(clientOf(gateway, rawKey), chatLines(2))
    await gateway.revokeKey(keyId)
    const done = await ended(client, batch.id)
    const failures = await linesOf(client, done.error_file_id)
    expect(failures.map(({ response }) => response!.body.error.code)).toEqual(['invalid_api_key', 'invalid_api_key'])
    expect(await capturesOf(gateway)).toEqual([])
  })

  test('a suspended account starts none, and its lines that wait are refused', async () => {
    const client = clientOf(gateway)
    const held: (() => void)[] = []
    stub.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const batch = await startBatch(client, chatLines(10))
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(8)
    const accounts = createAccountStore(gateway.gateway.database)
    await setAccountStatus(accounts, gateway.accountId, 'suspended')
    await expect(startBatch(client, chatLines(1))).rejects.toMatchObject({ status: 403, code: 'account_suspended' })
    const started = client.batches.create({
      ...{ input_file_id: batch.input_file_id, endpoint: CHAT_URL, completion_window: '24h' },
    })
    await expect(started).rejects.toMatchObject({ status: 403, code: 'account_suspended' })
    for (const answer of held) answer()
    const done = await ended(client, batch.id)
    expect(done.request_counts).toEqual({ total: 10, completed: 8, failed: 2 })
    const failures = await linesOf(client, done.error_file_id)
    expect(failures.map(({ response }) => response!.body.error.code)).toEqual([
      'account_suspended',
      'account_suspended',
    ])
    expect(await capturesOf(gateway)).toHaveLength(8)
  })

  test('a key that may not use the model, and one whose budget covers one line', async () => {
    stub.onChat = (_call, response) => sendCompletion(response)
    const narrow = clientOf(gateway, (await gateway.createKey({ models: ['svc-gpt-mini'] })).rawKey)
    const refused = await ended(narrow, (await startBatch(narrow, chatLines(1))).id)
    const [failure] = await linesOf(narrow, refused.error_file_id)
    expect([failure!.response!.status_code, failure!.response!.body.error.code]).toEqual([403, 'model_not_allowed'])

    const lines = chatLines(2, 'svc-gpt', { max_tokens: 5 })
    const tight = await gateway.createKey({ budget: { limit: nanocreditsOf(1n), period: 'none' } })
    const { credits_required: required } = await errorOf(
      await gateway.chat(JSON.parse(lines[0]!).body, { key: tight.rawKey }),
    )
    const limit = nanocreditsOf(BigInt(Math.round(Number(required) * 1e9)))
    const budgeted = clientOf(gateway, (await gateway.createKey({ budget: { limit, period: 'none' } })).rawKey)
    const done = await ended(budgeted, (await startBatch(budgeted, lines)).id)
    const [shortage] = await linesOf(budgeted, done.error_file_id)
    expect([done.request_counts!.completed, shortage!.response!.body.error.code]).toEqual([1, 'key_budget_exceeded'])
    expect(await capturesOf(gateway)).toEqual([CHARGE])
  })

  test('a cancelled batch begins no further line, keeps what was made, and names the rest', async () => {
    const client = clientOf(gateway)
    const held: (() => void)[] = []
    stub.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const batch = await startBatch(client, chatLines(30))
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(8)
    const cancelling = await client.batches.cancel(batch.id)
    expect(cancelling).toMatchObject({ status: 'cancelling', cancelling_at: expect.any(Number) })
    expect((await client.batches.cancel(batch.id)).status).toBe('cancelling')
    for (const answer of held) answer()
    const done = await ended(client, batch.id)
    expect(done).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number) })
    const made = await linesOf(client, done.output_file_id)
    const rest = await linesOf(client, done.error_file_id)
    expect([made.length, rest.length]).toEqual([done.request_counts!.completed, 30 - made.length])
    expect(made.length).toBe(8)
    expect(rest.every(({ error, response }) => error?.code === 'batch_cancelled' && response === null)).toBe(true)
    expect(new Set([...made, ...rest].map((line) => line.custom_id)).size).toBe(30)
    expect(await capturesOf(gateway)).toHaveLength(8)
  })
})

/** Those that OpenAI's client knows; rankings are of others. */
type Endpoint = OpenAI.BatchCreateParams['endpoint']

describe('endpoints of batches', () => {
  const gateway = useGateway()

  test.each([
    ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'x' }, { object: 'list', data: [{ index: 0 }] }],
    ['/v1/responses', { model: 'svc-gpt', input: 'Hi' }, { object: 'response', status: 'completed' }],
    ['/v1/completions', { model: 'svc-gpt', prompt: 'Hi', max_tokens: 5 }, { object: 'text_completion' }],
    ['/v1/rerank', { model: 'rerank-v3.5', query: 'fruit', documents: ['a pear'] }, { results: [{ index: 0 }] }],
    ['/v1/moderations', { input: 'Hi' }, { results: [{ flagged: false }] }],
  ] as const)('%s', async (endpoint, body, answer) => {
    const client = clientOf(gateway)
    const { result: done, charge } = await chargeOf(gateway, async () =>
      ended(
        client,
        (await startBatch(client, [requestLine('a', body, endpoint)], { endpoint: endpoint as Endpoint })).id,
      ),
    )
    const [line] = await linesOf(client, done.output_file_id)
    expect(line!.response!.body).toMatchObject(answer)
    expect(nanocreditsIn(line!.response!.body)).toBe(charge)
    // A moderation of the sandbox costs nothing, as OpenAI's own do.
    expect(charge > 0n).toBe(endpoint !== '/v1/moderations')
  })
})

describe('settings of batches', () => {
  const stub = useStubUpstream()

  test('a part of the rate card is charged, to the nanocredit, and a direct request pays all of it', async () => {
    stub.onChat = (_call, response) => sendCompletion(response)
    const file = { batches: { price_percent: 50 } }
    const gateway = await startTestGateway({ upstreamUrl: stub.url, file })
    const client = clientOf(gateway)
    const { charge } = await chargeOf(gateway, async () => ended(client, (await startBatch(client, chatLines(3))).id))
    expect(charge).toBe((3n * CHARGE) / 2n)
    const direct = await chargeOf(gateway, () => gateway.chat(CHAT))
    expect(direct.charge).toBe(CHARGE)
    await gateway.stop()
  })

  test('a charge is never below what the upstream costs and the margin', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { cost: '0.0004' })
    const file = { batches: { price_percent: 1 } }
    const gateway = await startTestGateway({ upstreamUrl: stub.url, kind: 'openrouter', file })
    const client = clientOf(gateway)
    const { charge } = await chargeOf(gateway, async () => ended(client, (await startBatch(client, chatLines(1))).id))
    expect(charge).toBe(480_000_000n)
    await gateway.stop()
  })

  test('what has not begun in time is not made, and what has is charged', async () => {
    const held: (() => void)[] = []
    stub.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const clock = { moved: 0, now: () => Date.now() + clock.moved }
    const gateway = await startTestGateway({ upstreamUrl: stub.url, clock, file: { batches: { lines_at_once: 2 } } })
    const client = clientOf(gateway)
    const batch = await startBatch(client, chatLines(5))
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(2)
    clock.moved = 24 * 3_600_000
    for (const answer of held) answer()
    const done = await ended(client, batch.id)
    expect(done).toMatchObject({ status: 'expired', request_counts: { total: 5, completed: 2, failed: 0 } })
    const rest = await linesOf(client, done.error_file_id)
    expect(rest.map(({ custom_id: id, error }) => [id, error!.code])).toEqual([
      ['line-2', 'batch_expired'],
      ['line-3', 'batch_expired'],
      ['line-4', 'batch_expired'],
    ])
    expect(await capturesOf(gateway)).toHaveLength(2)
    await gateway.stop()
  })

  test('requests of others come first, and a batch goes on beside them', async () => {
    let open = 0
    let most = 0
    const held: (() => void)[] = []
    stub.onChat = (call, response) => {
      if (call.text.includes('waits')) return void held.push(() => sendCompletion(response))
      most = Math.max(most, ++open)
      setImmediate(() => {
        open--
        sendCompletion(response)
      })
    }
    const gateway = await startTestGateway({ upstreamUrl: stub.url, file: { batches: { lines_at_once: 4 } } })
    const client = clientOf(gateway)
    const waiting = Array.from({ length: 10 }, () =>
      gateway.chat({ ...CHAT, messages: [{ role: 'user', content: 'This waits.' }] }),
    )
    await expect.poll(() => held.length).toBe(10)
    expect((await ended(client, (await startBatch(client, chatLines(20))).id)).request_counts!.completed).toBe(20)
    expect(most).toBe(1)
    for (const answer of held) answer()
    await Promise.all(waiting)
    await gateway.stop()
  })
})
