/** A whole gateway for tests: the real parts, a fresh database, a free port, and an account with credits and a key. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nanocreditsOf, NANOCREDITS_PER_CREDIT, parseCredits } from '@svc/contract'
import { expect } from 'vitest'
import type { CreatedAccount } from '../src/access/accounts/create-account.ts'
import type { CreatedKey, KeyRequest } from '../src/access/keys/create-key.ts'
import { createGateway, type Gateway } from '../src/app/gateway.ts'
import type { ConfigFile } from '../src/config/config-file.ts'
import type { DatabaseEngine } from '../src/platform/db/database.ts'
import { type Clock, type SystemClock, systemClock } from '../src/platform/runtime/clock.ts'
import { createLogger } from '../src/platform/runtime/log.ts'
import { type ChatClient, createChatClient } from './chat-client.ts'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.mjs'
import { type Balance, type BooksDeps, createFundedAccount, openBooks } from './gateway-books.ts'
import { openGatewayRig, upstreamEnvironment, wideLimits } from './gateway-rig.ts'
import { steadyClock } from './steady-clock.ts'
import { makeTestDatabase } from './test-database.ts'

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
  balance(): Promise<Balance>
  createKey(request?: Partial<KeyRequest>): Promise<CreatedKey>
  revokeKey(keyId: string): Promise<void>
  /** Resolves once no hold is open. */
  settled(): Promise<void>
  /** Fails the test when any invariant of the books is broken. */
  audit(): Promise<void>
  /**
   * Starts another gateway on the same PostgreSQL, with the same settings or another configuration; it stops with the
   * first.
   */
  startBeside(file?: ConfigFile): Promise<ChatClient & { readonly gateway: Gateway }>
  /** Stops the gateway and those beside it, audits, and removes everything. */
  stop(): Promise<void>
}

/** The configuration of a test: wide limits unless it says otherwise. */
export function testFile(file: ConfigFile = {}): ConfigFile {
  // Shared limits have longer than a machine that runs many tests stalls.
  return { ...file, limits: { ...wideLimits, shared_limits_ms: 30_000, ...file.limits } }
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
  const { engine = 'sqlite', upstreamUrl, kind } = options
  const clock = steadyClock(options.clock ?? systemClock)
  const logged: string[] = []
  const onLine = (line: string): void => void logged.push(line)
  const database = await makeTestDatabase(engine)
  const { url } = database.place
  const upstream = upstreamUrl === undefined ? {} : upstreamEnvironment(upstreamUrl, kind)
  const rig = await openGatewayRig({
    ...{ database, file: testFile(options.file) },
    databaseUrl: url === null ? null : ((await options.leadTo?.(url)) ?? url),
    env: await withWhatItNeeds({ SVC_PORT: '0', SVC_LOG_LEVEL: 'debug', ...upstream, ...options.env }),
  })
  const { gateway, config, origin } = await rig.startLocal({ clock, onLine })
  const beside: Gateway[] = []

  const books = openBooks(gateway, { peppers: config.peppers, gatewayLimits: config.limits })
  const account = await createTestAccount(gateway, options.credits ?? '10000')
  const { accountId, teamId } = account
  const { rawKey: key, keyId } = await books.createKey(account)

  const baseUrl = `${origin}/api`
  // Not `expect.poll`, which works inside of tests only: a gateway may be stopped by a hook.
  const settled = (): Promise<void> =>
    eventually(async () => expect(await books.openHolds()).toEqual({ requests: 0, jobs: 0 }))
  const audit = async (): Promise<void> => expect(await books.breaches()).toEqual([])
  return {
    ...{ gateway, engine, baseUrl, accountId, teamId, key, keyId, logged, settled, audit },
    v1: `${baseUrl}/v1`,
    dataDir: rig.place.dataDir,
    databaseUrl: url,
    ...createChatClient(baseUrl, key),
    balance: () => books.balance(accountId),
    createKey: (request) => books.createKey(account, request),
    revokeKey: (id) => books.revokeKey(id),
    startBeside: async (file) => {
      if (file !== undefined) {
        await rig.configure(testFile(file))
        const other = await rig.startLocal({ clock, onLine })
        beside.push(other.gateway)
        return { gateway: other.gateway, ...createChatClient(`${other.origin}/api`, key) }
      }
      const log = createLogger({ level: config.logLevel, sink: { write: onLine } })
      const other = await createGateway({ config: { ...config, port: 0 }, log, clock })
      beside.push(other)
      return { gateway: other, ...createChatClient(`${await other.start()}/api`, key) }
    },
    stop: async () => {
      await settled()
      await audit()
      for (const other of beside) await other.stop()
      await gateway.stop()
      await rig.close()
    },
  }
}

/** Makes an account with a team and credits, as decimal text. */
export function createTestAccount(deps: BooksDeps, credits: string, name = 'Test'): Promise<CreatedAccount> {
  return createFundedAccount(deps, name, parseCredits(credits) ?? nanocreditsOf(10_000n * NANOCREDITS_PER_CREDIT))
}

/** Everything that a database file or its journal holds, as text; for looking for what must not be there. */
export async function readDatabaseFiles(dataDir: string): Promise<string> {
  const files = ['svc.db', 'svc.db-wal', 'svc.db-shm'].map((name) => join(dataDir, name))
  const texts = await Promise.all(files.map((path) => readFile(path, 'latin1').catch(() => '')))
  return texts.join('')
}
