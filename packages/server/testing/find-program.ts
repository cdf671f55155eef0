import { join } from 'node:path'
import { buildServer, PROGRAMS } from '../build/build-server.mjs'

/** The file of a program as operators run it: built, once for all who ask, where its sources changed. */
export async function findProgram(name: 'main' | 'admin' | 'audit' | 'fund' | 'run' | 'sweeper'): Promise<string> {
  await buildServer()
  return join(PROGRAMS, `${name}.js`)
}
