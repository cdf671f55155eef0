/** `npm start`: builds the console where its sources changed, then runs the gateway in this process. */
import { buildConsole } from './console/build-console.ts'

// Before anything is built: who asks for help waits for nothing.
if (process.argv.length > 2) (await import('../packages/server/src/app/refuse-arguments.ts')).refuseArguments()
await buildConsole()
await import('../packages/server/src/main.ts')
