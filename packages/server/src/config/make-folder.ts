import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, readable by their owner alone, unless they are there.
 *
 * Node's own way (`recursive`) never ends where a system answers ENOENT for a folder whose parent is there, as below
 * `/proc`.
 *
 * @param path absolute.
 * @throws what the system says of the first folder that cannot be made.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    // A link that leads nowhere is there for `mkdir` and not for `stat`, which names it.
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    makeFolder(dirname(path))
    makeFolder(path)
  }
}
