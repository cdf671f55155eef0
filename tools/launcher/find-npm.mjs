import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { LaunchError } from './launch-error.mjs'

/**
 * The path of npm's own command line script, to be run by a Node of our choice: the npm that started us, else the one
 * that came with the running Node, else the first in PATH.
 *
 * @throws {LaunchError} when there is none.
 */
export function findNpm() {
  const found = candidates().find((file) => existsSync(file))
  if (found !== undefined) return realpathSync(found)
  throw new LaunchError('npm was not found. Install npm (it comes with Node), or start with `npm start` or `npm test`.')
}

/** @returns {string[]} */
function candidates() {
  const script = path.join('bin', 'npm-cli.js')
  const started = process.env['npm_execpath'] ?? ''
  const beside = path.dirname(realpathSync(process.execPath))
  const inPath = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
  return [
    // Another package manager that runs our scripts names itself here.
    ...(path.basename(started) === 'npm-cli.js' ? [started] : []),
    ...[beside, ...inPath].flatMap((folder) => [
      path.join(folder, '..', 'lib', 'node_modules', 'npm', script),
      path.join(folder, 'node_modules', 'npm', script),
      path.join(folder, '..', 'share', 'nodejs', 'npm', script),
    ]),
  ]
}
