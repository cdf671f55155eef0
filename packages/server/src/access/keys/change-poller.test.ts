import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { systemTimer } from '../../platform/runtime/timer.ts'
import { createKeyChangeStore } from './key-change-store.ts'
import { createKeyStore } from './key-store.ts'
import { createChangePoller } from './change-poller.ts'

describeEachEngine('changes of keys', (engine) => {
  let open: TestDatabase
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  test('each change is reported once, of two in one millisecond as well, by a clock that counts finer than that', async () => {
    const now = 1_800_000_000_000
    const told: string[] = []
    const failures: unknown[] = []
    const poll = createChangePoller({
      list: createKeyChangeStore(open.database).listChangedSince,
      clock: { now: () => now, elapsed: () => 1_234.5678 },
      timer: systemTimer,
      onChange: (id) => told.push(id),
      onError: (error) => failures.push(error),
    })
    const { keyId } = await seedCaller(open.database)
    const store = createKeyStore(open.database)
    for (const name of ['one', 'two']) {
      await store.change(keyId, { changedAt: now, name })
      await poll.poll()
      await poll.poll()
    }
    expect(failures).toEqual([])
    expect(told).toEqual([keyId, keyId])
  })
})
