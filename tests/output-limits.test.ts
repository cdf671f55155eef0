/** Requests that name no limit: the balance is the limiter only where it must be, and never cuts what it can pay. */
import { expect, test } from 'vitest'
import { beginStream, sendCompletion, sendStream } from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { ask, chargeIn, createGate, credits, finishReasonOf, hasText, openStream, question } from './open-stream.ts'
import { measureHold, setBalance } from './funded-caller.ts'
import { sendText, steppedStream } from './stepped-stream.ts'

const stub = useStubUpstream()
const gateway = useGatewayPerTest(() => ({ upstreamUrl: stub.url, credits: '0' }))

/**
 * Nanocredits for one output token: 25 USD a million with the margin. Source: the bundled list.
 */
const OPUS_OUTPUT = 30_000_000n
/** The most that the model makes. Source: the bundled list. */
const OPUS_TOKENS = 128_000n

/** The part of a hold that does not depend on the output. */
async function promptHold(body: object): Promise<bigint> {
  const { ledger } = gateway.gateway
  return (await measureHold(gateway, { ledger, stub }, { ...body, max_tokens: 1 })) - OPUS_OUTPUT
}

const body = question('anthropic/claude-opus-5')

/** A balance that pays for the prompt and so many output tokens. */
async function affordTokens(tokens: bigint): Promise<void> {
  await setBalance(gateway, gateway.gateway.ledger, (await promptHold(body)) + tokens * OPUS_OUTPUT)
}

test('a balance for 500 output tokens is not refused: the limit is sent upstream and reported', async () => {
  await affordTokens(500n)
  stub.onChat = (_call, response) => sendCompletion(response, { usage: { prompt_tokens: 10, completion_tokens: 450 } })
  const answer = await ask(gateway, body)
  expect(answer.status).toBe(200)
  const sent = Number(stub.chats.at(-1)?.json?.['max_tokens'])
  expect(sent).toBeGreaterThan(450)
  expect(sent).toBeLessThanOrEqual(500)
  expect(answer.json?.svc?.max_tokens_applied).toBe(sent)
})

test('a stream on such a balance gets every token that it pays for', async () => {
  await affordTokens(500n)
  stub.onChat = (_call, response) => sendStream(response, { usage: { prompt_tokens: 10, completion_tokens: 450 } })
  const stream = await openStream(gateway, body)
  const last = await stream.rest()
  const sent = Number(stub.chats.at(-1)?.json?.['max_tokens'])
  expect([499, 500]).toContain(sent)
  expect(last.json.svc).toMatchObject({ max_tokens_applied: sent })
})

test('a 402 for an answer without a limit comes only when not even one token is paid for', async () => {
  await affordTokens(0n)
  const before = stub.chats.length
  // Neither the bytes of the prompt nor its counted tokens leave anything for an answer.
  await setBalance(gateway, gateway.gateway.ledger, credits('0.000001'))
  const refused = await ask(gateway, body)
  expect([refused.status, stub.chats.length]).toEqual([402, before])
  await affordTokens(2n)
  stub.onChat = (_call, response) => sendCompletion(response, { usage: { prompt_tokens: 1, completion_tokens: 1 } })
  expect((await ask(gateway, body)).status).toBe(200)
})

test('a rich account’s request goes upstream unchanged', async () => {
  await setBalance(gateway, gateway.gateway.ledger, credits('1000000'))
  stub.onChat = (_call, response) => sendCompletion(response)
  const answer = await ask(gateway, body)
  expect(stub.chats.at(-1)?.json).not.toHaveProperty('max_tokens')
  expect(answer.json?.svc).not.toHaveProperty('max_tokens_applied')
})

async function heldIs(amount: bigint): Promise<void> {
  await expect.poll(async () => (await gateway.balance()).held).toBe(amount)
}

/** Checks that a stream began with a hold for 4,096 tokens, and answers the part that is for its prompt. */
async function firstStep(): Promise<bigint> {
  const fixed = (await gateway.balance()).held - 4_096n * OPUS_OUTPUT
  expect(fixed).toBeGreaterThan(0n)
  expect(fixed).toBeLessThan(credits('2'))
  return fixed
}

test('an upstream that does not keep the client’s own limit is stopped where the credits end', async () => {
  // Pays for the limit and for about a thousand tokens more.
  await affordTokens(1_100n)
  stub.onChat = (call, response) => {
    beginStream(response)
    const timer = setInterval(() => sendText(response, 400), 1)
    void call.closed.then(() => clearInterval(timer))
  }
  const stream = await openStream(gateway, { ...body, max_completion_tokens: 100 })
  await stream.rest()
  expect(finishReasonOf(stream)).toBe('length')
  await stub.chats.at(-1)?.closed
  await gateway.settled()
  expect((await gateway.balance()).posted).toBeLessThan(200n * OPUS_OUTPUT)
})

