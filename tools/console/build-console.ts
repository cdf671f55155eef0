/** Builds the console's pages, unless those there were built from the same sources. */
import path from 'node:path'
import { ERRORS, guides } from '../../packages/console/src/reference/guides.ts'
import { buildOnce } from '../../packages/server/build/build-once.mjs'

const root = path.dirname(path.dirname(import.meta.dirname))
/** Everything that the pages are made of. */
const SOURCES = [
  'packages/console/src',
  'packages/console/public',
  'packages/console/index.html',
  'packages/console/docs.html',
  'packages/console/vite.config.ts',
  'packages/console/early-theme.ts',
  'packages/console/first-chunk.ts',
  'packages/console/keep-last-build.ts',
  'packages/console/precompress.ts',
  'packages/console/reference-site.ts',
  'packages/console/without-schemas.ts',
  ...[...guides.map(({ name }) => name), ERRORS].map((name) => `docs/${name}.md`),
  'packages/contract/src',
  'package-lock.json',
  'tools/console/build-console.ts',
]

/**
 * Builds the pages into `packages/console/dist`. Says one line when it has to.
 *
 * @throws when the sources do not build.
 */
export function buildConsole(): Promise<void> {
  return buildOnce({
    ...{ name: 'console', root, sources: SOURCES, folder: path.join(root, 'packages/console/dist') },
    program: path.join(root, 'node_modules/vite/bin/vite.js'),
    words: ['build', '--logLevel', 'warn'],
    node: process.execPath,
  })
}
