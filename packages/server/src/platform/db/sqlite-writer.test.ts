import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrateSqlite } from './migrate.ts'
import { SqliteWriter, type SqliteWriterOptions } from './sqlite-writer.ts'

let folder = ''
let path = ''
const opened: SqliteWriter[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-writer-'))
  path = join(folder, 'svc.db')
  await migrateSqlite(path, 0)
})

afterEach(async () => {
  for (const writer of opened.splice(0)) await writer.close()
  await rm(folder, { recursive: true })
})

function open(options: Omit<SqliteWriterOptions, 'path'> = {}): SqliteWriter {
  const writer = new SqliteWriter({ path, ...options })
  opened.push(writer)
  return writer
}

const insert = (id: string) => ({
  sql: `insert into account (account_id, name, status, created_at) values (?, 'Test', 'active', 1)`,
  parameters: [id],
})

const FLUSHED = { isFlushed: true }
const UNFLUSHED = { isFlushed: false }

/** A disk whose flushes end when the test says so. */
function slowDisk() {
  const ends: PromiseWithResolvers<void>[] = []
  const flush = (): Promise<void> => {
    const end = Promise.withResolvers<void>()
    ends.push(end)
    return end.promise
  }
  return { ends, flush }
}

/** Whether a promise is settled once everything that can go on has gone on. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.finally(() => (settled = true)).catch(() => undefined)
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

test('what is to be flushed is reported once a flush has ended that began after it', async () => {
  const { ends, flush } = slowDisk()
  const writer = open({ flush })
  const first = writer.transact(() => 1, FLUSHED)
  expect(await isSettled(first)).toBe(false)
  // These come while the first flush is on its way: it may have begun too early for them, and one more serves both.
  const [second, third] = [writer.transact(() => 2, FLUSHED), writer.transact(() => 3, FLUSHED)]
  ends[0]?.resolve()
  expect(await first).toBe(1)
  expect(await isSettled(second)).toBe(false)
  expect(ends).toHaveLength(2)
  ends[1]?.resolve()
  expect([await second, await third]).toEqual([2, 3])
  expect(ends).toHaveLength(2)
})

test('what need not be flushed is reported at once, also while the disk is busy', async () => {
  const { ends, flush } = slowDisk()
  const writer = open({ flush })
  const slow = writer.transact(() => 'slow', FLUSHED)
  expect(await writer.transact(() => 'quick', UNFLUSHED)).toBe('quick')
  expect(ends).toHaveLength(1)
  ends[0]?.resolve()
  expect(await slow).toBe('slow')
})

test('a flush that fails is reported once, and callers that wait or come later are refused', async () => {
  const lost: Error[] = []
  const { ends, flush } = slowDisk()
  const writer = open({ flush, onLost: (error) => lost.push(error) })
  const [first, second] = [writer.runStatements([insert('one')]), writer.transact(() => 2, FLUSHED)]
  const failures = Promise.allSettled([first, second])
  expect(await isSettled(failures)).toBe(false)
  ends[0]?.reject(new Error('the disk is gone'))
  expect((await failures).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const refused = expect.objectContaining({ code: 'server_is_overloaded', trouble: 'storage' })
  await expect(writer.runStatements([insert('two')])).rejects.toEqual(refused)
  await expect(writer.transact(() => 3, UNFLUSHED)).rejects.toEqual(refused)
  expect(lost.map(({ cause }) => String(cause))).toEqual(['Error: the disk is gone'])
})

test('a transaction waits for the lock of another connection, and nothing else has to', async () => {
  const writer = open()
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  const waiting = writer.runStatements([insert('waited')])
  // The thread is free: this one would not be reached otherwise.
  expect(await isSettled(waiting)).toBe(false)
  other.exec('commit')
  expect(await waiting).toEqual([1])
  other.close()
})

test('a transaction that fails leaves nothing behind, and counts as none', async () => {
  const writer = open()
  const failing = writer.transact(() => {
    writer.connection.exec(`insert into account (account_id, name, status, created_at) values ('a', 'A', 'active', 1)`)
    throw new Error('changed my mind')
  }, FLUSHED)
  await expect(failing).rejects.toThrow('changed my mind')
  expect(writer.commits).toBe(0)
  expect(writer.connection.prepare(`select * from account where account_id = 'a'`).get()).toBeUndefined()
  expect(await writer.runStatements([insert('a')])).toEqual([1])
  expect(writer.commits).toBe(1)
})

test('what is written apart is not counted: it changes no row that is kept in memory', async () => {
  const writer = open()
  expect(await writer.transact(() => 'apart', { ...UNFLUSHED, isApart: true })).toBe('apart')
  expect(writer.commits).toBe(0)
})

test('closing waits for everything that was asked before', async () => {
  const { ends, flush } = slowDisk()
  const lost: Error[] = []
  const writer = new SqliteWriter({ path, flush, onLost: (error) => lost.push(error) })
  const last = writer.runStatements([insert('last')])
  expect(await isSettled(last)).toBe(false)
  const closing = writer.close()
  expect(await isSettled(closing)).toBe(false)
  ends[0]?.resolve()
  expect(await last).toEqual([1])
  await closing
  expect(lost).toEqual([])
})

test('a database can be opened by several connections of one process', async () => {
  const writers = [open(), open(), open()]
  await Promise.all(
    writers.flatMap((writer, at) => Array.from({ length: 20 }, (_, n) => writer.runStatements([insert(`${at}-${n}`)]))),
  )
  expect(writers[0]?.connection.prepare('select count(*) as n from account').get()).toEqual({ n: 60 })
})
