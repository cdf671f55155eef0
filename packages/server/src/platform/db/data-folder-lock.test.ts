import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DataFolderInUseError, lockDataFolder } from './data-folder-lock.ts'

test('a data folder has one gateway at a time, and is free again after it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const release = lockDataFolder(folder)
  expect(() => lockDataFolder(folder)).toThrow(DataFolderInUseError)
  release()
  lockDataFolder(folder)()
})
