/** Where the console's built pages are. Part of the composition. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../console/dist', import.meta.url))

/** Whether there are pages to serve: a gateway reads them as it starts. */
export function isConsoleBuilt(): boolean {
  return existsSync(join(CONSOLE_FOLDER, 'index.html'))
}
