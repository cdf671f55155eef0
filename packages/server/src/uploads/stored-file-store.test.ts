import { FILES_BYTES_MAX } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { readKeptFiles } from './kept-figures-store.ts'
import { createStoredFileStore } from './stored-file-store.ts'

describeEachEngine('files of an account', (engine) => {
  let open: TestDatabase
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  test('that come at the same moment are counted one after the other', async () => {
    const store = createStoredFileStore(open.database)
    const { accountId } = await seedCaller(open.database)
    const file = (name: string, bytes: number) => ({
      ...{ fileId: `file-${name}`, mediaName: name, filename: 'lines.jsonl', purpose: 'batch' as const },
      ...{ accountId, bytes, createdAt: 1, expiresAt: 2 },
    })
    expect(await store.insert(file('large', FILES_BYTES_MAX - 250))).toBe(true)
    // Each has a connection of its own by then.
    await Promise.all(Array.from({ length: 8 }, () => readKeptFiles(open.database)))
    const inserted = await Promise.all(Array.from({ length: 8 }, (_, at) => store.insert(file(`small-${at}`, 100))))
    expect(inserted.filter(Boolean)).toHaveLength(2)
    expect(await store.measure(accountId)).toEqual({ files: 3, bytes: FILES_BYTES_MAX - 50 })
    expect(await readKeptFiles(open.database)).toEqual([{ purpose: 'batch', files: 3, bytes: FILES_BYTES_MAX - 50 }])
  })
})
