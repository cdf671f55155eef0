/** Starts the gateway: configuration, parts, listener, and an orderly stop. Never imported. */
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'

// Before any other import, so that those are read from the cache, too. The folder is the one that the configuration
// will name, but for upstreams of a file: their gateway has its cache in the sandbox's folder.
const isSandbox = ['', 'sandbox'].includes(process.env['SVC_UPSTREAM'] ?? '')
const folder = process.env['SVC_DATA_DIR'] ?? (isSandbox ? '.svc' : '.svc-live')
enableCompileCache(join(resolve(folder), 'compile-cache'))
// Looked at only where there is something to refuse: an ordinary start loads nothing for it.
if (process.argv.length > 2) (await import('./app/refuse-arguments.ts')).refuseArguments()
const { run } = await import('./app/run.ts')
await run()
