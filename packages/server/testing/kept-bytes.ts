import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

/** Bytes that this process keeps alive, once what nobody holds is collected. */
export function keptBytes(): number {
  if (typeof collectGarbage === 'function') for (let turn = 0; turn < 3; turn++) collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
