import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { createId } from '../platform/runtime/ids.ts'
import { type Batch, batchIdOf } from './batch.ts'
import { createBatchStore } from './batch-store.ts'
import { readOpenBatches } from './open-figures-store.ts'

describeEachEngine('batches that have not ended', (engine) => {
  let open: TestDatabase
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  test('are counted by state, with the step that is due the longest', async () => {
    const { database } = open
    const { accountId, keyId } = await seedCaller(database)
    const store = createBatchStore(database)
    const batch = (nextStepAt: number | null, more: Partial<Batch> = {}): Batch => ({
      ...{ batchId: batchIdOf(createId(Date.now())), accountId, keyId, endpoint: '/v1/chat/completions' },
      ...{
        inputFileId: 'file-1',
        metadata: null,
        cardPercent: 100,
        lineMost: null,
        outputSeconds: null,
        state: 'validating',
      },
      ...{ total: 0, completed: 0, failed: 0, nextLine: 0, nextOffset: 0, keptBytes: 0, errors: null },
      ...{ outputFileId: null, errorFileId: null, createdAt: 1, expiresAt: 9_000, startedAt: null, finalizingAt: null },
      ...{ cancellingAt: null, endedAt: null, nextStepAt },
      ...more,
    })
    expect(await readOpenBatches(database)).toEqual([])
    await store.insert(batch(5_000))
    await store.insert(batch(3_000))
    await store.insert(batch(4_000, { state: 'in_progress', startedAt: 2 }))
    await store.insert(batch(null, { state: 'completed', endedAt: 3 }))
    const found = await readOpenBatches(database)
    expect(found.toSorted((one, other) => one.state.localeCompare(other.state))).toEqual([
      { state: 'in_progress', count: 1, nextStepAt: 4_000 },
      { state: 'validating', count: 2, nextStepAt: 3_000 },
    ])
  })
})
