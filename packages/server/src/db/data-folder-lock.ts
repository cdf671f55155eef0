import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another gateway lives on the same data folder. */
export class DataFolderInUseError extends Error {
  constructor(dataDir: string, options?: ErrorOptions) {
    super(
      `Another gateway uses the data folder ${dataDir}. Stop it, or choose another folder with SVC_DATA_DIR.`,
      options,
    )
    this.name = 'DataFolderInUseError'
  }
}

/**
 * Makes this process the only gateway on a data folder: what another one left open there may then be adopted.
 *
 * The lock is the operating system's, on a file of its own, so it ends with the process however that dies, and no
 * process id can be mistaken for a living one. Operator commands do not take it: they work beside a gateway.
 *
 * @returns a function that gives the folder free.
 * @throws {DataFolderInUseError}
 */
export function lockDataFolder(dataDir: string): () => void {
  const lock = new DatabaseSync(join(dataDir, 'gateway.lock'), { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (cause) {
    lock.close()
    throw new DataFolderInUseError(dataDir, { cause })
  }
  return () => lock.close()
}
