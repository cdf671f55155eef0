/** `npm run build`: builds what a server runs: the programs of the gateway, and the pages of its console. */
import { buildServer } from '../packages/server/build/build-server.mjs'
import { readOptions } from '../packages/server/src/app/read-options.ts'
import { buildConsole } from './console/build-console.ts'

readOptions({ name: 'npm run build', does: 'Builds what a server runs.', options: {} })
await buildServer()
await buildConsole()
