/** A whole gateway for tests: the real parts, a fresh database, a free port, and an account with credits and a key. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nanocreditsOf, NANOCREDITS_PER_CREDIT, parseCredits } from '@svc/contract'
import { expect } from 'vitest'
import { createAccountStore } from '../src/access/accounts/account-store.ts'
import { createAccount, type CreatedAccount } from '../src/access/accounts/create-account.ts'
import type { ConfigFile } from '../src/config/config-file.ts'
import { loadConfig } from '../src/config/load-config.ts'
import type { DatabaseEngine } from '../src/platform/db/database.ts'
import { createGateway, type Gateway } from '../src/app/gateway.ts'
import { createKey, type CreatedKey, type KeyRequest } from '../src/access/keys/create-key.ts'
import { createKeyStore } from '../src/access/keys/key-store.ts'
import { createAccountLimitStore } from '../src/access/keys/account-limit-store.ts'
import { runAudit } from '../src/money/ledger/audit.ts'
import { type Clock, type SystemClock, systemClock } from '../src/platform/runtime/clock.ts'
import { createId } from '../src/platform/runtime/ids.ts'
import { createLogger } from '../src/platform/runtime/log.ts'
import { type ChatClient, createChatClient } from './chat-client.ts'
import { steadyClock } from './steady-clock.ts'
import { makeTestDatabase } from './test-database.ts'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.ts'

export interface TestGatewayOptions {
  /** Base address of the upstream; absent starts the sandbox. */
  readonly upstreamUrl?: string
  readonly kind?: 'openrouter' | 'openai-compatible' | 'anthropic' | 'gemini'
  readonly engine?: DatabaseEngine
  /** The way to the database: makes another address of its own. Absent: as it is. */
  readonly leadTo?: (databaseUrl: string) => Promise<string>
  /** Credits of the account, as decimal text; 10,000 by default. */
  readonly credits?: string
  /** `svc.config.json`. Rate limits are wide unless it says otherwise. */
  readonly file?: ConfigFile
  readonly env?: Readonly<Record<string, string>>
  /** One that tells the time alone moves both: what time it is, and what has passed. */
  readonly clock?: Clock | SystemClock
}

export interface TestGateway extends ChatClient {
  readonly gateway: Gateway
  readonly engine: DatabaseEngine
  /** Ends in `/api`. */
  readonly baseUrl: string
  /** Ends in `/api/v1`: what an OpenAI client wants. */
  readonly v1: string
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly accountId: string
  readonly teamId: string
  readonly key: string
  readonly keyId: string
  /** Everything that was logged so far. */
  readonly logged: string[]
  /** The account's balance and holds, in nanocredits. */
  balance(): Promise<{ readonly posted: bigint; readonly held: bigint }>
  createKey(request?: Partial<KeyRequest>): Promise<CreatedKey>
  revokeKey(keyId: string): Promise<void>
  /** Resolves once no hold is open. */
  settled(): Promise<void>
  /** Fails the test when any invariant of the books is broken. */
  audit(): Promise<void>
  /** Starts another gateway on the same PostgreSQL with the same settings; it stops with the first. */
  startBeside(): Promise<ChatClient & { readonly gateway: Gateway }>
  /** Stops the gateway and those beside it, audits, and removes everything. */
  stop(): Promise<void>
}

/** Limits that no test reaches unless it sets its own; circuit breakers are off. */
export const wideLimits = {
  requests_per_minute: 10_000_000,
  streams_at_once: 100_000,
  video_submits_per_minute: 10_000_000,
  public_per_minute: 10_000_000,
  failed_auth_per_minute: 10_000_000,
  breaker_open_ms: 0,
  images_per_minute: 10_000_000,
  free_answers: 1_000_000_000,
  // Longer than a machine that runs many tests stalls.
  shared_limits_ms: 30_000,
} as const

function environment(options: TestGatewayOptions, databaseUrl: string | null, dataDir: string): Record<string, string> {
  const { upstreamUrl, kind = 'openrouter' } = options
  return {
    SVC_HOST: '127.0.0.1',
    SVC_PORT: '0',
    SVC_DATA_DIR: dataDir,
    SVC_LOG_LEVEL: 'debug',
    ...(databaseUrl === null ? {} : { SVC_DATABASE_URL: databaseUrl }),
    ...(upstreamUrl === undefined
      ? {}
      : { SVC_UPSTREAM: kind, SVC_UPSTREAM_URL: upstreamUrl, SVC_UPSTREAM_API_KEY: 'sk-or-v1-upstream-secret' }),
    ...options.env,
  }
}

