import { expect, test } from 'vitest'
import { seedCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase } from '../../testing/test-database.ts'
import { createIdempotency } from '../admission/idempotency/idempotency.ts'
import { createIdempotentRequestStore } from '../admission/idempotency/idempotent-request-store.ts'
import { KeptSpace } from '../admission/idempotency/kept-space.ts'
import type { Batch } from './batch.ts'
import type { BatchWorkDeps } from './batch-deps.ts'
import { type BatchLine, createBatchLineStore } from './batch-line-store.ts'
import { createBatchStore } from './batch-store.ts'
import { openResult } from './line-result.ts'
import { runLine } from './run-line.ts'

const NOW = 1_000_000
const secrets = [{ version: 1, secret: 'the pepper of these tests' }] as const
const TEXT = Buffer.from('{"custom_id":"one","method":"POST","url":"/v1/embeddings","body":{}}')

describeEachEngine('a line that is not made', (engine) => {
  test('is named with the reason, also where its end could not be written at first', async () => {
    const open = await openTestDatabase(engine)
    const { database } = open
    const { accountId, keyId } = await seedCaller(database)
    const batches = createBatchStore(database)
    const lines = createBatchLineStore(database)
    const batch: Batch = {
      ...{ batchId: 'batch_1', accountId, keyId, endpoint: '/v1/embeddings', inputFileId: 'file-1', metadata: null },
      ...{ cardPercent: 100, lineMost: null, outputSeconds: null, state: 'in_progress', total: 1, completed: 0 },
      ...{ failed: 0, nextLine: 0, nextOffset: 0, keptBytes: 0, errors: null, outputFileId: null, errorFileId: null },
      ...{ createdAt: NOW, expiresAt: NOW + 1, startedAt: NOW, finalizingAt: null, cancellingAt: null, endedAt: null },
      nextStepAt: NOW,
    }
    await batches.insert(batch)
    const owned = { batchId: batch.batchId, owner: 'p1' }
    await batches.claim({ ...owned, nextStepAt: NOW }, NOW + 1)
    const begun: BatchLine = {
      ...{ batchId: batch.batchId, line: 0, startAt: 0, byteLength: TEXT.length, requestId: 'request-1' },
      ...{ processId: 'p1', attempts: 1, result: null },
    }
    await lines.begin(owned, begun, { nextLine: 1, nextOffset: TEXT.length })
    await batches.cancel(batch.batchId, NOW)

    const clock = { now: () => NOW, latest: () => NOW, earliest: () => NOW, elapsed: () => 0 }
    const outcomeOf = () => Promise.resolve('free' as const)
    const ended: string[] = []
    let failures = 1
    const deps = {
      ...{ clock, secrets, outcomeOf, processId: 'p1', onLine: (outcome: string) => ended.push(outcome) },
      names: createIdempotency({
        ...{ clock, secrets, outcomeOf, processId: 'p1', space: new KeptSpace(clock), reportGone: () => '' },
        store: createIdempotentRequestStore(database),
      }),
      lines: {
        ...lines,
        end: (...line: Parameters<typeof lines.end>) =>
          failures-- > 0 ? Promise.reject(new Error('the database is away')) : lines.end(...line),
      },
      log: { error: (_facts: unknown, text: string) => ended.push(text) },
    } as unknown as BatchWorkDeps
    const run = async () => {
      const [line] = await lines.listRunning(batch.batchId)
      return runLine(deps, { batch, line: line!, text: TEXT, isLeft: true, unmade: 'batch_cancelled' })
    }
    await expect(run()).rejects.toThrow('away')
    expect(await run()).toEqual({ kind: 'ended' })
    expect(ended).toEqual(['unmade'])
    const [row] = await lines.listEnded(batch.batchId, 'failed', { after: -1, limit: 1 })
    expect(openResult(secrets, batch.batchId, row!)).toContain('"code":"batch_cancelled"')
    await open.close()
  })
})
