import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrateSqlite } from './migrate.ts'
import { SqliteWriter } from './sqlite-writer.ts'

const WRITER_WORKER = new URL('../sqlite-writer.worker.ts', import.meta.url)

/** A thread that dies of the first thing that it is asked. */
const DYING_THREAD = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', () => { throw new Error('out of luck') })
  `)}`,
)

test('a thread that dies is reported once, and whoever waits or comes later is refused', async () => {
  const lost: Error[] = []
  const writer = new SqliteWriter(DYING_THREAD, { path: 'nowhere' }, (error) => lost.push(error))
  const first = writer.runStatements([])
  const second = writer.applyBatch('0')
  await expect(first).rejects.toThrow(/writer thread failed: .*out of luck/)
  await expect(second).rejects.toThrow(/out of luck/)
  await expect(writer.runStatements([])).rejects.toThrow(/out of luck/)
  await writer.close()
  expect(lost).toHaveLength(1)
})

test('a thread that is closed is not lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-writer-'))
  const path = join(folder, 'svc.db')
  await migrateSqlite(path, 0)
  const lost: Error[] = []
  const writer = new SqliteWriter(WRITER_WORKER, { path }, (error) => lost.push(error))
  expect(await writer.runStatements([])).toEqual([])
  await writer.close()
  await rm(folder, { recursive: true })
  expect(lost).toEqual([])
})
