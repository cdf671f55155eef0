/**
 * Starts a script of this repository: `node tools/launch.mjs <script> [arguments]`. Every npm script that needs
 * packages or Node 24 goes through it, so that a fresh clone on a machine with only Node 20 and npm needs no other
 * command.
 *
 * Plain JavaScript without dependencies, because it runs before anything is installed. When nothing is missing it says
 * nothing.
 * Source: decision 0001 (two commands).
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode, isRecentNode } from './launcher/find-node.mjs'
import { isInstalled } from './launcher/install-stamp.mjs'
import { LaunchError } from './launcher/launch-error.mjs'
import { runScript } from './launcher/run-script.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
/** Where what is built of the server's sources is. */
const PROGRAMS = 'packages/server/dist/'

try {
  await launch(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  process.stderr.write(`svc: ${error.message}\n`)
  process.exitCode = 1
}

/** @param {string[]} argv */
async function launch([script, ...args]) {
  if (script === undefined) throw new LaunchError('Usage: node tools/launch.mjs <script> [arguments]')
  const runtime = path.join(root, 'tools', 'runtime')
  if (!isRecentNode(process.versions.node) && !isInstalled(runtime)) await install(runtime, process.execPath)
  const node = findNode(runtime)
  if (!isInstalled(root)) await install(root, node)
  const file = path.join(root, script)
  if (script.startsWith(PROGRAMS)) await buildPrograms(node)
  if (!existsSync(file)) throw new LaunchError(`There is no ${script} in this version.`)
  runScript({ node, root, file, args })
}

/**
 * Loads the installer only when something is missing: the ordinary start does without it.
 *
 * @param {string} folder
 * @param {string} node
 */
async function install(folder, node) {
  const { installPackages } = await import('./launcher/install-packages.mjs')
  await installPackages(root, folder, node)
}

/** Builds the programs of the server where their sources changed. @param {string} node */
async function buildPrograms(node) {
  const { buildServer } = await import('../packages/server/build/build-server.mjs')
  await buildServer(node).catch((/** @type {Error} */ { message }) => {
    throw new LaunchError(message)
  })
}
