/** What becomes of a batch whose file was lost where files are kept, although its row is still there. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { toFile } from 'openai'
import { expect, test } from 'vitest'
import { createId } from '../packages/server/src/platform/runtime/ids.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { capturesOf, chatLines, clientOf, CHAT_URL, ended, linesOf, startBatch } from './batch-stage.ts'
import { cardOf } from './charge-of.ts'

const GONE = { object: 'list', data: [{ code: 'file_not_found', param: 'input_file_id', line: null }] }
/** More than is read of a file at a time, in three lines. */
const LONG = ' '.repeat(500_000)

describeEachEngine('a batch whose file was lost', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGatewayPerTest(() => ({ engine, upstreamUrl: stub.url }))

  async function loseFile(fileId: string): Promise<void> {
    const files = gateway.gateway.database.read.selectFrom('stored_file').select('media_name')
    const { media_name: name } = await files.where('file_id', '=', fileId).executeTakeFirstOrThrow()
    await rm(join(gateway.dataDir, 'media', name))
  }

  test('fails and says so, keeps what was made, and charges that alone', async () => {
    const client = clientOf(gateway)
    const held: (() => void)[] = []
    stub.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const batch = await startBatch(
      client,
      chatLines(20).map((line) => line + LONG),
    )
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(8)
    await loseFile(batch.input_file_id)
    stub.onChat = (_call, response) => sendCompletion(response)
    for (const answer of held) answer()
    const done = await ended(client, batch.id)
    expect(done).toMatchObject({ status: 'failed', failed_at: expect.any(Number), errors: GONE })
    const { completed, failed, total } = done.request_counts!
    expect([total, failed]).toEqual([20, 0])
    expect(completed).toBeLessThan(20)
    expect(await linesOf(client, done.output_file_id)).toHaveLength(completed)
    expect(await capturesOf(gateway)).toEqual(Array.from({ length: completed }, () => cardOf(10, 5)))
  })

  test.each(['validating', 'in_progress'] as const)('is not tried again and again: %s', async (state) => {
    const client = clientOf(gateway)
    const asked = stub.chats.length
    const lines = chatLines(3)
    const file = await toFile(Buffer.from(lines.join('\n')), 'requests.jsonl')
    const { id: input_file_id } = await client.files.create({ file, purpose: 'batch' })
    await loseFile(input_file_id)

    const { database } = gateway.gateway
    const now = Date.now()
    const batchId = `batch_${createId(now).replaceAll('-', '')}`
    const hasBegun = state === 'in_progress'
    const batch = database.read.insertInto('batch').values({
      ...{ batch_id: batchId, account_id: gateway.accountId, key_id: gateway.keyId, endpoint: CHAT_URL, input_file_id },
      ...{ metadata: null, card_percent: 100, output_seconds: null, state, lines_total: hasBegun ? 3 : 0 },
      ...{ lines_completed: 0, lines_failed: 0, next_line: hasBegun ? 1 : 0, kept_bytes: 0, errors: null },
      next_offset: hasBegun ? lines[0]!.length + 1 : 0,
      ...{ output_file_id: null, error_file_id: null, created_at: now, expires_at: now + 86_400_000 },
      ...{ started_at: hasBegun ? now : null, finalizing_at: null, cancelling_at: null, ended_at: null },
      ...{ owner: 'a process that died', next_step_at: now },
    })
    const line = database.read.insertInto('batch_line').values({
      ...{ batch_id: batchId, line: 0, start_at: 0, byte_length: lines[0]!.length, process_id: 'a process that died' },
      ...{ attempts: 1, state: 'running', request_id: createId(now), result: null },
    })
    await database.write([batch.compile(), ...(hasBegun ? [line.compile()] : [])])

    const done = await ended(client, batchId)
    expect(done).toMatchObject({ status: 'failed', errors: GONE, output_file_id: null })
    const unmade = await linesOf(client, done.error_file_id)
    expect(unmade.map(({ error }) => error?.code)).toEqual(hasBegun ? ['input_file_gone'] : [])
    expect([stub.chats.length - asked, await capturesOf(gateway)]).toEqual([0, []])
  })
})