/** A gateway that others can reach has to be told its address and its secrets: here that of its own port, and any. */
async function withWhatItNeeds(env: Record<string, string>): Promise<Record<string, string>> {
  if (env['SVC_PUBLIC_URL'] !== undefined) return { ...PUBLIC_SECRETS, ...env }
  if (env['SVC_TRUSTED_PROXIES'] === undefined) return env
  const port = String(await findFreePort())
  return { ...env, SVC_PORT: port, SVC_PUBLIC_URL: `http://localhost:${port}` }
}

const PUBLIC_SECRETS = {
  SVC_KEY_PEPPER: 'the pepper of a test gateway is long',
  SVC_SESSION_SECRET: 'the session secret of a test gateway is long',
} as const

/** Starts one. Stop it at the end of the test. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { engine = 'sqlite' } = options
  const clock = steadyClock(options.clock ?? systemClock)
  const { place, remove } = await makeTestDatabase(engine)
  const workingDir = await mkdtemp(join(tmpdir(), 'svc-gateway-'))
  const file: ConfigFile = { ...options.file, limits: { ...wideLimits, ...options.file?.limits } }
  await writeFile(join(workingDir, 'svc.config.json'), JSON.stringify(file))
  const logged: string[] = []
  const databaseUrl = place.url === null ? null : await (options.leadTo?.(place.url) ?? place.url)
  const env = await withWhatItNeeds(environment(options, databaseUrl, place.dataDir))
  const { config } = loadConfig({ env, workingDir })
  const log = createLogger({ level: config.logLevel, sink: { write: (line) => void logged.push(line) } })
  const gateway = await createGateway({ config, log, clock })
  const beside: Gateway[] = []
  const { database } = gateway
  const origin = await gateway.start()

  const { accountId, teamId } = await createTestAccount(gateway, options.credits ?? '10000')
  const limits = { accountLimitStore: createAccountLimitStore(database), gatewayLimits: config.limits }
  const keys = { ...limits, store: createKeyStore(database), peppers: config.peppers, clock }
  const makeKey = (request: Partial<KeyRequest> = {}): Promise<CreatedKey> =>
    createKey(keys, { accountId, teamId, name: 'test', ...request })
  const { rawKey: key, keyId } = await makeKey()

  const baseUrl = `${origin}/api`
  const openHolds = async (): Promise<number> => {
    const rows = await database.read.selectFrom('hold').select('hold_id').where('state', '=', 'held').execute()
    return rows.length
  }
  // Not `expect.poll`, which works inside of tests only: a gateway may be stopped by a hook.
  const settled = (): Promise<void> => eventually(async () => expect(await openHolds()).toBe(0))
  const audit = async (): Promise<void> => {
    const report = await runAudit(database)
    expect(report.rows.filter((row) => row.breaches > 0)).toEqual([])
  }
  return {
    ...{ gateway, engine, baseUrl, accountId, teamId, key, keyId, logged, settled, audit },
    v1: `${baseUrl}/v1`,
    dataDir: place.dataDir,
    databaseUrl: place.url,
    ...createChatClient(baseUrl, key),
    balance: () =>
      database.read
        .selectFrom('balance')
        .select(['posted', 'held'])
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow(),
    createKey: makeKey,
    revokeKey: async (id) => {
      await keys.store.revoke(id, clock.now())
    },
    startBeside: async () => {
      const other = await createGateway({ config: { ...config, port: 0 }, log, clock })
      beside.push(other)
      return { gateway: other, ...createChatClient(`${await other.start()}/api`, key) }
    },
    stop: async () => {
      await settled()
      await audit()
      for (const other of beside) await other.stop()
      await gateway.stop()
      await remove()
      await rm(workingDir, { recursive: true, force: true })
    },
  }
}

/** Makes an account with a team and credits, as decimal text. */
export async function createTestAccount(
  { database, ledger, clock }: Pick<Gateway, 'database' | 'ledger' | 'clock'>,
  credits: string,
  name = 'Test',
): Promise<CreatedAccount> {
  const created = await createAccount({ store: createAccountStore(database), clock }, { name })
  if (created === null) throw new Error('the test account exists already')
  const amount = parseCredits(credits) ?? nanocreditsOf(10_000n * NANOCREDITS_PER_CREDIT)
  if (amount > 0n) {
    await ledger.submit({
      kind: 'credit',
      source: 'grant',
      transferId: createId(clock.now()),
      accountId: created.accountId,
      amount,
      reason: 'test',
      now: clock.now(),
    })
  }
  return created
}

/** Everything that a database file or its journal holds, as text; for looking for what must not be there. */
export async function readDatabaseFiles(dataDir: string): Promise<string> {
  const files = ['svc.db', 'svc.db-wal', 'svc.db-shm'].map((name) => join(dataDir, name))
  const texts = await Promise.all(files.map((path) => readFile(path, 'latin1').catch(() => '')))
  return texts.join('')
}
