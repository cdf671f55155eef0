import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { LaunchError } from './launch-error.mjs'

/** The holder renews its lock this often. */
const RENEW_MS = 5_000
/** A lock of another machine that was not renewed for so long is left over. */
const SILENT_MS = 30_000
/** The number of a process may be given again, so a lock that is older than any install is left over in any case. */
const OLD_MS = 1_800_000
const POLL_MS = 200

/**
 * Runs `work` while no other launcher of this clone installs. Waits as long as the other one shows signs of life.
 *
 * @param {string} file the lock, which must be outside the folders that an install empties
 * @param {(addHolder: (pid: number) => void) => Promise<void>} work tells which process does the work: should this one
 *   be killed, that one goes on, and the lock remains until it has ended
 * @throws {LaunchError} when the lock cannot be written.
 */
export async function withInstallLock(file, work) {
  let told = false
  while (!tryLock(file)) {
    if (removeStale(file)) continue
    if (!told) process.stderr.write('svc: Another start is installing packages; waiting for it.\n')
    told = true
    await wait(POLL_MS)
  }
  const renewal = setInterval(() => renew(file), RENEW_MS)
  /** @type {number[]} */
  const holders = [process.pid]
  const release = () => rmSync(file, { force: true })
  process.once('exit', release)
  try {
    await work((pid) => {
      holders.push(pid)
      writeFileSync(file, renderLock(holders))
    })
  } finally {
    clearInterval(renewal)
    process.off('exit', release)
    release()
  }
}

/** @param {string} file */
function tryLock(file) {
  try {
    const handle = openSync(file, 'wx')
    writeSync(handle, renderLock([process.pid]))
    closeSync(handle)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return false
    throw new LaunchError(`Packages are missing and this folder cannot be written (${code}): ${file}`)
  }
}

/**
 * Takes away a lock whose holder is gone. Renaming first makes sure that only one of several waiters does it; the text
 * says whether what was taken is what was judged.
 *
 * @param {string} file
 */
function removeStale(file) {
  const judged = readLock(file)
  if (judged === null || !isStale(judged)) return false
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
    if (readLock(aside)?.text === judged.text) rmSync(aside, { force: true })
    else renameSync(aside, file)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  return true
}

/** @param {number[]} holders */
const renderLock = (holders) => JSON.stringify({ host: hostname(), holders, at: Date.now() })

/** @param {{ text: string, renewedAt: number }} lock */
function isStale({ text, renewedAt }) {
  const age = Date.now() - renewedAt
  try {
    const { host, holders } = JSON.parse(text)
    return host === hostname() ? age > OLD_MS || !holders.some(isAlive) : age > SILENT_MS
  } catch {
    // Just made and not yet written, or never finished.
    return age > SILENT_MS
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** @param {string} file */
function readLock(file) {
  try {
    return { text: readFileSync(file, 'utf8'), renewedAt: statSync(file).mtimeMs }
  } catch {
    return null
  }
}

/** @param {string} file */
function renew(file) {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // A person removed the lock by hand; the install goes on.
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
