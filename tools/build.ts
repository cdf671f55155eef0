/** `npm run build`: builds what a server needs beside its sources. */
import { buildConsole } from './console/build-console.ts'

await buildConsole()
