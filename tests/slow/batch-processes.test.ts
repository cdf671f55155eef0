/** Batches of gateways as operators run them: real processes that are killed in the middle. */
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { type GatewayProcesses, openGatewayProcesses } from '../../packages/server/testing/gateway-process.ts'
import { createRandom } from '../../packages/server/testing/random.ts'
import { sendCompletion, startStubUpstream } from '../../packages/server/testing/stub-upstream.ts'
import { describeEachEngine, findPostgres } from '../../packages/server/testing/test-database.ts'
import { startTestS3 } from '../../packages/server/testing/s3-server.ts'
import { chatLines, clientOf, ended, linesOf, startBatch } from '../batch-stage.ts'
import { cardOf } from '../charge-of.ts'

const LINES = 60
const CHARGE = cardOf(10, 5)
/** Short, so that others go on soon. */
const file = { limits: { lease_ms: 2_000, journal_ms: 200 } }

/** Each line is answered once and charged once, and nothing else was. */
async function expectEachOnce(all: GatewayProcesses, client: OpenAI, batch: OpenAI.Batch): Promise<void> {
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: LINES, completed: LINES, failed: 0 },
  })
  const lines = await linesOf(client, batch.output_file_id)
  expect(lines.map((line) => line.custom_id)).toEqual(Array.from({ length: LINES }, (_, at) => `line-${at}`))
  const charged = await all.database.read
    .selectFrom('transfer')
    .select(['hold_id', 'charge'])
    .where('kind', '=', 'capture')
    .execute()
  expect(charged.map(({ charge }) => charge)).toEqual(Array.from({ length: LINES }, () => CHARGE))
  expect(new Set(charged.map(({ hold_id: id }) => id))).toEqual(
    new Set(lines.map(({ response }) => response!.request_id)),
  )
  await all.settled()
  expect(await all.balance()).toEqual({ posted: 10_000_000_000_000n - BigInt(LINES) * CHARGE, held: 0n })
}

describeEachEngine('a batch whose process is killed again and again', (engine) => {
  const random = createRandom()

  test(`has each line once, and each is charged once (seed ${random.seed})`, async () => {
    const upstream = await startStubUpstream()
    const all = await openGatewayProcesses({ engine, upstreamUrl: upstream.url, credits: '10000', file })
    upstream.onChat = (_call, response) => void setTimeout(() => sendCompletion(response), random.below(30))
    let running = await all.start()
    const { id } = await startBatch(clientOf({ v1: `${running.baseUrl}/v1`, key: all.key }), chatLines(LINES))
    for (let kill = 1; kill <= 3; kill++) {
      const asked = upstream.chats.length
      await expect.poll(() => upstream.chats.length, { timeout: 30_000, interval: 2 }).toBeGreaterThan(asked + 10)
      running.signal('SIGKILL')
      await running.exited
      running = await all.start()
    }
    const client = clientOf({ v1: `${running.baseUrl}/v1`, key: all.key })
    await expectEachOnce(all, client, await ended(client, id, 60_000))
    await all.stop()
    await upstream.close()
  })
})

describe.skipIf(findPostgres() === null)('a batch of several processes on one database', () => {
  test('is gone on with by another one that finds its files in the bucket', async () => {
    const upstream = await startStubUpstream()
    const s3 = await startTestS3()
    const env = {
      SVC_S3_ENDPOINT: s3.endpoint,
      SVC_S3_BUCKET: s3.bucket,
      SVC_S3_REGION: s3.region,
      SVC_S3_ACCESS_KEY_ID: s3.accessKeyId,
      SVC_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    }
    const all = await openGatewayProcesses({
      ...{ engine: 'postgres', upstreamUrl: upstream.url, credits: '10000', file, env },
    })
    const held: (() => void)[] = []
    upstream.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const first = await all.start()
    const { id } = await startBatch(clientOf({ v1: `${first.baseUrl}/v1`, key: all.key }), chatLines(LINES))
    await expect.poll(() => held.length, { timeout: 30_000 }).toBe(8)
    const second = await all.start()
    upstream.onChat = (_call, response) => sendCompletion(response)
    // Some are charged while it dies, some are not.
    for (const answer of held.slice(0, 4)) answer()
    await expect.poll(() => upstream.chats.length, { timeout: 30_000, interval: 1 }).toBeGreaterThan(12)
    first.signal('SIGKILL')
    await first.exited
    const client = clientOf({ v1: `${second.baseUrl}/v1`, key: all.key })
    await expectEachOnce(all, client, await ended(client, id, 60_000))
    await all.stop()
    await upstream.close()
    await s3.close()
  })
})
