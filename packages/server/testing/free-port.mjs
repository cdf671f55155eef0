/**
 * Ports for servers that are told theirs before they listen, and for those that come back on the one that they had.
 *
 * A port that the system chooses is free only for the moment: by the time that a process listens on it, some connection
 * of another may have it. These are below those that systems give to connections, and each process has a block of
 * its own: it listens on the first port of a block for as long as it lives, and hands out the others in turn.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Source: Linux gives 32768 to 60999 to connections by default, macOS and Windows those from 49152. */
const FIRST = 10_000
const END = 32_768
/** A port comes again after all others of its block. */
const BLOCK_SIZE = 100
const BLOCKS = Math.floor((END - FIRST) / BLOCK_SIZE)

/**
 * Listens on a port of the loopback.
 *
 * @param {number} port
 * @returns {Promise<import('node:net').Server | null>} null where another listens there.
 */
async function listenOn(port) {
  const server = createServer().unref()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return server
  } catch {
    return null
  }
}

/** @returns {Promise<number>} the first port of a block that is now this process's. */
async function takeBlock() {
  for (let tried = 0; tried < BLOCKS; tried++) {
    const first = FIRST + ((process.pid + tried) % BLOCKS) * BLOCK_SIZE
    if ((await listenOn(first)) !== null) return first
  }
  throw new Error(`other processes listen on the first port of every block from ${FIRST} on`)
}

/** @type {Promise<number> | null} */
let block = null
let given = 0

/**
 * A port of the loopback on which no process listens, and which none of the tests, proofs and the bench will take.
 *
 * @returns {Promise<number>}
 */
export async function findFreePort() {
  block ??= takeBlock()
  const first = await block
  for (let tried = 1; tried < BLOCK_SIZE; tried++) {
    const port = first + 1 + (given++ % (BLOCK_SIZE - 1))
    const probe = await listenOn(port)
    if (probe === null) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
  throw new Error(`other servers listen on all ports from ${first + 1} to ${first + BLOCK_SIZE - 1}`)
}
