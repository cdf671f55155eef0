import { tmpdir } from 'node:os'
import { join } from 'node:path'

const COMPILED = join(import.meta.dirname, '../../../node_modules/.cache/compiled')

/**
 * What every process that is started beside a test or a measurement gets of our own environment: no setting of the
 * machine reaches it. Processes read each other's compiled code, which takes two thirds of the work out of a start in a
 * new data folder.
 */
export function childEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = tmpdir(), NODE_COMPILE_CACHE = COMPILED } = process.env
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE }
}
