/**
 * The last checkpoint that this process has given out, in a file of the data folder. A database that is restored from a
 * backup does not take it along, so that it tells of what was published since.
 */
import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface CheckpointFile {
  /** Null where there is none. */
  read(): Promise<string | null>
  /** Returns once it is on the disk: nothing is given out before. */
  write(checkpoint: string): Promise<void>
}

const PRIVATE = 0o600

/** @param path its folder is there. */
export function openCheckpointFile(path: string): CheckpointFile {
  return {
    async read() {
      try {
        return await readFile(path, 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
    async write(checkpoint) {
      const draft = `${path}.new`
      const file = await open(draft, 'w', PRIVATE)
      try {
        await file.writeFile(checkpoint)
        await file.datasync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
      await flushFolder(dirname(path))
    },
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
