import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import path from 'node:path'

/** One press of Ctrl-C arrives more than once: from the terminal, and from the npm that passes it on. */
const SAME_SIGNAL_MS = 1_000
const PARENT_POLL_MS = 500

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
  passSignals(child)
  if (process.env['npm_lifecycle_event'] !== undefined) endWithParent(child)
  child.once('error', (error) => {
    process.stderr.write(`svc: ${node} could not be started: ${error.message}\n`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.exitCode = 128 + constants.signals[signal]
    process.kill(process.pid, signal)
  })
}

/** @param {import('node:child_process').ChildProcess} child */
function passSignals(child) {
  const isInTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    let passedAt = -Infinity
    process.on(signal, () => {
      // A terminal sends Ctrl-C to every process in front, so the script has it already.
      if (signal === 'SIGINT' && isInTerminal) return
      if (performance.now() - passedAt < SAME_SIGNAL_MS) return
      passedAt = performance.now()
      child.kill(signal)
    })
  }
}

/**
 * Stops the script when the npm that started us is gone, also when it was killed: nothing would be left to stop it
 * with.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithParent(child) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    child.kill('SIGTERM')
  }, PARENT_POLL_MS)
  timer.unref()
}
