import { existsSync } from 'node:fs'
import path from 'node:path'
import { LaunchError } from './launch-error.mjs'

/** The oldest Node that runs the product: the first long-term release of line 24. Source: decision 0001. */
export const MINIMUM_NODE = [24, 11]

/**
 * Whether a Node of this version runs the product.
 *
 * @param {string} version such as `24.21.0`
 */
export function isRecentNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minimumMajor = 0, minimumMinor = 0] = MINIMUM_NODE
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)
}

/**
 * The path of a Node that is recent enough: the running one, or the one installed in the runtime folder.
 *
 * @param {string} runtime the folder whose packages are Node itself, one per platform
 * @throws {LaunchError} when this platform has no such package.
 */
export function findNode(runtime) {
  if (isRecentNode(process.versions.node)) return process.execPath
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const binary = process.platform === 'win32' ? 'node.exe' : 'node'
  const file = path.join(runtime, 'node_modules', `node-${platform}-${process.arch}`, 'bin', binary)
  if (existsSync(file)) return file
  const place = `${process.platform} on ${process.arch}`
  throw new LaunchError(
    `Node ${MINIMUM_NODE.join('.')}+ is needed; this is ${process.versions.node}, and npm has none for ${place}. ` +
      "Install Node 24 from the Node.js project's download page and start again.",
  )
}
