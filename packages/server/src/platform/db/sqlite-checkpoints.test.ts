import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { CHECKPOINT_WORKER } from '../../../testing/fresh-database.ts'
import { startCheckpoints, WAL_SOFT_BYTES } from './sqlite-checkpoints.ts'
import { prepareSqliteWriter } from './sqlite-connection.ts'

test('the thread ends with its database, whatever else was loaded into it and works on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-checkpoints-'))
  const path = join(folder, 'svc.db')
  const entry = join(folder, 'busy.worker.mjs')
  writeFileSync(entry, `setInterval(() => {}, 1_000)\nawait import(${JSON.stringify(CHECKPOINT_WORKER.href)})\n`)
  const writer = new DatabaseSync(path)
  prepareSqliteWriter(writer)
  writer.exec('create table filler (bytes blob)')
  writer.prepare('insert into filler values (zeroblob(?))').run(2 * WAL_SOFT_BYTES)
  const checkpoints = startCheckpoints(path, pathToFileURL(entry))
  await checkpoints.run()
  await checkpoints.close()
  // No other connection holds the log any more.
  expect(writer.prepare('pragma wal_checkpoint(truncate)').get()).toMatchObject({ busy: 0 })
  writer.close()
  rmSync(folder, { recursive: true })
})