test('an upstream that goes a little beyond the limit is not stopped', async () => {
  await affordTokens(101n)
  const upstream = steppedStream(stub)
  const opening = openStream(gateway, { ...body, max_completion_tokens: 100 })
  await upstream.send(1_600)
  const stream = await opening
  await stream.until(hasText)
  await upstream.finish(100)
  await stream.rest()
  expect(finishReasonOf(stream)).toBe('stop')
})

test('a long stream extends its hold in doubling steps and is not cut', async () => {
  // Pays for all that the model can make, but not four times over: the hold starts small.
  await affordTokens(OPUS_TOKENS)
  const upstream = steppedStream(stub)
  const opening = openStream(gateway, body)
  await upstream.send(4)
  const stream = await opening
  await stream.until(hasText)
  const fixed = await firstStep()
  expect(stub.chats.at(-1)?.json).not.toHaveProperty('max_tokens')

  await upstream.send(8_192)
  await heldIs(fixed + 8_192n * OPUS_OUTPUT)
  await upstream.send(8_192)
  await heldIs(fixed + 16_384n * OPUS_OUTPUT)
  // More than twice the hold in one piece, and the rest up to the model's maximum.
  await upstream.send(200_000)
  await upstream.send(250_000)
  await upstream.finish(117_000)
  const last = await stream.rest()
  expect(finishReasonOf(stream)).toBe('stop')
  expect(stream.text()).toHaveLength(4 + 8_192 * 2 + 450_000)
  expect(chargeIn(last.text)).toBe(10n * 6_000_000n + 117_000n * OPUS_OUTPUT)
  const extensions = await gateway.gateway.database.read
    .selectFrom('hold_extension')
    .select(['amount', 'added_amount'])
    .where('hold_id', '=', stream.requestId)
    .orderBy('extended_at')
    .execute()
  expect(extensions[0]).toEqual({ amount: fixed + 8_192n * OPUS_OUTPUT, added_amount: 4_096n * OPUS_OUTPUT })
  expect(extensions[1]).toEqual({ amount: fixed + 16_384n * OPUS_OUTPUT, added_amount: 8_192n * OPUS_OUTPUT })
})

test('a stream ends with finish_reason length when another request takes the credits that it needs', async () => {
  await affordTokens(10_000n)
  const upstream = steppedStream(stub)
  const opening = openStream(gateway, body)
  await upstream.send(4)
  const stream = await opening
  await stream.until(hasText)
  await firstStep()

  // Everything that is left goes to a request of its own, which stays open.
  const [arrived, gate] = [createGate(), createGate()]
  stub.onChat = async (_call, response) => {
    arrived.open()
    await gate.opened
    sendCompletion(response)
  }
  const other = ask(gateway, { ...body, max_tokens: 5_800 })
  await arrived.opened
  await upstream.send(20_000)
  const last = await stream.rest()
  expect(finishReasonOf(stream)).toBe('length')
  expect(last.json.svc).toMatchObject({ estimated: true })
  const { posted, held } = await gateway.balance()
  expect(posted - held).toBeGreaterThanOrEqual(0n)
  gate.open()
  expect((await other).status).toBe(200)
})

test('a stream whose extension was refused goes on when the credits are free again', async () => {
  await affordTokens(10_000n)
  const upstream = steppedStream(stub)
  const opening = openStream(gateway, body)
  await upstream.send(4)
  const stream = await opening
  await stream.until(hasText)
  await firstStep()

  const [arrived, gate] = [createGate(), createGate()]
  stub.onChat = async (_call, response) => {
    arrived.open()
    await gate.opened
    sendCompletion(response)
  }
  const { posted } = await gateway.balance()
  const other = ask(gateway, { ...body, max_tokens: 5_800 })
  await arrived.opened
  const { held } = await gateway.balance()
  // Past the half of the hold, where it asks for more in vain.
  await upstream.send(9_000)
  await stream.until(hasText)
  expect(posted - held).toBeLessThan(200n * OPUS_OUTPUT)
  gate.open()
  await other
  await upstream.send(16_000)
  await upstream.finish(6_300)
  await stream.rest()
  expect(finishReasonOf(stream)).toBe('stop')
  expect(stream.text()).toHaveLength(25_004)
})
