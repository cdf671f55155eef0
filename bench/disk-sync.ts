import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Children } from './children.ts'
import { spreadOf } from './interval.ts'

const SYNCS = 200
/** About what one commit appends to a journal. */
const BLOCK_BYTES = 4_096

/** How long this disk takes to make an appended block durable: the median in milliseconds. */
export function measureDiskSync(children: Children): number {
  const folder = children.createFolder()
  const file = openSync(join(folder, 'sync'), 'w')
  const block = Buffer.alloc(BLOCK_BYTES, 1)
  const times = Array.from({ length: SYNCS }, () => {
    const startedAt = performance.now()
    writeSync(file, block)
    fdatasyncSync(file)
    return performance.now() - startedAt
  })
  closeSync(file)
  children.removeFolder(folder)
  return spreadOf(times).median
}
