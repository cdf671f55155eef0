import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Bytes of a secret that is made here. */
const SECRET_BYTES = 32

/** Makes the data folder, readable by its owner alone, also when it was there before with wider rights. */
export function prepareDataDir(dataDir: string): void {
  makeFolder(dataDir)
  chmodSync(dataDir, 0o700)
}

/** Reads a secret that an earlier start has left in the data folder. @returns null where there is none. */
export function findKeptSecret(dataDir: string, name: string): string | null {
  try {
    return readFileSync(join(dataDir, name), 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw error
  }
}

/**
 * Reads a secret that an earlier start has left in the data folder, or makes and keeps one (mode 600).
 * When two starts race, both get the one that was written first.
 */
export function readKeptSecret(dataDir: string, name: string): string {
  const path = join(dataDir, name)
  try {
    writeFileSync(path, `${randomBytes(SECRET_BYTES).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return readFileSync(path, 'utf8').trim()
}
