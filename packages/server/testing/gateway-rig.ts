/**
 * The one way in which tests, proofs and the bench run gateways: a database with what serves it, in this process or in
 * processes of their own, on either engine.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTokenCounter, type TokenCounter } from '@svc/tokens'
import { createGateway, type Gateway } from '../src/app/gateway.ts'
import type { Config } from '../src/config/config.ts'
import type { ConfigFile } from '../src/config/config-file.ts'
import { limitsSchema } from '../src/config/limits-config.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { createLedgerEngine } from '../src/money/ledger/create-ledger-engine.ts'
import { Ledger } from '../src/money/ledger/ledger.ts'
import { openDatabase, type OpenDatabase } from '../src/platform/db/open-database.ts'
import { type SystemClock, systemClock } from '../src/platform/runtime/clock.ts'
import { createLogger } from '../src/platform/runtime/log.ts'
import { childEnvironment } from './child-environment.ts'
import { CHECKPOINT_WORKER, type DatabasePlace, type FreshDatabase } from './fresh-database.ts'
import { findProgram } from './find-program.ts'
import { type GatewayBooks, openBooks } from './gateway-books.ts'
import { type GatewayProcess, type GatewayStart, startGatewayProcess } from './start-gateway-process.ts'

export interface GatewayRigOptions {
  readonly database: FreshDatabase
  /** The address by which gateways reach the database, where it is not the database's own. */
  readonly databaseUrl?: string | null
  /** `svc.config.json`, whole. */
  readonly file: ConfigFile
  /** Beside where the database is, which port it listens on, and by which address. */
  readonly env: Readonly<Record<string, string>>
}

/** A gateway in this process. */
export interface LocalGateway {
  readonly gateway: Gateway
  readonly config: Config
  readonly origin: string
}

/** How a program of the gateway ended, and what it printed. */
export interface ProgramEnd {
  readonly code: number
  readonly output: string
}

export interface GatewayRig {
  readonly place: DatabasePlace
  /** The folder that its gateways run in. */
  readonly workingDir: string
  /** Sets the configuration of gateways that start from now on. */
  configure(file: ConfigFile): Promise<void>
  /** Starts a gateway in this process. Its starter stops it. */
  startLocal(options: { readonly clock: SystemClock; readonly onLine: (line: string) => void }): Promise<LocalGateway>
  /** Starts one more gateway as a process and waits until it listens; what it has of its own overrides the rest. */
  startProcess(own?: Partial<GatewayStart>): Promise<GatewayProcess>
  /** Runs a program of the gateway to its end. @param sources the folder of its sources, where not this tree's. */
  run(program: 'admin' | 'audit' | 'sweeper', words?: readonly string[], sources?: string): Promise<ProgramEnd>
  close(): Promise<void>
}

/**
 * One for all gateways of this process. Its thread loads a tokenizer, for a third of a second, and a run of the tests
 * starts hundreds of gateways.
 */
const tokenCounter: TokenCounter = { ...createTokenCounter(), close: () => Promise.resolve() }

/** Limits that nothing reaches unless it sets its own; circuit breakers are off, since upstreams fail on purpose. */
export const wideLimits = {
  requests_per_minute: 10_000_000,
  streams_at_once: 100_000,
  video_submits_per_minute: 10_000_000,
  images_per_minute: 10_000_000,
  public_per_minute: 10_000_000,
  failed_auth_per_minute: 10_000_000,
  free_answers: 1_000_000_000,
  breaker_open_ms: 0,
  waiting_ms: 120_000,
} as const

/** The environment of a gateway with one upstream. */
export function upstreamEnvironment(url: string, kind = 'openrouter'): Record<string, string> {
  return { SVC_UPSTREAM: kind, SVC_UPSTREAM_URL: url, SVC_UPSTREAM_API_KEY: 'sk-or-v1-upstream-secret' }
}

/** Makes the folder and the configuration. No gateway runs until one is started. */
export async function openGatewayRig(options: GatewayRigOptions): Promise<GatewayRig> {
  const { place } = options.database
  const workingDir = await mkdtemp(join(tmpdir(), 'svc-gateway-'))
  const url = options.databaseUrl ?? place.url
  const env: Record<string, string> = {
    SVC_HOST: '127.0.0.1',
    SVC_DATA_DIR: place.dataDir,
    ...(url === null ? {} : { SVC_DATABASE_URL: url }),
    ...options.env,
  }
  const configure = (file: ConfigFile): Promise<void> =>
    writeFile(join(workingDir, 'svc.config.json'), JSON.stringify(file))
  await configure(options.file)
  return {
    ...{ place, workingDir, configure },
    async startLocal({ clock, onLine }) {
      const { config } = loadConfig({ env, workingDir })
      const log = createLogger({ level: config.logLevel, sink: { write: onLine } })
      const gateway = await createGateway({ config, log, clock, tokenCounter })
      return { gateway, config, origin: await gateway.start() }
    },
    startProcess: (own = {}) =>
      startGatewayProcess({ workingDir, ...own, env: { ...childEnvironment(), ...env, ...own.env } }),
    async run(program, words = [], sources) {
      const path = sources === undefined ? await findProgram(program) : join(sources, `${program}.ts`)
      return new Promise((resolve) => {
        const inside = { cwd: workingDir, env: { ...childEnvironment(), ...env } }
        execFile(process.execPath, [path, ...words], inside, (error, stdout, stderr) => {
          const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1
          resolve({ code, output: stdout + stderr })
        })
      })
    },
    async close() {
      await options.database.remove()
      await rm(workingDir, { recursive: true, force: true })
    },
  }
}

/** The books of gateways that are processes: with an opening of their own beside those. */
export interface OpenGatewayBooks extends GatewayBooks {
  readonly database: OpenDatabase
  readonly ledger: Ledger
  close(): Promise<void>
}

/** Opens a database, which makes its schema, and its books. @param pepper that of the gateways' keys. */
export async function openGatewayBooks(
  place: DatabasePlace,
  pepper: string,
  { file = {}, clock = systemClock }: { readonly file?: ConfigFile; readonly clock?: SystemClock } = {},
): Promise<OpenGatewayBooks> {
  const database = await openDatabase({ ...place, checkpointWorker: CHECKPOINT_WORKER })
  const ledger = new Ledger({ engine: createLedgerEngine(database) })
  const keys = {
    peppers: [{ version: 1, secret: pepper }],
    gatewayLimits: limitsSchema.parse(file.limits ?? {}),
  } as const
  return {
    ...{ database, ledger },
    ...openBooks({ database, ledger, clock }, keys),
    async close() {
      await ledger.close()
      await database.close()
    },
  }
}
