/** What a balance pays for at a time: holds keep requests from spending together what each could spend alone. */
import { formatCredits, nanocreditsOf } from '@svc/contract'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { openGatewayProcesses } from '../packages/server/testing/gateway-process.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine, findPostgres } from '../packages/server/testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { ask, createGate, credits, hasText, openStream, question, recordOf } from './open-stream.ts'
import { sendTogether, watchBalance } from './parallel-load.ts'
import { measureHold, setBalance } from './funded-caller.ts'

const stub = useStubUpstream()

const REQUESTS = 1_000
const body = question('svc-gpt', { max_tokens: 500 })

describeEachEngine('one process', (engine) => {
  /** A gateway whose account has nothing yet. */
  const startPoor = (): Promise<TestGateway> => startTestGateway({ engine, upstreamUrl: stub.url, credits: '0' })

  test(`of ${REQUESTS} requests at once on a balance worth 10, exactly 10 reach the upstream`, async () => {
    const gateway = await startPoor()
    const { ledger } = gateway.gateway
    const amount = 10n * (await measureHold(gateway, { ledger, stub }, body))
    await setBalance(gateway, ledger, amount)
    const load = await sendTogether(
      gateway,
      stub,
      Array.from({ length: REQUESTS }, () => ({ target: gateway, body })),
    )
    expect(load).toMatchObject({ statuses: { 200: 10, 402: REQUESTS - 10 }, reached: 10 })
    await gateway.settled()
    expect(await gateway.balance()).toEqual({ posted: amount - load.charged, held: 0n })
    expect(load.charged).toBe(10n * (10n * 12_000n + 5n * 60_000n))
    await gateway.stop()
  })

  // Case B006
  test('requests at once, of one key or of fifty, never overdraw: with credit for one, one is served', async () => {
    const gateway = await startPoor()
    const { ledger } = gateway.gateway
    const hold = await measureHold(gateway, { ledger, stub }, body)
    await setBalance(gateway, ledger, (hold * 10n) / 9n)
    const keys = await Promise.all(Array.from({ length: 50 }, () => gateway.createKey()))
    const requests = [
      ...Array.from({ length: 50 }, () => ({ target: gateway, body })),
      ...keys.map(({ rawKey }) => ({ target: gateway, body, key: rawKey })),
    ]
    expect(await sendTogether(gateway, stub, requests)).toMatchObject({ statuses: { 200: 1, 402: 99 }, reached: 1 })
    await gateway.stop()
  })

  // Case B007
  test('a rich account is held to its balance like any other', async () => {
    const gateway = await startTestGateway({
      engine,
      upstreamUrl: stub.url,
      credits: '0',
      env: { SVC_RATE_CARD_UNIT: 'per_1k' },
    })
    const large = question('svc-gpt', { max_tokens: 310 })
    const { ledger } = gateway.gateway
    const hold = await measureHold(gateway, { ledger, stub }, large)
    expect(hold).toBeGreaterThanOrEqual(credits('19'))
    await setBalance(gateway, ledger, 50n * hold)
    const load = await sendTogether(
      gateway,
      stub,
      Array.from({ length: 200 }, () => ({ target: gateway, body: large })),
    )
    expect(load).toMatchObject({ statuses: { 200: 50, 402: 150 }, reached: 50 })
    await gateway.stop()
  })

  // Case B011
  test('a charge above its hold takes nothing that is held for others, and what it lacks is written off', async () => {
    const gateway = await startPoor()
    const { ledger, database } = gateway.gateway
    const hold = await measureHold(gateway, { ledger, stub }, { ...body, user: 'A' })
    await setBalance(gateway, ledger, 2n * hold)
    const gates = { A: createGate(), B: createGate() }
    stub.onChat = async (call, response) => {
      const name = call.json?.['user'] === 'A' ? 'A' : 'B'
      await gates[name].opened
      // 1.6 times the hold, and as much as the hold.
      sendCompletion(response, { cost: usdOf(name === 'A' ? (hold * 16n) / 10n : hold) })
    }
    const stopWatching = watchBalance(gateway)
    const first = ask(gateway, { ...body, user: 'A' })
    const second = ask(gateway, { ...body, user: 'B' })
    await expect.poll(async () => (await gateway.balance()).held).toBe(2n * hold)
    gates.A.open()
    const overrun = await first
    expect((await ask(gateway, body)).status).toBe(402)
    gates.B.open()
    const covered = await second
    await stopWatching()
    await gateway.settled()
    expect(overrun.charge).toBe(hold)
    expect(await gateway.balance()).toEqual({ posted: hold - covered.charge, held: 0n })
    expect(await recordOf(gateway, overrun.requestId)).toMatchObject({ charge: overrun.charge, status: 'ok' })
    const rows = await database.read.selectFrom('usage_record').select(['usage_id', 'write_off']).execute()
    const writeOff = rows.find(({ usage_id }) => usage_id === overrun.requestId)?.write_off ?? 0n
    // The cost was written with whole digits, so the charge is up to two nanocredits off.
    expect([0n, 1n, 2n]).toContain((hold * 16n) / 10n - overrun.charge - writeOff)
    const warned = gateway.logged.filter((line) => line.includes('credits_written_off'))
    expect(warned.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'warn', request_id: overrun.requestId, credits_written_off: formatCredits(nanocreditsOf(writeOff)) },
    ])
    await gateway.stop()
  })

  // Case B009
  test('an answer without a limit leaves credits for others, and a huge limit counts as the model’s own', async () => {
    const gateway = await startTestGateway({ engine, upstreamUrl: stub.url, credits: '100' })
    const gate = createGate()
    stub.onChat = async (call, response) => {
      if (call.json?.['stream'] === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n')
        await gate.opened
        return sendStreamEnd(response)
      }
      sendCompletion(response)
    }
    const open = await openStream(gateway, question('openai/gpt-6-astra'))
    await open.until(hasText)
    const { posted, held } = await gateway.balance()
    expect(held).toBeLessThanOrEqual((posted * 3n) / 4n)
    expect((await ask(gateway, body)).status).toBe(200)

    // The cheapest model, so that its own maximum is paid for.
    const hostile = await ask(gateway, question('svc-mercury', { max_tokens: 999_999_999 }))
    expect(hostile.status).toBe(200)
    expect(stub.chats.at(-1)?.json?.['max_tokens']).toBe(65_536)
    gate.open()
    await open.rest()
    await gateway.stop()
  })
})

