/** Builds the console's pages, unless those there were built from the same sources. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ERRORS, guides } from '../../packages/console/src/reference/guides.ts'

const root = path.dirname(path.dirname(import.meta.dirname))
const folder = path.join(root, 'packages', 'console')
const stampFile = path.join(folder, 'dist', '.stamp')
/** Holds the number of the process that builds. */
const turnFile = path.join(root, 'node_modules', '.console-build')
const TURN_POLL_MS = 100
/** Everything that the pages are made of. */
const SOURCES = [
  'packages/console/src',
  'packages/console/public',
  'packages/console/index.html',
  'packages/console/docs.html',
  'packages/console/vite.config.ts',
  'packages/console/early-theme.ts',
  'packages/console/precompress.ts',
  'packages/console/reference-site.ts',
  'packages/console/without-schemas.ts',
  ...[...guides.map(({ name }) => name), ERRORS].map((name) => `docs/${name}.md`),
  'packages/contract/src',
  'package-lock.json',
  'tools/console/build-console.ts',
]

/** A line for each file with its size and time, as one hash: quick enough for every start. */
function sourceStamp(): string {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    for (const file of filesOf(path.join(root, source))) {
      const { size, mtimeMs } = statSync(file)
      hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`)
    }
  }
  return hash.digest('hex')
}

function filesOf(place: string): string[] {
  if (!statSync(place).isDirectory()) return [place]
  return readdirSync(place, { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(place, entry.name)
      return entry.isDirectory() ? filesOf(file) : [file]
    })
}

/**
 * Builds the pages into `packages/console/dist`. Says one line when it has to.
 *
 * @throws when the sources do not build.
 */
export async function buildConsole(): Promise<void> {
  if (isFresh()) return
  const release = await takeTurn()
  try {
    // The process that had the turn before may have built the same.
    if (isFresh()) return
    const stamp = sourceStamp()
    process.stdout.write('Building the console …\n')
    await runBuilder()
    writeFileSync(stampFile, stamp)
  } finally {
    release()
  }
}

const isFresh = (): boolean => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sourceStamp()

/** One process builds at a time: the folder is emptied first. A turn whose holder died is over. */
async function takeTurn(): Promise<() => void> {
  while (!tryTurn()) {
    const holder = holderOfTurn()
    if (holder !== null && !isAlive(holder)) rmSync(turnFile, { force: true })
    await setTimeout(TURN_POLL_MS)
  }
  return () => rmSync(turnFile, { force: true })
}

function tryTurn(): boolean {
  // Written whole and then linked, so that no process reads it half.
  const own = `${turnFile}.${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, turnFile)
    return true
  } catch {
    return false
  } finally {
    rmSync(own, { force: true })
  }
}

/** Null when the turn ended meanwhile. */
function holderOfTurn(): number | null {
  try {
    return Number(readFileSync(turnFile, 'utf8'))
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** In a process of its own, which ends: what the bundler holds in memory must not stay with a gateway for its life. */
function runBuilder(): Promise<void> {
  const words = [path.join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn']
  // Every client that asks for it, a test too, gets the pages as people do.
  const env = { ...process.env, NODE_ENV: 'production' }
  const builder = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    builder.once('error', reject)
    builder.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error('The console could not be built; the lines above say why.'))
    })
  })
}
