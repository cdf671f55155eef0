/** Starts the gateway: configuration, parts, listener, and an orderly stop. Never imported. */
import { enableCompileCache } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { makeFolder } from './config/make-folder.ts'

// Before any other import, so that those are read from the cache, too. The folder is the one that the configuration
// will name, but for upstreams of a file: their gateway has its cache in the sandbox's folder.
const isSandbox = ['', 'sandbox'].includes(process.env['SVC_UPSTREAM'] ?? '')
const named = (process.env['SVC_DATA_DIR'] ?? '').trim()
const folder = named === '' ? (isSandbox ? '.svc' : '.svc-live') : named
// Looked at only where there is something to refuse: an ordinary start loads nothing for it.
if (process.argv.length > 2) (await import('./app/refuse-arguments.ts')).refuseArguments()
try {
  makeFolder(resolve(folder))
  enableCompileCache(join(resolve(folder), 'compile-cache'))
} catch {
  // The configuration makes the same folder and says why it cannot be.
}
const { run } = await import('./app/run.ts')
// A server that starts this file itself has no test tools, which every npm script would install.
const admin = relative(process.cwd(), join(import.meta.dirname, 'admin.ts'))
await run({ adminCommand: import.meta.main ? `node ${admin}` : 'npm run admin --' })
