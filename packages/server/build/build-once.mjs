import { spawn } from 'node:child_process'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sourceStamp } from './source-stamp.mjs'

const TURN_POLL_MS = 100

/**
 * Something that is built of sources, and how.
 *
 * @typedef {object} Built
 * @property {string} name what is said to be built
 * @property {string} root the folder of the repository
 * @property {readonly string[]} sources files and folders below it that it is made of
 * @property {string} folder where it comes; the stamp of its sources is kept there
 * @property {string} program a script that builds it
 * @property {readonly string[]} words what the script is called with
 * @property {string} node the Node that runs it
 */

/**
 * Builds something unless it was built from the same sources. One process builds at a time; the others wait for it.
 *
 * @param {Built} built
 * @throws {Error} when the sources do not build.
 */
export async function buildOnce(built) {
  if (isFresh(built)) return
  const release = await takeTurn(
    path.join(built.root, 'node_modules', `.build-${path.basename(path.dirname(built.folder))}`),
  )
  try {
    // The process that had the turn before may have built the same.
    if (isFresh(built)) return
    const stamp = sourceStamp(built.root, built.sources)
    // Not on standard output, which a program may have for its answer.
    process.stderr.write(`Building the ${built.name} …\n`)
    // One that is ended half-way leaves files of two builds.
    rmSync(stampOf(built), { force: true })
    await runBuilder(built)
    writeFileSync(stampOf(built), stamp)
  } finally {
    release()
  }
}

/** @param {Built} built */
const stampOf = ({ folder }) => path.join(folder, '.stamp')

/** @param {Built} built */
function isFresh(built) {
  const file = stampOf(built)
  return existsSync(file) && readFileSync(file, 'utf8') === sourceStamp(built.root, built.sources)
}

/**
 * A turn whose holder died is over.
 *
 * @param {string} file holds the number of the process that builds
 * @returns {Promise<() => void>}
 */
async function takeTurn(file) {
  while (!tryTurn(file)) {
    const holder = holderOf(file)
    if (holder !== null && !isAlive(holder)) rmSync(file, { force: true })
    await setTimeout(TURN_POLL_MS)
  }
  return () => rmSync(file, { force: true })
}

/** @param {string} file */
function tryTurn(file) {
  // Written whole and then linked, so that no process reads it half.
  const own = `${file}.${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, file)
    return true
  } catch {
    return false
  } finally {
    rmSync(own, { force: true })
  }
}

/** Null when the turn ended meanwhile. @param {string} file */
function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * In a process of its own, which ends: what a bundler holds in memory must not stay with a gateway for its life.
 *
 * @param {Built} built
 * @returns {Promise<void>}
 */
function runBuilder({ name, folder, program, words, node }) {
  // Every client that asks for it, a test too, gets the product as people do.
  const env = { ...process.env, NODE_ENV: 'production' }
  const builder = spawn(node, [program, ...words], {
    cwd: path.dirname(folder),
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    builder.once('error', reject)
    builder.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`The ${name} could not be built; the lines above say why.`))
    })
  })
}
