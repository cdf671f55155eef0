/** `npm start`: builds the gateway and its console where their sources changed, then runs the gateway in this process. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildServer, PROGRAMS } from '../packages/server/build/build-server.mjs'
import { buildConsole } from './console/build-console.ts'

// Before anything is built: who asks for help waits for nothing.
if (process.argv.length > 2) (await import('../packages/server/src/app/refuse-arguments.ts')).refuseArguments()
await buildServer()
await buildConsole()
await import(pathToFileURL(path.join(PROGRAMS, 'main.js')).href)
