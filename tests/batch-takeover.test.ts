/** What a process that died left of a batch, at each place where it can have died. */
import { expect, test } from 'vitest'
import { sealResult } from '../packages/server/src/batches/line-result.ts'
import { createId } from '../packages/server/src/platform/runtime/ids.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { capturesOf, chatLines, clientOf, CHAT_URL, ended, linesOf } from './batch-stage.ts'
import { cardOf, nanocreditsIn } from './charge-of.ts'
import { toFile } from 'openai'

const PEPPER = 'the pepper of a gateway that takes over'

describeEachEngine('a batch whose process died', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGatewayPerTest(() => ({ engine, upstreamUrl: stub.url, env: { SVC_KEY_PEPPER: PEPPER } }))

  test('is gone on with: what was charged is delivered, what was not is made, each once', async () => {
    stub.onChat = (_call, response) => sendCompletion(response)
    const client = clientOf(gateway)
    const lines = chatLines(5)
    const file = await toFile(Buffer.from(lines.join('\n')), 'requests.jsonl')
    const { id: input_file_id } = await client.files.create({ file, purpose: 'batch' })
    // Charged by the process before: after the charge there is a record, and the answer was kept before.
    const charged = (await gateway.chat(JSON.parse(lines[0]!).body)).headers.get('x-request-id')!
    // Free by the process before: its upstream failed after it was held.
    stub.onChat = (_call, response) => void response.writeHead(400).end('{"error":{"message":"no"}}')
    const free = (await gateway.chat(JSON.parse(lines[2]!).body)).headers.get('x-request-id')!
    stub.onChat = (_call, response) => sendCompletion(response)
    const asked = stub.chats.length

    const { database } = gateway.gateway
    const now = Date.now()
    const batchId = `batch_${createId(now).replaceAll('-', '')}`
    const batch = database.read.insertInto('batch').values({
      ...{ batch_id: batchId, account_id: gateway.accountId, key_id: gateway.keyId, endpoint: CHAT_URL, input_file_id },
      ...{ metadata: null, card_percent: 100, output_seconds: null, state: 'in_progress', lines_total: 5 },
      ...{ lines_completed: 0, lines_failed: 0, next_line: 4, kept_bytes: 0, errors: null },
      next_offset: lines.slice(0, 4).join('\n').length + 1,
      ...{ output_file_id: null, error_file_id: null, created_at: now, expires_at: now + 86_400_000 },
      ...{ started_at: now, finalizing_at: null, cancelling_at: null, ended_at: null },
      ...{ owner: 'a process that died', next_step_at: now },
    })
    const kept = (line: number, text: object) =>
      sealResult({ version: 1, secret: PEPPER }, batchId, line, JSON.stringify(text))
    // The account could pay less than this.
    const beforeCharge = {
      status_code: 200,
      body: { usage: { cost: 9 }, svc: { credits_charged: 9_000, margin_bps: 2_000 } },
    }
    const left = [
      { request_id: charged, result: kept(0, { custom_id: 'line-0', kept: true, response: beforeCharge }) },
      // It died before the answer came, and before it was charged.
      { request_id: createId(now), result: null },
      { request_id: free, result: kept(2, { custom_id: 'line-2', kept: true }) },
      { request_id: createId(now), result: kept(3, { custom_id: 'line-3', kept: true }) },
    ]
    let startAt = 0
    const rows = left.map((row, line) => {
      const byteLength = lines[line]!.length
      const values = {
        ...{ batch_id: batchId, line, start_at: startAt, byte_length: byteLength, process_id: 'a process that died' },
        ...{ attempts: 1, state: 'running' as const, ...row },
      }
      startAt += byteLength + 1
      return database.read.insertInto('batch_line').values(values).compile()
    })
    await database.write([batch.compile(), ...rows])

    const done = await ended(client, batchId)
    expect(done).toMatchObject({ status: 'completed', request_counts: { total: 5, completed: 5, failed: 0 } })
    const output = await linesOf(client, done.output_file_id)
    expect(output.map((line) => [line.custom_id, 'kept' in line])).toEqual([
      ['line-0', true],
      ['line-1', false],
      ['line-2', false],
      ['line-3', false],
      ['line-4', false],
    ])
    expect(output.map(({ response }) => nanocreditsIn(response!.body))).toEqual(output.map(() => cardOf(10, 5)))
    expect(output[0]!.response!.body).toMatchObject({ usage: { cost: Number(cardOf(10, 5)) / 1e12 } })
    expect(stub.chats.length - asked).toBe(4)
    expect(await capturesOf(gateway)).toEqual(Array.from({ length: 5 }, () => cardOf(10, 5)))
  })

  test('before it had answered is not started again under its Idempotency-Key, and is named', async () => {
    stub.onChat = (_call, response) => sendCompletion(response)
    const client = clientOf(gateway)
    const file = await toFile(Buffer.from(chatLines(1).join('\n')), 'requests.jsonl')
    const { id: input_file_id } = await client.files.create({ file, purpose: 'batch' })
    const headers = { 'idempotency-key': 'started-once' }
    const send = () =>
      client.batches.create({ input_file_id, endpoint: CHAT_URL, completion_window: '24h' }, { headers })
    const { id } = await send()
    // As it was left: the batch is written, and the name of its request is not finished.
    const { database } = gateway.gateway
    const left = { state: 'running', answer: null, process_id: 'a process that died' } as const
    await database.write([database.read.updateTable('idempotent_request').set(left).compile()])
    const again = await send().catch((error: unknown) => error)
    expect(again).toMatchObject({ status: 409, code: 'idempotency_answer_gone', message: expect.stringContaining(id) })
    expect((await client.batches.list()).data.map((batch) => batch.id)).toEqual([id])
    await ended(client, id)
  })
})
