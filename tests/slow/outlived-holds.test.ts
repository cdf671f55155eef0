/** Holds that outlive their process, their lease or a stop: each ends once, with what was delivered. */
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { formatCredits, nanocreditsOf } from '@svc/contract'
import { openGatewayProcesses, type GatewayProcesses } from '../../packages/server/testing/gateway-process.ts'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  usageText,
} from '../../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../../packages/server/testing/test-database.ts'
import { useStubUpstream } from '../../packages/server/testing/use-stub-upstream.ts'
import { audioOf, CHARACTER, speak } from '../audio-upstream.ts'
import { ask, chargeIn, hasText, openStream, question, recordOf, usageOf } from '../open-stream.ts'

const stub = useStubUpstream()

const body = question('svc-gpt', { max_tokens: 500 })
/** Charge of the stub's ordinary answer: 10 and 5 tokens. */
const ORDINARY = 10n * 12_000n + 5n * 60_000n

/** Short enough that a test sees several of each. */
const quick = { limits: { lease_ms: 4_000, journal_ms: 100, shutdown_grace_ms: 2_000 } }

/** A stream that a test leads: it says a word, and waits. */
function ledStream(): { readonly opened: Promise<ServerResponse> } {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  stub.onChat = (call, response) => {
    if (call.json?.['stream'] !== true) return sendCompletion(response)
    beginStream(response)
    sendEvent(response, chunkText({ content: 'Hello there' }))
    resolve(response)
  }
  return { opened: promise }
}

function endStream(response: ServerResponse): void {
  sendEvent(response, chunkText({}, 'stop'))
  sendEvent(response, usageText({ prompt_tokens: 10, completion_tokens: 5 }))
  sendEvent(response, '[DONE]')
  response.end()
}

const progressOf = async (processes: GatewayProcesses, holdId: string): Promise<string | null> => {
  const holds = processes.database.read.selectFrom('hold').select('progress').where('hold_id', '=', holdId)
  return (await holds.executeTakeFirst())?.progress ?? null
}

const journaled = (processes: GatewayProcesses, holdId: string): Promise<void> =>
  expect.poll(() => progressOf(processes, holdId)).toContain('"completionTokens":3')

