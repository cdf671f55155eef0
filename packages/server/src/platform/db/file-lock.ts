import { DatabaseSync } from 'node:sqlite'

/**
 * Takes a lock of the operating system on a file of its own, which is made where it is missing. It ends with the
 * process however that dies, and no process id can be mistaken for a living one.
 *
 * @returns a function that gives the lock free.
 * @throws what SQLite said, when another process has it or the file cannot be opened.
 */
export function lockFile(path: string): () => void {
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    throw error
  }
  return () => lock.close()
}
