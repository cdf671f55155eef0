/** What a program does before it loads the rest: that is kept compiled, and its errors name sources. */
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeFolder } from '../config/make-folder.ts'
import { createStackMapper } from '../platform/runtime/stack-mapper.ts'

/** Source: decision 0001. */
const OLDEST_NODE = [24, 11] as const

/**
 * Prepares the process for what is imported from now on.
 *
 * @param folderUse whether the data folder is made where it is not there, as a gateway does, or only used.
 */
export function prepareProcess(env: NodeJS.ProcessEnv, folderUse: 'makes' | 'uses'): void {
  refuseOldNode()
  // Built: what Node reads as sources it shows as they are.
  if (import.meta.filename.endsWith('.js'))
    Error.prepareStackTrace = createStackMapper(`${pathToFileURL(import.meta.dirname).href}/`)
  // The folder is the one that the configuration will name, but for upstreams of a file: their gateway has its cache in
  // the sandbox's folder.
  const isSandbox = ['', 'sandbox'].includes(env['SVC_UPSTREAM'] ?? '')
  const named = (env['SVC_DATA_DIR'] ?? '').trim()
  const folder = resolve(named === '' ? (isSandbox ? '.svc' : '.svc-live') : named)
  try {
    if (folderUse === 'makes') makeFolder(folder)
    else if (!existsSync(folder)) return
    enableCompileCache(join(folder, 'compile-cache'))
  } catch {
    // The configuration makes the same folder and says why it cannot be.
  }
}

/** Sources are refused by an older Node itself, built programs are not. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  process.stderr.write(`svc: Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}.\n`)
  process.exit(1)
}
