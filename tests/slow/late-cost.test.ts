/** Costs that are learnt late, and answers that cost us and not the caller. */
import { expect, test } from 'vitest'
import { openGatewayProcesses } from '../../packages/server/testing/gateway-process.ts'
import { beginStream, chunkText, sendCompletion, sendEvent } from '../../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../../packages/server/testing/test-database.ts'
import { startTestGateway } from '../../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../../packages/server/testing/use-stub-upstream.ts'
import { errorOf } from '../error-of.ts'
import { QUESTION } from '../events-of.ts'
import { hasText, openStream, recordOf } from '../open-stream.ts'

const stub = useStubUpstream()

const quick = { limits: { lease_ms: 4_000, journal_ms: 60_000, shutdown_grace_ms: 2_000 } }

describeEachEngine('a process that dies while it asks for a cost', (engine) => {
  test('leaves what the next one asks by: the cost is charged once', async () => {
    const processes = await openGatewayProcesses({ engine, upstreamUrl: stub.url, credits: '1000', file: quick })
    let isKnown = false
    let asked = 0
    stub.onOther = (call, response) => {
      if (!call.path.endsWith('/generation?id=gen-orphan')) return void response.writeHead(404).end()
      asked++
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
      response.end(isKnown ? '{"data":{"total_cost":0.0025}}' : '{}')
    }
    stub.onChat = (_call, response) => {
      beginStream(response, { 'x-generation-id': 'gen-orphan' })
      sendEvent(response, chunkText({ content: 'Hello there' }))
    }
    const before = await processes.balance()
    const killed = await processes.start()
    const stream = await openStream(killed, QUESTION)
    await stream.until(hasText)
    stream.leave()
    // The journal comes once a minute here: the look-up itself has written down what is known.
    await expect.poll(() => asked).toBeGreaterThan(0)
    killed.signal('SIGKILL')
    await killed.exited
    expect((await processes.balance()).held).toBeGreaterThan(0n)
    isKnown = true
    const next = await processes.start()
    await processes.settled()
    const record = await recordOf(next, stream.requestId)
    expect(record).toMatchObject({ charge: 3_000_000_000n, status: 'incomplete', basis: 'cost' })
    expect(before.posted - (await processes.balance()).posted).toBe(3_000_000_000n)
    await processes.stop()
  })
})

test('a process that dies while it asks for a cost leaves the prices of its time', async () => {
  const processes = await openGatewayProcesses({
    ...{ engine: 'sqlite', upstreamUrl: stub.url, credits: '1000', file: quick },
  })
  let isKnown = false
  let asked = 0
  stub.onOther = (call, response) => {
    if (!call.path.endsWith('/generation?id=gen-priced')) return void response.writeHead(404).end()
    asked++
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end('{"data":{"total_cost":0.000001,"native_tokens_prompt":168,"native_tokens_completion":12}}')
  }
  stub.onChat = (_call, response) => {
    beginStream(response, { 'x-generation-id': 'gen-priced' })
    sendEvent(response, chunkText({ content: 'Hello there' }))
  }
  const killed = await processes.start()
  const stream = await openStream(killed, { ...QUESTION, model: 'svc-gpt' })
  await stream.until(hasText)
  stream.leave()
  await expect.poll(() => asked).toBeGreaterThan(0)
  killed.signal('SIGKILL')
  await killed.exited
  isKnown = true
  // The operator has made everything a thousand times dearer meanwhile.
  const next = await processes.start({ SVC_RATE_CARD_UNIT: 'per_1k' })
  await processes.settled()
  // 168 × 12 + 12 × 60 credits for a million tokens.
  expect(await recordOf(next, stream.requestId)).toMatchObject({ charge: 2_736_000n, basis: 'card' })
  await processes.stop()
})

test('an alias costs by the counts that come with a late cost, and not by ours', async () => {
  const gateway = await startTestGateway({ upstreamUrl: stub.url })
  stub.onOther = (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"data":{"total_cost":0.000001,"native_tokens_prompt":168,"native_tokens_completion":12}}')
  }
  stub.onChat = (_call, response) => {
    beginStream(response, { 'x-generation-id': 'gen-left' })
    sendEvent(response, chunkText({ content: 'Hello there' }))
  }
  // By bytes it has 5,000 tokens.
  const messages = [{ role: 'user', content: `Hello!${' '.repeat(20_000)}` }]
  const stream = await openStream(gateway, { ...QUESTION, model: 'svc-gpt', messages })
  await stream.until(hasText)
  stream.leave()
  await gateway.settled()
  expect(await recordOf(gateway, stream.requestId)).toMatchObject({
    // 168 × 12 + 12 × 60 credits for a million tokens.
    charge: 2_736_000n,
    ...{ prompt_tokens: 168, completion_tokens: 12, basis: 'card', estimated: false, status: 'cancelled' },
  })
  await gateway.stop()
})

test('a whole answer that breaks off is free, and what the upstream bills for it is our loss', async () => {
  const gateway = await startTestGateway({ upstreamUrl: stub.url })
  stub.onOther = (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"total_cost":0.0025}}')
  }
  stub.onChat = (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-generation-id': 'gen-cut', 'content-length': 99 })
    response.write('{"choices":', () => response.destroy())
  }
  const { posted } = await gateway.balance()
  const cut = await gateway.chat(QUESTION)
  expect([cut.status, (await errorOf(cut)).code]).toEqual([502, 'upstream_error'])
  expect(await gateway.balance()).toEqual({ posted, held: 0n })
  const { read } = gateway.gateway.database
  const losses = await read.selectFrom('transfer').select('write_off').where('kind', '=', 'write_off').execute()
  expect(losses).toEqual([{ write_off: 2_500_000_000n }])
  await gateway.stop()
})

test('an account whose answers are free for it and not for us has to wait, and an answer forgives', async () => {
  const clock = { moved: 0, now: () => Date.now() + clock.moved }
  const gateway = await startTestGateway({ upstreamUrl: stub.url, clock, file: { limits: { free_answers: 3 } } })
  const usage = { prompt_tokens: 10, completion_tokens: 5 }
  stub.onChat = (_call, response) => sendCompletion(response, { text: '', usage, cost: '0.0025' })
  for (let turn = 0; turn < 4; turn++) expect((await gateway.chat(QUESTION)).status).toBe(502)
  const transfers = await gateway.gateway.database.read.selectFrom('transfer').select(['kind', 'write_off']).execute()
  expect(transfers.filter(({ kind }) => kind === 'write_off')).toEqual(
    Array.from({ length: 4 }, () => ({ kind: 'write_off', write_off: 2_500_000_000n })),
  )
  const calls = stub.chats.length
  const slowed = await gateway.chat(QUESTION)
  expect([slowed.status, (await errorOf(slowed)).code, slowed.headers.get('retry-after')]).toEqual([
    429,
    'rate_limit_exceeded',
    '1',
  ])
  expect(stub.chats).toHaveLength(calls)
  clock.moved += 1_000
  stub.onChat = (_call, response) => sendCompletion(response)
  expect((await gateway.chat(QUESTION)).status).toBe(200)
  expect((await gateway.chat(QUESTION)).status).toBe(200)
  await gateway.stop()
})