function sendStreamEnd(response: ServerResponse): void {
  response.write('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n')
  response.end('data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\ndata: [DONE]\n\n')
}

/** The cost in USD, as JSON text, whose charge is an amount of nanocredits that divides by twelve. */
function usdOf(charge: bigint): string {
  return `${(charge * 10n) / 12n}e-12`
}

test.skipIf(findPostgres() === null)(
  `of ${REQUESTS} requests at once at three processes on one database, 10 reach the upstream; with credit for one, one`,
  { timeout: 90_000 },
  async () => {
    const processes = await openGatewayProcesses({ engine: 'postgres', upstreamUrl: stub.url, credits: '0' })
    const gateways = await Promise.all([processes.start(), processes.start(), processes.start()])
    const [first] = gateways
    const { ledger } = processes
    const funded = { ...first, accountId: processes.accountId, balance: () => processes.balance() }
    const hold = await measureHold(funded, { ledger, stub }, body)
    await setBalance(processes, ledger, 10n * hold)
    const requests = Array.from({ length: REQUESTS }, (_, index) => ({
      target: gateways[index % gateways.length] ?? first,
      body,
    }))
    const load = await sendTogether(processes, stub, requests)
    expect(load).toMatchObject({ statuses: { 200: 10, 402: REQUESTS - 10 }, reached: 10 })
    await processes.settled()
    expect(await processes.balance()).toEqual({ posted: 10n * hold - load.charged, held: 0n })

    // Case B006
    await setBalance(processes, ledger, (hold * 10n) / 9n)
    const two = await sendTogether(processes, stub, requests.slice(0, 50))
    expect(two).toMatchObject({ statuses: { 200: 1, 402: 49 }, reached: 1 })
    await processes.stop()
  },
)
