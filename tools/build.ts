/** `npm run build`: builds what a server needs beside its sources. */
import { readOptions } from '../packages/server/src/app/read-options.ts'
import { buildConsole } from './console/build-console.ts'

readOptions({ name: 'npm run build', does: 'Builds what a server needs beside its sources.', options: {} })
await buildConsole()
