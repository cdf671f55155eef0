import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import path from 'node:path'
import { explainFailure } from './explain-failure.mjs'
import { findNpm } from './find-npm.mjs'
import { withInstallLock } from './install-lock.mjs'
import { agreesWithLock, isInstalled, markInstalled, unmarkInstalled } from './install-stamp.mjs'
import { LaunchError } from './launch-error.mjs'

/** Settings of a surrounding npm command that would change what is installed, or where. */
const FOREIGN_SETTINGS = new RegExp(
  '^npm_config_(workspaces?|include_workspace_root|global|location|prefix|local_prefix|omit|include|only|also|' +
    'production|dev|optional|dry_run|package_lock(_only)?|json|os|cpu|libc|call)$',
  'i',
)

const COMMAND = [
  'ci',
  '--include=dev',
  '--include=optional',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
]

/**
 * Installs exactly what the folder's lock file names, once, however many launchers ask at a time.
 *
 * @param {string} root the repository
 * @param {string} folder the repository or its runtime folder
 * @param {string} node the Node that runs npm: an npm run by an old Node silently leaves out packages that ask for a
 *   newer one
 * @throws {LaunchError} with the reason in words.
 */
export async function installPackages(root, folder, node) {
  await withInstallLock(path.join(root, 'tools', '.install.lock'), async (addHolder) => {
    if (isInstalled(folder)) return
    if (!agreesWithLock(folder))
      await install({ folder, node, addHolder, what: folder === root ? 'The packages' : 'Node 24' })
    markInstalled(folder)
  })
}

/** @param {{ folder: string, node: string, addHolder: (pid: number) => void, what: string }} order */
async function install({ folder, node, addHolder, what }) {
  const startedAt = Date.now()
  const command = [findNpm(), ...COMMAND]
  unmarkInstalled(folder)
  process.stderr.write(`svc: ${what} will be installed now; this happens once and takes up to some minutes …\n`)
  const { failed, output } = await runNpm(node, command, folder, addHolder)
  if (failed) throw new LaunchError(explainFailure(what, output))
  process.stderr.write(`svc: Installed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.\n`)
}

/**
 * @param {string} node
 * @param {string[]} command
 * @param {string} folder
 * @param {(pid: number) => void} addHolder
 * @returns {Promise<{ failed: boolean, output: string }>}
 */
function runNpm(node, command, folder, addHolder) {
  const child = spawn(node, command, { cwd: folder, env: environmentFor(node), stdio: ['ignore', 'ignore', 'pipe'] })
  if (child.pid !== undefined) addHolder(child.pid)
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-20_000)))
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    child.kill(signal)
    process.exit(128 + constants.signals[signal])
  }
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
  for (const signal of signals) process.once(signal, stop)
  return new Promise((resolve) => {
    const end = (/** @type {boolean} */ failed) => {
      for (const signal of signals) process.off(signal, stop)
      resolve({ failed, output })
    }
    child.once('error', (error) => {
      output += error.message
      end(true)
    })
    child.once('close', (code) => end(code !== 0))
  })
}

/** @param {string} node */
function environmentFor(node) {
  /** @type {NodeJS.ProcessEnv} */
  const environment = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (!FOREIGN_SETTINGS.test(name)) environment[name] = value
  }
  delete environment['NODE_ENV']
  environment['PATH'] = `${path.dirname(node)}${path.delimiter}${process.env['PATH'] ?? ''}`
  return environment
}
