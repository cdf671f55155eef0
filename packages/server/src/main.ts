/** Starts the gateway: configuration, parts, listener, and an orderly stop. Never imported. */
import { extname, join, relative } from 'node:path'
import { prepareProcess } from './app/prepare-process.ts'

// Looked at only where there is something to refuse: an ordinary start loads nothing for it.
if (process.argv.length > 2) (await import('./app/refuse-arguments.ts')).refuseArguments()
prepareProcess(process.env, 'makes')
const { run } = await import('./app/run.ts')
// A server that starts this file itself has no test tools, which every npm script would install.
const admin = relative(process.cwd(), join(import.meta.dirname, `admin${extname(import.meta.filename)}`))
await run({ adminCommand: import.meta.main ? `node ${admin}` : 'npm run admin --' })
