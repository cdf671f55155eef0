/** Batches of messages through Anthropic's own client, against a whole gateway on both engines. */
import Anthropic from '@anthropic-ai/sdk'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../packages/server/testing/eventually.ts'
import { findFreePort } from '../packages/server/testing/free-port.mjs'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { OPEN_BATCHES_MAX } from '@svc/contract'
import { capturesOf } from './batch-stage.ts'
import { cardOf, chargeOf } from './charge-of.ts'
import { setBalance } from './funded-caller.ts'

const CHARGE = cardOf(10, 5)
const params = (content: string, model = 'svc-gpt') => ({
  ...{ model, max_tokens: 50 },
  messages: [{ role: 'user' as const, content }],
})

describeEachEngine('batches of messages', (engine) => {
  const stub = useStubUpstream()
  let port = 0
  beforeAll(async () => {
    port = await findFreePort()
  })
  // Its answers name its address.
  const gateway = useGateway(() => ({
    ...{ engine, upstreamUrl: stub.url },
    env: { SVC_PORT: `${port}`, SVC_PUBLIC_URL: `http://127.0.0.1:${port}` },
  }))
  let client: Anthropic
  beforeAll(() => {
    client = new Anthropic({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 })
  })

  const ended = (id: string) =>
    eventually(async () => {
      const batch = await client.messages.batches.retrieve(id)
      if (batch.processing_status !== 'ended') throw new Error(`the batch is ${batch.processing_status}`)
      return batch
    })

  const filesOf = async (): Promise<number> =>
    ((await (await gateway.fetch('/v1/files?limit=1000')).json()) as { readonly data: unknown[] }).data.length

  const resultsOf = async (id: string) => {
    const found = new Map<string, Anthropic.Messages.MessageBatchResult>()
    for await (const { custom_id: customId, result } of await client.messages.batches.results(id)) {
      found.set(customId, result)
    }
    return found
  }

  test('each request is answered as a message, and charged once; one that fails is free', async () => {
    stub.onChat = (_call, response) => sendCompletion(response)
    const requests = [
      { custom_id: 'first', params: params('One\n"two"') },
      { custom_id: 'second', params: params('Two') },
      { custom_id: 'unknown', params: params('Three', 'no-such-model') },
      { custom_id: 'streamed', params: { ...params('Four'), stream: true } },
    ]
    const { result: batch, charge } = await chargeOf(gateway, async () => {
      const started = await client.messages.batches.create({ requests: requests as never })
      expect(started).toMatchObject({
        ...{ type: 'message_batch', processing_status: 'in_progress', results_url: null, ended_at: null },
        request_counts: { processing: 4, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      })
      expect(Date.parse(started.expires_at) - Date.parse(started.created_at)).toBe(86_400_000)
      return ended(started.id)
    })
    expect(batch.request_counts).toEqual({ processing: 0, succeeded: 2, errored: 2, canceled: 0, expired: 0 })
    expect(charge).toBe(2n * CHARGE)
    const results = await resultsOf(batch.id)
    expect(results.get('first')).toMatchObject({
      type: 'succeeded',
      message: {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
      },
    })
    expect(results.get('unknown')).toMatchObject({
      type: 'errored',
      error: {
        ...{ type: 'error', request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        error: { type: 'not_found_error', code: 'model_not_found' },
      },
    })
    expect(results.get('streamed')).toMatchObject({
      error: { error: { type: 'invalid_request_error', param: 'stream' } },
    })
    // Neither kind of client sees the batches of the other.
    expect(await (await gateway.fetch('/v1/batches')).json()).toMatchObject({ data: [] })
    const other = await gateway.fetch(`/v1/batches/${batch.id.replace('msg', '')}`)
    expect(other.status).toBe(404)
  })

  test('pages go both ways, and what is deleted is gone with its files', async () => {
    const made: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const { id } = await client.messages.batches.create({ requests: [{ custom_id: name, params: params(name) }] })
      made.unshift((await ended(id)).id)
    }
    const page = await client.messages.batches.list({ limit: 2 })
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([made.slice(0, 2), true])
    const older = await client.messages.batches.list({ limit: 1, after_id: made[1]! })
    expect(older.data.map(({ id }) => id)).toEqual([made[2]])
    const newer = await client.messages.batches.list({ limit: 1, before_id: made[2]! })
    expect([newer.data.map(({ id }) => id), newer.has_more]).toEqual([[made[1]], true])
    const before = await filesOf()
    expect(await client.messages.batches.delete(made[0]!)).toEqual({ id: made[0], type: 'message_batch_deleted' })
    expect(await filesOf()).toBe(before - 2)
    await expect(client.messages.batches.retrieve(made[0]!)).rejects.toMatchObject({ status: 404 })
  })

  test('one that is sent again under its Idempotency-Key is started once', async () => {
    const requests = [{ custom_id: 'once', params: params('Once') }]
    const send = () =>
      client.messages.batches.create({ requests }, { headers: { 'idempotency-key': 'messages-once' } }).withResponse()
    const { result, charge } = await chargeOf(gateway, async () => {
      const answers = [await send(), await send()]
      await ended(answers[0]!.data.id)
      return answers
    })
    const [first, second] = result
    expect(second!.data).toEqual(first!.data)
    expect(second!.response.headers.get('idempotent-replayed')).toBe('true')
    expect(charge).toBe(CHARGE)
  })

  test('a cancelled one begins no further request; until it has ended there are no results and no deletion', async () => {
    const held: (() => void)[] = []
    stub.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const requests = Array.from({ length: 12 }, (_, at) => ({ custom_id: `r-${at}`, params: params(`${at}`) }))
    const charged = (await capturesOf(gateway)).length
    const { id } = await client.messages.batches.create({ requests })
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(8)
    await expect(client.messages.batches.delete(id)).rejects.toMatchObject({ status: 409 })
    expect((await gateway.fetch(`/v1/messages/batches/${id}/results`)).status).toBe(409)
    const cancelling = await client.messages.batches.cancel(id)
    expect(cancelling).toMatchObject({ processing_status: 'canceling', cancel_initiated_at: expect.any(String) })
    for (const answer of held) answer()
    const batch = await ended(id)
    expect(batch.request_counts).toEqual({ processing: 0, succeeded: 8, errored: 0, canceled: 4, expired: 0 })
    const results = await resultsOf(id)
    expect([...results.values()].filter(({ type }) => type === 'canceled')).toHaveLength(4)
    expect((await capturesOf(gateway)).length - charged).toBe(8)
    stub.onChat = (_call, response) => sendCompletion(response)
  })

  test('one that is one too many leaves no file', async () => {
    const held: (() => void)[] = []
    stub.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const start = () => client.messages.batches.create({ requests: [{ custom_id: 'a', params: params('x') }] })
    const begun = await Promise.all(Array.from({ length: OPEN_BATCHES_MAX }, start))
    const files = await filesOf()
    await expect(start()).rejects.toMatchObject({ status: 409 })
    expect(await filesOf()).toBe(files)
    stub.onChat = (_call, response) => sendCompletion(response)
    for (const answer of held) answer()
    for (const { id } of begun) await ended(id)
  })

  test('what is wrong is said in this form, and names the field', async () => {
    const post = async (body: object, headers: Record<string, string> = { 'x-api-key': gateway.key }) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, key: null }
      const response = await gateway.fetch('/v1/messages/batches', { ...init, body: JSON.stringify(body) })
      const { type, error } = (await response.json()) as {
        readonly type: string
        readonly error: { readonly type: string; readonly param: string | null; readonly code: string }
      }
      return [response.status, type, error.type, error.param]
    }
    const one = { custom_id: 'a', params: params('x') }
    expect(await post({ requests: [one, one] })).toEqual([
      400,
      'error',
      'invalid_request_error',
      'requests.1.custom_id',
    ])
    expect(await post({ requests: [] })).toEqual([400, 'error', 'invalid_request_error', 'requests'])
    expect(await post({ requests: [{ ...one, custom_id: 'a b' }] })).toEqual([
      ...[400, 'error', 'invalid_request_error'],
      'requests.0.custom_id',
    ])
    expect(await post({ requests: [{ custom_id: 'a' }] })).toEqual([
      ...[400, 'error', 'invalid_request_error'],
      'requests.0.params',
    ])
    expect(await post({ requests: [one] }, {})).toEqual([401, 'error', 'authentication_error', null])
    const other = await createTestAccount(gateway.gateway, '1000', 'Elsewhere')
    const { rawKey } = await gateway.createKey(other)
    const elsewhere = new Anthropic({ baseURL: gateway.baseUrl, apiKey: rawKey, maxRetries: 0 })
    const { id } = await client.messages.batches.create({ requests: [one] })
    for (const named of [id, 'msgbatch_01HkcTjaV5uDC8jWR4ZsDV8d']) {
      const refusal = { status: 404, message: expect.stringContaining(named) }
      await expect(elsewhere.messages.batches.retrieve(named)).rejects.toMatchObject(refusal)
    }
    await ended(id)
    const { posted } = await gateway.balance()
    await setBalance(gateway, gateway.gateway.ledger, 0n)
    expect(await post({ requests: [one] })).toEqual([402, 'error', 'billing_error', null])
    await setBalance(gateway, gateway.gateway.ledger, posted)
  })
})
