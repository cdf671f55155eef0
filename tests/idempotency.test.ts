/** Requests with an Idempotency-Key through a whole gateway: one call upstream, one charge, one answer. */
import OpenAI from 'openai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  startStubUpstream,
  type StubUpstream,
} from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { cardOf, chargeOf } from './charge-of.ts'
import { errorOf } from './error-of.ts'
import { QUESTION } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

describeEachEngine('an Idempotency-Key', (engine) => {
  let stub: StubUpstream
  let gateway: TestGateway
  beforeEach(async () => {
    stub = await startStubUpstream()
    gateway = await startTestGateway({ upstreamUrl: stub.url, engine })
  })
  afterEach(async () => {
    await gateway.stop()
    await stub.close()
  })

  const named = (name: string, body: object = QUESTION) => gateway.chat(body, { headers: { 'idempotency-key': name } })
  const read = async (response: Response) => ({
    status: response.status,
    id: response.headers.get('x-request-id'),
    replayed: response.headers.get('idempotent-replayed'),
    charged: response.headers.get('x-svc-credits-charged'),
    type: response.headers.get('content-type'),
    text: await response.text(),
  })

  test.each([
    ['responses', { model: QUESTION.model, input: 'Say hello.' }],
    ['messages', { model: QUESTION.model, max_tokens: 50, messages: QUESTION.messages }],
  ])('works for %s, whole and streamed', async (form, question) => {
    for (const stream of [false, true]) {
      const send = async (body: object) => {
        const headers = { 'idempotency-key': `${form}-${stream}`, 'content-type': 'application/json' }
        return read(await gateway.fetch(`/v1/${form}`, { method: 'POST', headers, body: JSON.stringify(body) }))
      }
      stub.chats.length = 0
      const { result, charge } = await chargeOf(gateway, async () => [
        await send({ ...question, stream }),
        await send({ ...question, stream }),
      ])
      const [first, second] = result
      expect(second).toEqual({ ...first, replayed: 'true' })
      expect([first?.status, stub.chats.length, charge]).toEqual([200, 1, cardOf(10, 5)])
      expect(await send({ ...question, stream, temperature: 0.5 })).toMatchObject({
        status: 422,
      })
    }
  })

  // B036
  test('sent twice makes one call and one charge, and gives the very same answer', async () => {
    const { result, charge } = await chargeOf(gateway, async () => [
      await read(await named('n')),
      await read(await named('n')),
    ])
    const [first, second] = result
    expect(second).toEqual({ ...first, replayed: 'true' })
    expect([first?.status, first?.replayed, stub.chats.length, charge]).toEqual([200, null, 1, cardOf(10, 5)])
    const { data } = (await (await gateway.fetch('/v1/usage')).json()) as { data: object[] }
    expect(data).toHaveLength(1)
  })

  test('sent twice at once makes one call; the other is asked to come back, and a client library does', async () => {
    const gate = Promise.withResolvers<void>()
    stub.onChat = async (_call, response) => {
      await gate.promise
      sendCompletion(response)
    }
    const { charge } = await chargeOf(gateway, async () => {
      const first = named('n')
      await eventually(() => expect(stub.chats).toHaveLength(1))
      const second = await named('n')
      expect([second.status, second.headers.get('retry-after')]).toEqual([409, '1'])
      expect(await errorOf(second)).toMatchObject({ code: 'idempotency_key_in_use' })
      const client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
      const third = client.chat.completions.create(
        { model: QUESTION.model, messages: [{ role: 'user', content: 'Say hello.' }] },
        { idempotencyKey: 'other', headers: { 'idempotency-key': 'n' }, maxRetries: 5 },
      )
      third.catch(() => undefined)
      gate.resolve()
      expect((await first).status).toBe(200)
      // The library orders the fields of the body as they were given: it is the same body.
      expect((await third).choices[0]?.message.content).toBe('Hello')
    })
    expect([stub.chats.length, charge]).toEqual([1, cardOf(10, 5)])
  })

  test('is refused for another body, and must be a name', async () => {
    await (await named('n')).text()
    const other = await named('n', { ...QUESTION, temperature: 0 })
    expect([other.status, (await errorOf(other)).code]).toEqual([422, 'idempotency_key_reused'])
    const wrong = await named('x'.repeat(256))
    expect(await errorOf(wrong)).toMatchObject({ code: 'invalid_value', param: 'Idempotency-Key' })
    expect(stub.chats).toHaveLength(1)
  })

  test('of a request that failed may be used again', async () => {
    stub.onChat = (_call, response) => void response.writeHead(500).end('{"error":{"message":"boom"}}')
    for (const body of [QUESTION, { ...QUESTION, stream: true }]) {
      expect((await named(JSON.stringify(body).slice(0, 3), body)).status).toBe(502)
    }
    expect((await named('a', { ...QUESTION, model: 'nobody-knows' })).status).toBe(404)
    stub.onChat = (_call, response) => sendCompletion(response)
    const { charge } = await chargeOf(gateway, async () => {
      expect((await named('{"m', QUESTION)).status).toBe(200)
      expect((await named('a')).status).toBe(200)
    })
    expect(charge).toBe(2n * cardOf(10, 5))
  })

  test('of a stream gives every frame again, with its charge and its end', async () => {
    const body = { ...QUESTION, stream: true, stream_options: { include_usage: true } }
    const { result, charge } = await chargeOf(gateway, async () => [
      await read(await named('n', body)),
      await read(await named('n', body)),
    ])
    const [first, second] = result
    expect(first?.text).toMatch(/Hello.*world.*"svc".*\[DONE\]\n\n$/s)
    expect(second).toEqual({ ...first, replayed: 'true' })
    expect([stub.chats.length, charge]).toEqual([1, cardOf(10, 5)])
  })

  test('of a stream that its caller left while one of two choices went on has no whole answer to give again', async () => {
    const maker = { upstream: 'maker', model: 'm', price: { input: '1', output: '1' } }
    const pair = await startTestGateway({
      engine,
      file: {
        upstreams: [{ name: 'maker', kind: 'openai-compatible', url: stub.url }],
        routes: { talks: { targets: [maker] } },
      },
    })
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello' }, 'stop'))
      sendEvent(response, JSON.stringify({ choices: [{ index: 1, delta: { content: 'Good' } }] }))
    }
    const leaving = new AbortController()
    const headers = { 'idempotency-key': 'n' }
    const question = { ...QUESTION, model: 'talks', n: 2, stream: true }
    const answer = await pair.chat(question, { headers, signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
    await pair.settled()
    await eventually(async () => {
      const again = await pair.chat(question, { headers })
      expect([again.status, (await errorOf(again)).code]).toEqual([409, 'idempotency_answer_gone'])
    })
    await pair.stop()
  })

  test('of a stream that its caller left does not begin another: it was charged', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello' }))
    }
    const leaving = new AbortController()
    const headers = { 'idempotency-key': 'n' }
    const answer = await gateway.chat({ ...QUESTION, stream: true }, { headers, signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
    await gateway.settled()
    await eventually(async () => {
      const again = await named('n', { ...QUESTION, stream: true })
      const error = await errorOf(again)
      expect([again.status, error.code]).toEqual([409, 'idempotency_answer_gone'])
      expect(error['request_id']).toBe(answer.headers.get('x-request-id'))
      expect(again.headers.get('x-should-retry')).toBe('false')
    })
    expect(stub.chats).toHaveLength(1)
  })

  test('of a stream that broke after it was charged gives what came and the same error', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello' }))
      setTimeout(() => response.destroy(), 20)
    }
    const body = { ...QUESTION, stream: true }
    const [first, second] = [await read(await named('n', body)), await read(await named('n', body))]
    expect(first.text).toMatch(/Hello.*"error".*upstream_error/s)
    expect([second.text, second.replayed, stub.chats.length]).toEqual([first.text, 'true', 1])
  })

  test('belongs to one key, and to one of two gateways on the same database as well', async () => {
    await (await named('n')).text()
    const other = await gateway.createKey()
    const theirs = await gateway.chat(QUESTION, { key: other.rawKey, headers: { 'idempotency-key': 'n' } })
    expect([theirs.status, theirs.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect(stub.chats).toHaveLength(2)
  })

  test('is not needed: without one, each request is its own', async () => {
    stub.onChat = (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response))
    await (await gateway.chat(QUESTION)).text()
    await (await gateway.chat(QUESTION)).text()
    expect(stub.chats).toHaveLength(2)
    const rows = await gateway.gateway.database.read.selectFrom('idempotent_request').selectAll().execute()
    expect(rows).toEqual([])
  })
})
