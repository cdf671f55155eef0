import { join } from 'node:path'
import { lockFile } from './file-lock.ts'

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
 * Operator commands do not take the lock: they work beside a gateway.
 *
 * @returns a function that gives the folder free.
 * @throws {DataFolderInUseError}
 */
export function lockDataFolder(dataDir: string): () => void {
  try {
    return lockFile(join(dataDir, 'gateway.lock'))
  } catch (cause) {
    throw new DataFolderInUseError(dataDir, { cause })
  }
}
