/** Files and folders that a person names on a command line. */
import { resolve } from 'node:path'

/** npm scripts that take such names. npm runs them in the folder of the repository, wherever the person stands. */
const SCRIPTS: ReadonlySet<string | undefined> = new Set(['admin', 'audit', 'sweep'])

export interface NamedFrom {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute. */
  readonly workingDir: string
}

/**
 * What a name on the command line means: it is relative to the folder in which the person typed it, also where npm has
 * started the program. Every option that takes a file or a folder reads it by this function.
 *
 * @returns an absolute path.
 */
export function namedPath(name: string, from: NamedFrom = { env: process.env, workingDir: process.cwd() }): string {
  const { INIT_CWD: folder, npm_lifecycle_event: script } = from.env
  return resolve(from.workingDir, SCRIPTS.has(script) && folder !== undefined ? folder : '', name)
}
