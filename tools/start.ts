/** `npm start`: builds the console where its sources changed, then runs the gateway in this process. */
import { buildConsole } from './console/build-console.ts'

await buildConsole()
await import('../packages/server/src/main.ts')
