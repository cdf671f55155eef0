import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What hears best of what needs no account. Source: measured, decision 0027. */
const PROGRAM = 'pocketsphinx_batch'

/** The path of the recogniser of the system; null where there is none. @param searchPath as in `PATH`. */
export function findRecogniser(searchPath: string): string | null {
  for (const folder of searchPath.split(delimiter).filter(Boolean)) {
    const path = join(folder, PROGRAM)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return null
}
