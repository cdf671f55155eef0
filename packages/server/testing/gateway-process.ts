/** Gateways as operators run them: real processes on one database, that can be stopped, killed and started again. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { ConfigFile } from '../src/config/config-file.ts'
import { resolveLimits } from '../src/config/resolve-limits.ts'
import type { DatabaseEngine } from '../src/platform/db/database.ts'
import type { OpenDatabase } from '../src/platform/db/open-database.ts'
import { createKey, type CreatedKey, type KeyRequest } from '../src/access/keys/create-key.ts'
import { createKeyStore } from '../src/access/keys/key-store.ts'
import { createAccountLimitStore } from '../src/access/keys/account-limit-store.ts'
import { runAudit } from '../src/money/ledger/audit.ts'
import { createLedgerEngine } from '../src/money/ledger/create-ledger-engine.ts'
import { Ledger } from '../src/money/ledger/ledger.ts'
import { systemClock } from '../src/platform/runtime/clock.ts'
import { type ChatClient, createChatClient } from './chat-client.ts'
import { childEnvironment } from './child-environment.ts'
import { openTestDatabase } from './test-database.ts'
import { createTestAccount, wideLimits } from './test-gateway.ts'
import { findFreePort } from './free-port.ts'

export interface ProcessesOptions {
  readonly engine: DatabaseEngine
  readonly upstreamUrl: string
  readonly kind?: 'openrouter' | 'openai-compatible'
  /** Credits of the account, as decimal text. */
  readonly credits: string
  readonly file?: ConfigFile
  readonly env?: Readonly<Record<string, string>>
}

/** One process, with a client that has the account's key. */
export interface GatewayProcess extends ChatClient {
  readonly baseUrl: string
  /** All that it has printed. */
  output(): string
  /** Sends a signal; `SIGKILL` leaves it no moment to settle anything. */
  signal(name: NodeJS.Signals): void
  /** Resolves with the exit code once it is gone; null after a kill. */
  readonly exited: Promise<number | null>
}

/** A database, an account with a key, and the processes that serve it. */
export interface GatewayProcesses {
  readonly database: OpenDatabase
  /** Null for embedded storage. */
  readonly databaseUrl: string | null
  /** Of every process; for PostgreSQL it holds no database. */
  readonly dataDir: string
  readonly ledger: Ledger
  readonly accountId: string
  readonly teamId: string
  readonly key: string
  readonly keyId: string
  /** Starts one more process and waits until it answers. */
  start(): Promise<GatewayProcess>
  /** Runs an operator command in a process of its own and answers what it printed. */
  admin(...words: readonly string[]): Promise<string>
  /** Runs the sweeper in a process of its own and answers how it ended and what it printed. */
  sweep(...words: readonly string[]): Promise<{ readonly code: number; readonly output: string }>
  createKey(request?: Partial<KeyRequest>): Promise<CreatedKey>
  balance(): Promise<{ readonly posted: bigint; readonly held: bigint }>
  /** Resolves once no hold is open. */
  settled(): Promise<void>
  /** Fails the test when any invariant of the books is broken. */
  audit(): Promise<void>
  /** Stops every process, audits, and removes everything. */
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const ADMIN = fileURLToPath(new URL('../src/admin.ts', import.meta.url))
const SWEEPER = fileURLToPath(new URL('../src/sweeper.ts', import.meta.url))
const PEPPER = 'a pepper that all processes of a test share'

const runFile = promisify(execFile)

function environment(options: ProcessesOptions, place: { readonly url: string | null; readonly dataDir: string }) {
  return {
    ...childEnvironment(),
    SVC_HOST: '127.0.0.1',
    SVC_DATA_DIR: place.dataDir,
    SVC_KEY_PEPPER: PEPPER,
    SVC_UPSTREAM: options.kind ?? 'openrouter',
    SVC_UPSTREAM_URL: options.upstreamUrl,
    SVC_UPSTREAM_API_KEY: 'sk-or-v1-upstream-secret',
    ...(place.url === null ? {} : { SVC_DATABASE_URL: place.url }),
    ...options.env,
  }
}

/** Resolves once the process has said that it is ready. */
function waitUntilReady(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (output().includes('SVC is ready.')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it was ready:\n${output()}`)))
  })
}

async function startProcess(key: string, workingDir: string, env: Record<string, string>): Promise<GatewayProcess> {
  const port = await findFreePort()
  const child = spawn(process.execPath, [MAIN], { cwd: workingDir, env: { ...env, SVC_PORT: String(port) } })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const output = (): string => printed
  // A test that fails before its end leaves no process behind.
  const killLeftOver = (): void => void child.kill('SIGKILL')
  process.once('exit', killLeftOver)
  child.once('exit', () => process.off('exit', killLeftOver))
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  await waitUntilReady(child, output)
  const baseUrl = `http://127.0.0.1:${port}/api`
  return { ...createChatClient(baseUrl, key), baseUrl, output, exited, signal: (name) => void child.kill(name) }
}

/** Makes the database and the account. Nothing runs until `start` is called. */
export async function openGatewayProcesses(options: ProcessesOptions): Promise<GatewayProcesses> {
  const test = await openTestDatabase(options.engine)
  const { database } = test
  const workingDir = await mkdtemp(join(tmpdir(), 'svc-processes-'))
  const file: ConfigFile = { ...options.file, limits: { ...wideLimits, ...options.file?.limits } }
  await writeFile(join(workingDir, 'svc.config.json'), JSON.stringify(file))
  const env = environment(options, test)
  const ledger = new Ledger({ engine: createLedgerEngine(database) })
  const clock = systemClock
  const { accountId, teamId } = await createTestAccount({ database, ledger, clock }, options.credits)
  const limits = {
    accountLimitStore: createAccountLimitStore(database),
    gatewayLimits: resolveLimits(file.limits ?? {}),
  }
  const peppers = [{ version: 1, secret: PEPPER }] as const
  const keys = { ...limits, store: createKeyStore(database), peppers, clock }
  const makeKey = (request: Partial<KeyRequest> = {}): Promise<CreatedKey> =>
    createKey(keys, { accountId, teamId, name: 'test', ...request })
  const { rawKey: key, keyId } = await makeKey()
  const processes: GatewayProcess[] = []

  const openHolds = async (): Promise<number> =>
    (await database.read.selectFrom('hold').select('hold_id').where('state', '=', 'held').execute()).length
  const settled = (): Promise<void> => expect.poll(openHolds, { timeout: 20_000, interval: 50 }).toBe(0)
  const audit = async (): Promise<void> => {
    const report = await runAudit(database)
    expect(report.rows.filter((row) => row.breaches > 0)).toEqual([])
  }
  return {
    ...{ database, ledger, accountId, teamId, key, keyId, createKey: makeKey, settled, audit },
    databaseUrl: test.url,
    dataDir: test.dataDir,
    async start() {
      const started = await startProcess(key, workingDir, env)
      processes.push(started)
      return started
    },
    async admin(...words) {
      const { stdout } = await runFile(process.execPath, [ADMIN, ...words], { cwd: workingDir, env })
      return stdout
    },
    sweep: (...words) =>
      new Promise((resolve) => {
        execFile(process.execPath, [SWEEPER, ...words], { cwd: workingDir, env }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
        )
      }),
    balance: () =>
      database.read
        .selectFrom('balance')
        .select(['posted', 'held'])
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow(),
    async stop() {
      for (const started of processes) started.signal('SIGTERM')
      await Promise.all(processes.map((started) => started.exited))
      await settled()
      await audit()
      await ledger.close()
      await test.close()
      await rm(workingDir, { recursive: true, force: true })
    },
  }
}
