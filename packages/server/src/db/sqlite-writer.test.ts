import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { migrateSqlite } from './migrate.ts'
import { serveSqliteWriter, type SqliteWriterReply, type SqliteWriterWork } from './sqlite-writer-thread.ts'
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
  const second = writer.applyBatch('0', { isFlushed: true })
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

/** What `pragma synchronous` says of a transaction that is flushed as it commits, and of one that is not. */
const FULL = '2'
const NORMAL = '1'

test('what need not be flushed is not, and whatever comes after it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-writer-'))
  const path = join(folder, 'svc.db')
  await migrateSqlite(path, 0)
  const { port1, port2 } = new MessageChannel()
  // Each batch answers how the transaction that it stands in will commit.
  serveSqliteWriter(port2, path, (connection) => ({
    apply: () => String(connection.prepare('pragma synchronous').get()?.['synchronous']),
    forget: () => {},
  }))
  const ask = async (work: SqliteWriterWork): Promise<unknown> => {
    port1.postMessage({ id: 1, work })
    const [reply] = (await once(port1, 'message')) as [SqliteWriterReply]
    return 'failure' in reply ? reply.failure : reply.result
  }
  const batch = (isFlushed: boolean): SqliteWriterWork => ({ kind: 'batch', batch: '', isFlushed })
  expect(await ask(batch(true))).toBe(FULL)
  expect(await ask(batch(false))).toBe(NORMAL)
  expect(await ask(batch(true))).toBe(FULL)
  expect(await ask(batch(false))).toBe(NORMAL)
  await ask({ kind: 'statements', statements: [] })
  expect(await ask(batch(true))).toBe(FULL)
  await ask({ kind: 'close' })
  port1.close()
  await rm(folder, { recursive: true })
})
