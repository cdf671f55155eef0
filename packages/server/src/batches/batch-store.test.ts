import { OPEN_BATCHES_MAX } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import type { Batch } from './batch.ts'
import { createBatchStore } from './batch-store.ts'
import { readOpenBatches } from './open-figures-store.ts'

describeEachEngine('batches of an account', (engine) => {
  let open: TestDatabase
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  test('that come at the same moment are counted one after the other', async () => {
    const store = createBatchStore(open.database)
    const { accountId, keyId } = await seedCaller(open.database)
    const batch = (at: number): Batch => ({
      ...{ batchId: `batch_${at}`, accountId, keyId, endpoint: '/v1/embeddings', inputFileId: 'file-1' },
      ...{
        metadata: null,
        cardPercent: 100,
        lineMost: null,
        outputSeconds: null,
        state: 'validating',
        total: 0,
        completed: 0,
        failed: 0,
      },
      ...{ nextLine: 0, nextOffset: 0, keptBytes: 0, errors: null, outputFileId: null, errorFileId: null },
      ...{ createdAt: 1, expiresAt: 2, startedAt: null, finalizingAt: null, cancellingAt: null, endedAt: null },
      nextStepAt: 1,
    })
    for (let at = 2; at < OPEN_BATCHES_MAX; at++) expect(await store.insert(batch(at))).toBe(true)
    // Each has a connection of its own by then.
    await Promise.all(Array.from({ length: 8 }, () => readOpenBatches(open.database)))
    const inserted = await Promise.all(Array.from({ length: 8 }, (_, at) => store.insert(batch(100 + at))))
    expect(inserted.filter(Boolean)).toHaveLength(2)
    expect(await readOpenBatches(open.database)).toMatchObject([{ state: 'validating', count: OPEN_BATCHES_MAX }])
  })
})
