import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildOnce } from './build-once.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Where the built programs are. */
export const PROGRAMS = path.join(root, 'packages', 'server', 'dist')

/** Everything that the programs are made of. */
const SOURCES = [
  'packages/server/src',
  'packages/server/build',
  'packages/contract/src',
  'packages/sandbox/src',
  'packages/tokens/src',
  'package-lock.json',
]

/**
 * Builds the programs of the gateway into `packages/server/dist`, unless those there were built from the same sources.
 * Says one line when it has to.
 *
 * @param {string} node the Node that builds them
 * @throws {Error} when the sources do not build.
 */
export function buildServer(node = process.execPath) {
  const program = path.join(root, 'packages', 'server', 'build', 'bundle.mjs')
  return buildOnce({ name: 'gateway', root, sources: SOURCES, folder: PROGRAMS, program, words: [], node })
}