describeEachEngine('holds that outlive what made them', (engine) => {
  // Case B039
  test('after a restart a budget counts what was spent before, once', async () => {
    const processes = await openGatewayProcesses({ engine, upstreamUrl: stub.url, credits: '1000' })
    const limit = nanocreditsOf(20n * ORDINARY)
    const { rawKey: key, keyId } = await processes.createKey({ budget: { limit, period: 'monthly' } })
    const cheap = question('svc-mercury', { max_tokens: 1 })
    const chargeEach = (charge: bigint): void => {
      stub.onChat = (_call, response) => sendCompletion(response, { cost: usdOf(charge) })
    }
    // Twelve twentieths of the budget, and then one twentieth by five requests at once.
    const first = await processes.start()
    chargeEach(12n * ORDINARY)
    expect((await ask(first, cheap, { key })).status).toBe(200)
    first.signal('SIGTERM')
    expect(await first.exited).toBe(0)
    const second = await processes.start()
    chargeEach(ORDINARY / 5n)
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(second, cheap, { key })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const budget = await processes.database.read
      .selectFrom('budget_window')
      .innerJoin('api_key', 'api_key.budget_id', 'budget_window.budget_id')
      .select(['spent', 'reserved'])
      .where('key_id', '=', keyId)
      .executeTakeFirstOrThrow()
    expect(budget).toEqual({ spent: 13n * ORDINARY, reserved: 0n })
    await processes.stop()
  })

  // Case B012
  test('a stream that outlives its lease is settled once, by its own process', async () => {
    const processes = await openGatewayProcesses({ engine, upstreamUrl: stub.url, credits: '1000', file: quick })
    const gateway = await processes.start()
    // On a shared database a second process sweeps as well.
    if (engine === 'postgres') await processes.start()
    const { opened } = ledStream()
    const stream = await openStream(gateway, body)
    await stream.until(hasText)
    const leases = async (): Promise<number> =>
      Math.max(
        ...(await processes.database.read.selectFrom('process_lease').select('lease_until').execute()).map(
          ({ lease_until }) => lease_until,
        ),
      )
    const first = await leases()
    await expect.poll(leases).toBeGreaterThan(first + 2 * quick.limits.lease_ms)
    expect((await processes.balance()).held).toBeGreaterThan(0n)
    endStream(await opened)
    expect(chargeIn((await stream.rest()).text)).toBe(ORDINARY)
    await processes.settled()
    expect(await usageOf(gateway)).toMatchObject({ sum: ORDINARY, data: [{ status: 'ok', estimated: false }] })
    await processes.stop()
  })

  test('a killed process’s stream is charged by the journal, once, with an estimate', async () => {
    const processes = await openGatewayProcesses({ engine, upstreamUrl: stub.url, credits: '1000', file: quick })
    const before = await processes.balance()
    const killed = await processes.start()
    ledStream()
    const stream = await openStream(killed, body)
    await stream.until(hasText)
    await journaled(processes, stream.requestId)
    const waiting = ask(killed, body).catch(() => null)
    killed.signal('SIGKILL')
    expect(await killed.exited).toBeNull()
    await waiting
    expect((await processes.balance()).held).toBeGreaterThan(0n)

    // Embedded storage is adopted at the next start, a shared one is swept once the lease has run out.
    const next = await processes.start()
    await processes.settled()
    const record = await recordOf(next, stream.requestId)
    expect(record).toMatchObject({ status: 'incomplete', estimated: true, basis: 'estimate', completion_tokens: 3 })
    expect(record.charge).toBe(BigInt(record.prompt_tokens ?? 0) * 12_000n + 3n * 60_000n)
    const { sum } = await usageOf(next)
    expect(before.posted - (await processes.balance()).posted).toBe(sum)
    await processes.stop()
  })

  test('a stream whose first attempt had failed, and whose second had not begun, is free', async () => {
    const processes = await openGatewayProcesses({ engine, upstreamUrl: stub.url, credits: '1000', file: quick })
    const before = await processes.balance()
    const killed = await processes.start()
    const again = Promise.withResolvers<void>()
    let attempts = 0
    stub.onChat = (_call, response) => {
      attempts++
      if (attempts > 1) return again.resolve()
      // The upstream says itself that it has made nothing, and when to come back.
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant' }))
      setTimeout(() => {
        sendEvent(response, JSON.stringify({ error: { code: 429, message: 'busy', retry_after: 1 } }))
        response.end()
      }, 4 * quick.limits.journal_ms)
    }
    const asked = killed.chat({ ...body, stream: true }).catch(() => null)
    await again.promise
    killed.signal('SIGKILL')
    await Promise.all([killed.exited, asked])
    expect((await processes.balance()).held).toBeGreaterThan(0n)
    await processes.start()
    await processes.settled()
    expect(await processes.balance()).toEqual(before)
    await processes.stop()
  })

  // Its price is in a header before the first byte, and final.
  test('a killed process’s speech is charged its price, whatever the upstream says of its cost', async () => {
    const processes = await openGatewayProcesses({ engine, upstreamUrl: stub.url, credits: '1000', file: quick })
    const before = await processes.balance()
    const killed = await processes.start()
    stub.onOther = (call, response) => {
      if (call.path.endsWith('/audio/speech')) {
        response.writeHead(200, { 'content-type': 'audio/mpeg', 'x-generation-id': 'gen-speech' })
        return void response.write(audioOf(50_000))
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"data":{"total_cost":0.5}}')
    }
    const spoken = await speak(killed, { input: 'Hello there.' })
    const price = spoken.headers.get('x-svc-credits-charged')
    const requestId = spoken.headers.get('x-request-id') ?? ''
    await expect.poll(() => progressOf(processes, requestId)).toContain('usd_per_unit')
    killed.signal('SIGKILL')
    await killed.exited
    await spoken.arrayBuffer().catch(() => null)
    await processes.start()
    await processes.settled()
    expect(price).toBe(formatCredits(12n * CHARACTER))
    expect(before.posted - (await processes.balance()).posted).toBe(12n * CHARACTER)
    await processes.stop()
  })

  test('a stop lets streams finish, and settles those that do not in time', async () => {
    const processes = await openGatewayProcesses({ engine, upstreamUrl: stub.url, credits: '1000', file: quick })
    const gateway = await processes.start()
    const finishing = ledStream()
    const short = await openStream(gateway, body)
    await short.until(hasText)
    const shortEnd = await finishing.opened
    ledStream()
    const long = await openStream(gateway, body)
    await long.until(hasText)

    gateway.signal('SIGTERM')
    await expect
      .poll(() =>
        gateway.chat(body).then(
          () => 'served',
          () => 'refused',
        ),
      )
      .toBe('refused')
    endStream(shortEnd)
    expect(chargeIn((await short.rest()).text)).toBe(ORDINARY)
    expect((await long.rest()).json.error).toMatchObject({ code: 'server_is_overloaded' })
    expect(await gateway.exited).toBe(0)

    expect((await processes.balance()).held).toBe(0n)
    const next = await processes.start()
    expect(await recordOf(next, short.requestId)).toMatchObject({ charge: ORDINARY, status: 'ok', estimated: false })
    expect(await recordOf(next, long.requestId)).toMatchObject({
      ...{ status: 'incomplete', error_code: 'server_is_overloaded' },
      ...{ estimated: true, completion_tokens: 3 },
    })
    await processes.stop()
  })
})

/** The cost in USD, as JSON text, whose charge is an amount of nanocredits that divides by twelve. */
function usdOf(charge: bigint): string {
  return `${(charge * 10n) / 12n}e-12`
}
