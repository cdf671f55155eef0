import { openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nanocreditsOf } from '@svc/contract'
import type { ConfigFile } from '../packages/server/src/config/config-file.ts'
import { resolveLimits } from '../packages/server/src/config/resolve-limits.ts'
import { openAdmin } from '../packages/server/src/app/open-admin.ts'
import { childEnvironment } from '../packages/server/testing/child-environment.ts'
import { findFreePort } from '../packages/server/testing/free-port.ts'
import type { BenchContext } from './bench-context.ts'
import type { Side } from './side.ts'

const MAIN = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url))
const PEPPER = 'a pepper that all processes of the bench share'
/** Never used up by a run: a million credits. */
const CREDITS = nanocreditsOf(1_000_000n * 1_000_000_000n)
const READY_MS = 30_000
const READY_POLL_MS = 50

/** A caller with credits, and where its books are. */
export interface Purse {
  /** Address of the PostgreSQL database; null for embedded storage in the folder. */
  readonly databaseUrl: string | null
  readonly folder: string
  readonly accountId: string
  readonly teamId: string
  readonly keyId: string
  readonly rawKey: string
}

/** Makes a database with one caller. */
export async function createPurse(context: BenchContext, databaseUrl: string | null): Promise<Purse> {
  const folder = context.children.createFolder()
  await mkdir(join(folder, 'data'))
  const peppers = [{ version: 1, secret: PEPPER }] as const
  const limits = resolveLimits({})
  const admin = await openAdmin({ databaseUrl, dataDir: join(folder, 'data'), peppers, limits })
  try {
    const account = await admin.createAccount({ name: 'bench' })
    if (account === null) throw new Error('the account of the bench exists already')
    const { accountId, teamId } = account
    await admin.credit({ source: 'grant', accountId, amount: CREDITS, reason: 'bench', id: null })
    const { keyId, rawKey } = await admin.createKey({ accountId, teamId, name: 'bench' })
    return { databaseUrl, folder, accountId, teamId, keyId, rawKey }
  } finally {
    await admin.close()
  }
}

export interface GatewayOptions {
  readonly name: string
  /** Base address, with the version part. */
  readonly upstreamUrl: string
  readonly allowH2?: boolean
  /** Certificate that the gateway trusts besides the usual ones, as a file. */
  readonly trusted?: string
  /** Folder for its CPU profile. */
  readonly profile: string | null
}

/** Starts a gateway as operators do, with its log in a file, and waits until it answers. */
export async function startGateway(context: BenchContext, purse: Purse, options: GatewayOptions): Promise<Side> {
  const port = await findFreePort()
  const file: ConfigFile = {
    upstreams: [
      {
        ...{ name: 'bench', kind: 'openrouter', url: options.upstreamUrl, api_key_env: 'BENCH_UPSTREAM_KEY' },
        allow_h2: options.allowH2 ?? false,
      },
    ],
    limits: {
      requests_per_minute: 10_000_000,
      images_per_minute: 10_000_000,
      streams_at_once: 100_000,
      shutdown_grace_ms: 2_000,
    },
  }
  await writeFile(join(purse.folder, 'svc.config.json'), JSON.stringify(file))
  const env = {
    ...childEnvironment(),
    BENCH_UPSTREAM_KEY: 'none',
    ...(options.trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: options.trusted }),
    SVC_HOST: '127.0.0.1',
    SVC_PORT: String(port),
    SVC_DATA_DIR: join(purse.folder, 'data'),
    SVC_KEY_PEPPER: PEPPER,
    ...(purse.databaseUrl === null ? {} : { SVC_DATABASE_URL: purse.databaseUrl }),
  }
  const logFile = join(purse.folder, `gateway-${port}.log`)
  const log = openSync(logFile, 'a')
  const child = context.children.fork(MAIN, [], {
    ...{ env, cwd: purse.folder, stdio: ['ignore', log, log, 'ipc'] },
    execArgv: ['--disable-warning=ExperimentalWarning', ...profileArguments(options.profile)],
  })
  const origin = `http://127.0.0.1:${port}`
  await waitUntilReady(`${origin}/api/health`, () => child.exitCode !== null || child.signalCode !== null, logFile)
  const target = { origin, path: '/api/v1/chat/completions', key: purse.rawKey }
  return { name: options.name, targets: [target], processes: [child] }
}

function profileArguments(folder: string | null): string[] {
  return folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

async function waitUntilReady(url: string, hasEnded: () => boolean, logFile: string): Promise<void> {
  const untilMs = performance.now() + READY_MS
  for (;;) {
    const answer = await fetch(url).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok === true) return
    if (hasEnded() || performance.now() > untilMs) {
      const tail = (await readFile(logFile, 'utf8')).slice(-2_000)
      throw new Error(`the gateway did not become ready:\n${tail}`)
    }
    await pauseFor(READY_POLL_MS)
  }
}
