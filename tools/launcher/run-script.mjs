import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import path from 'node:path'
import { LaunchError } from './launch-error.mjs'

/**
 * Runs a script with the given Node, that Node first in PATH, and ends as the script ends: same exit code, same signal.
 *
 * The compiled form of what the script loads is kept, so that a second start does not compile again.
 *
 * @param {{ node: string, root: string, file: string, args: string[] }} script
 */
export function runScript({ node, root, file, args }) {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: 'inherit',
    env: {
      NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'compiled'),
      ...process.env,
      PATH: `${path.dirname(node)}${path.delimiter}${process.env['PATH'] ?? ''}`,
      NODE: node,
      npm_node_execpath: node,
    },
  })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to every process in front, so the script has it already.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    })
  }
  child.once('error', (error) => {
    process.stderr.write(`svc: ${new LaunchError(`${node} could not be started: ${error.message}`).message}\n`)
    process.exitCode = 1
  })
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.exitCode = 128 + constants.signals[signal]
    process.kill(process.pid, signal)
  })
}
