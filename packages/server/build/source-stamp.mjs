import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/** What no build reads. */
const UNREAD = /\.test\.tsx?$|^__fixtures__$/

/**
 * A line for each file with its size and time, as one hash: quick enough for every start.
 *
 * @param {string} root folder that the sources are named from
 * @param {readonly string[]} sources files and folders; what is not there counts as nothing
 */
export function sourceStamp(root, sources) {
  const hash = createHash('sha256')
  for (const source of sources) addPlace(hash, source, path.join(root, source))
  return hash.digest('hex')
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} name
 * @param {string} place
 */
function addPlace(hash, name, place) {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isDirectory()) return void hash.update(`${name} ${found.size} ${found.mtimeMs}\n`)
  for (const entry of readdirSync(place).toSorted()) {
    if (!UNREAD.test(entry)) addPlace(hash, `${name}/${entry}`, path.join(place, entry))
  }
}
