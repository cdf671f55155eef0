/** The file of the log's keys: made once for its owner alone, and never replaced without the operator's word. */
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigError } from '../../config/config-error.ts'
import { type LogKeys, makeLogKey, parseLogKeys } from './log-key.ts'

const OWNER_ONLY = 0o600

/**
 * Makes the key of a log that is about to begin. One that is there, or that another start makes meanwhile, stays.
 *
 * @throws {ConfigError} when it cannot be written.
 */
export function makeLogKeyFile(path: string, name: string): void {
  try {
    writeFileSync(path, makeLogKey(name), { flag: 'wx', mode: OWNER_ONLY })
    chmodSync(path, OWNER_ONLY)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw unusable(path, error)
  }
}

/**
 * Reads the keys of the log, and the text of the file. None where the file is gone.
 *
 * @throws {ConfigError} when the file is there and cannot be read, or has something else in it.
 */
export function readLogKeyFile(path: string): LogKeys & { readonly text: string } {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { signers: [], former: [], text: '' }
    }
    throw unusable(path, error)
  }
  const keys = parseLogKeys(text)
  if (keys !== null) return { ...keys, text }
  throw new ConfigError([
    `The key of the ledger log in ${path} is none: a line begins with PRIVATE+KEY+ and signs, and others are keys from ` +
      'before. Put the file back as the gateway has made it.',
  ])
}

/**
 * Writes the file anew, in one step and to the disk: a key that is not there after a crash would have to be replaced, too.
 *
 * @throws {ConfigError} when it cannot be written.
 */
export function writeLogKeyFile(path: string, text: string): void {
  const draft = `${path}.new`
  try {
    writeFileSync(draft, text, { mode: OWNER_ONLY })
    chmodSync(draft, OWNER_ONLY)
    const file = openSync(draft, 'r')
    fsyncSync(file)
    closeSync(file)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw unusable(path, error)
  }
}

function unusable(path: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : 'unknown error'
  return new ConfigError([
    `The key of the ledger log cannot be used: ${reason}. Give a file in SVC_LOG_KEY_FILE, or none for ${path}.`,
  ])
}
