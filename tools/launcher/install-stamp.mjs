import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** @param {string} folder */
const stampOf = (folder) => path.join(folder, 'node_modules', '.svc-installed')

/**
 * Whether the folder's packages are those of its lock file, for this platform, and all still there.
 *
 * The stamp is written after a finished install only, so an interrupted one is noticed. Looking for each package's
 * manifest costs a few milliseconds and notices what was deleted since.
 *
 * @param {string} folder
 */
export function isInstalled(folder) {
  return readText(stampOf(folder)) === fingerprint(folder) && hasEveryPackage(folder)
}

/** @param {string} folder */
export function markInstalled(folder) {
  writeFileSync(stampOf(folder), fingerprint(folder))
}

/** @param {string} folder */
export function unmarkInstalled(folder) {
  rmSync(stampOf(folder), { force: true })
}

/**
 * Whether npm's own record of the folder agrees with the lock file, as after an install by hand. Then no second one is
 * needed.
 *
 * What is optional may be absent, being for another platform or a part of something that is. A build for this very
 * platform may not: an npm run by an old Node leaves out optional packages that ask for a newer one.
 *
 * @param {string} folder
 */
export function agreesWithLock(folder) {
  const wanted = readPackages(path.join(folder, 'package-lock.json'))
  const present = readPackages(recordOf(folder))
  if (wanted === null || present === null) return false
  for (const [name, entry] of Object.entries(wanted)) {
    if (!name.includes('node_modules/')) continue
    // Npm's record may be of a time when there was no such package of our own.
    if (entry.link && !existsSync(path.join(folder, name))) return false
    if (entry.link) continue
    const found = present[name]
    if (found === undefined ? isNeeded(entry) : found.integrity !== entry.integrity) return false
  }
  return hasEveryPackage(folder)
}

/**
 * @typedef {object} LockEntry
 * @property {string} [integrity]
 * @property {boolean} [link]
 * @property {boolean} [optional]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {string | string[]} [libc]
 */

/** @param {LockEntry} entry */
function isNeeded({ optional, os, cpu, libc }) {
  if (!optional) return true
  if (os === undefined && cpu === undefined) return false
  return (
    includes(os, process.platform) && includes(cpu, process.arch) && (libc === undefined || includes(libc, findLibc()))
  )
}

/**
 * @param {string | string[] | undefined} list
 * @param {string} value
 */
function includes(list, value) {
  return list === undefined || [list].flat().includes(value)
}

/** The C library that this Node was built for, as npm names it. */
function findLibc() {
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  return report.header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}

/** @param {string} folder */
const recordOf = (folder) => path.join(folder, 'node_modules', '.package-lock.json')

/** @param {string} folder */
function hasEveryPackage(folder) {
  const packages = readPackages(recordOf(folder))
  if (packages === null) return false
  return Object.keys(packages).every((name) => existsSync(path.join(folder, name, 'package.json')))
}

/** @param {string} folder */
function fingerprint(folder) {
  const lock = readFileSync(path.join(folder, 'package-lock.json'))
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}\n`
}

/**
 * @param {string} file
 * @returns {Record<string, LockEntry> | null} null when there is no such file or it is not whole
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null
  } catch {
    return null
  }
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
