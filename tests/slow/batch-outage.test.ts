/** Batches while the database is away: no line is lost, and none is charged twice. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sendCompletion } from '../../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../../packages/server/testing/test-database.ts'
import { useGatewayPerTest } from '../../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../../packages/server/testing/use-stub-upstream.ts'
import { capturesOf, chatLines, clientOf, ended, linesOf, startBatch } from '../batch-stage.ts'
import { cardOf } from '../charge-of.ts'
import { createDatabaseFault, type DatabaseFault } from '../database-faults.ts'

const LINES = 20

describeEachEngine('a database that goes away in the middle of a batch', (engine) => {
  const stub = useStubUpstream()
  let fault: DatabaseFault
  beforeEach(() => {
    fault = createDatabaseFault(engine, () => gateway.dataDir)
  })
  afterEach(() => fault.close())
  const gateway = useGatewayPerTest(() => ({
    ...{ engine, upstreamUrl: stub.url, leadTo: fault.leadTo },
    file: { limits: { lease_ms: 4_000, journal_ms: 500 } },
  }))
  afterEach(() => fault.end())

  test('delays it: each line is answered and charged once', async () => {
    const held: (() => void)[] = []
    stub.onChat = (_call, response) => void held.push(() => sendCompletion(response))
    const client = clientOf(gateway)
    const batch = await startBatch(client, chatLines(LINES))
    await expect.poll(() => held.length, { timeout: 20_000 }).toBe(8)
    await fault.begin()
    stub.onChat = (_call, response) => sendCompletion(response)
    for (const answer of held) answer()
    // Whatever is tried meanwhile fails.
    await expect
      .poll(() => gateway.logged.filter((line) => line.includes('"task":"batches"')).length, { timeout: 30_000 })
      .toBeGreaterThan(0)
    await fault.end()
    const done = await ended(client, batch.id, 90_000)
    expect(done).toMatchObject({ status: 'completed', request_counts: { total: LINES, completed: LINES, failed: 0 } })
    const lines = await linesOf(client, done.output_file_id)
    expect(lines.map((line) => line.custom_id)).toEqual(Array.from({ length: LINES }, (_, at) => `line-${at}`))
    await gateway.settled()
    expect(await capturesOf(gateway)).toEqual(Array.from({ length: LINES }, () => cardOf(10, 5)))
  })
})
