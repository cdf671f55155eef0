import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const SYSTEMS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'win32' }
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/**
 * The program of a local chain, where its package is installed; null otherwise. The binary has a package of its own for
 * each platform, so no install script has to run.
 */
export function findAnvil(): string | null {
  const system = SYSTEMS[process.platform]
  const processor = PROCESSORS[process.arch]
  if (system === undefined || processor === undefined) return null
  const path = folderOf(`@foundry-rs/anvil-${system}-${processor}`)
  if (path === null) return null
  const program = join(path, 'bin', system === 'win32' ? 'anvil.exe' : 'anvil')
  return existsSync(program) ? program : null
}

/** The folder of an installed package; null where it is not installed. */
function folderOf(name: string): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    return null
  }
}
