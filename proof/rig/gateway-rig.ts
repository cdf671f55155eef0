/** What every proof needs: a database, accounts with credits and keys, and gateways that serve them. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Nanocredits, nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import { createAccountStore } from '../../packages/server/src/access/accounts/account-store.ts'
import { createAccount, type CreatedAccount } from '../../packages/server/src/access/accounts/create-account.ts'
import type { ConfigFile } from '../../packages/server/src/config/config-file.ts'
import { resolveLimits } from '../../packages/server/src/config/resolve-limits.ts'
import { createKey, type CreatedKey, type KeyRequest } from '../../packages/server/src/access/keys/create-key.ts'
import { createKeyStore } from '../../packages/server/src/access/keys/key-store.ts'
import { createAccountLimitStore } from '../../packages/server/src/access/keys/account-limit-store.ts'
import { createLedgerEngine } from '../../packages/server/src/money/ledger/create-ledger-engine.ts'
import { JOBS_OWNER } from '../../packages/server/src/money/ledger/hold-owner.ts'
import { Ledger } from '../../packages/server/src/money/ledger/ledger.ts'
import { systemClock } from '../../packages/server/src/platform/runtime/clock.ts'
import { createId } from '../../packages/server/src/platform/runtime/ids.ts'
import { childEnvironment } from '../../packages/server/testing/child-environment.ts'
import { type GatewayProcess, type GatewayStart, startGatewayProcess } from './gateway-process.ts'
import { openStorage, type Storage, type StorageOptions } from './storage.ts'

export interface RigOptions extends StorageOptions {
  /** Base address of the upstream, ending in `/v1`. */
  readonly upstreamUrl: string
  readonly kind?: 'openrouter' | 'openai-compatible'
  readonly limits?: NonNullable<ConfigFile['limits']>
  readonly deposits?: NonNullable<ConfigFile['deposits']>
  /** Further upstreams, and what they serve. */
  readonly more?: Pick<ConfigFile, 'upstreams' | 'routes' | 'media_prices'>
  /** How long the upstream may be silent, in milliseconds. */
  readonly patienceMs?: number
  readonly env?: Readonly<Record<string, string>>
}

export interface AuditOutcome {
  /** 0 when every promise is kept. */
  readonly exitCode: number
  readonly text: string
}

/** What one gateway has for itself; its environment stands beside that of all. */
export type RigStart = Pick<GatewayStart, 'nodeOptions' | 'onLine'> & Partial<Pick<GatewayStart, 'env'>>

export interface Rig {
  readonly storage: Storage
  /** Sets the limits of gateways that start from now on. */
  configure(limits: NonNullable<ConfigFile['limits']>): Promise<void>
  /** Starts one more gateway on a port and waits until it listens. */
  start(port: number, more?: RigStart): Promise<GatewayProcess>
  createAccount(name: string, credits: bigint): Promise<CreatedAccount>
  /** Grants whole credits. */
  grant(accountId: string, credits: bigint): Promise<Nanocredits>
  createKey(owner: CreatedAccount, request?: Partial<KeyRequest>): Promise<CreatedKey>
  revokeKey(keyId: string): Promise<void>
  /** Sets what a key may spend, in nanocredits, as an operator's tool would. */
  setKeyBudget(keyId: string, limit: bigint): Promise<void>
  /** Holds of requests. Those of video jobs are open for as long as an upstream has the job. */
  openHolds(): Promise<number>
  /** Runs `npm run audit` as a process of its own. */
  audit(): Promise<AuditOutcome>
  close(): Promise<void>
}

/**
 * Limits that no proof reaches unless it sets its own: behind a limit that refuses most requests a proof proves nothing
 * of what lies behind. Circuit breakers are off: upstreams of proofs fail on purpose.
 */
export const wideLimits = {
  requests_per_minute: 10_000_000,
  streams_at_once: 100_000,
  video_submits_per_minute: 10_000_000,
  images_per_minute: 10_000_000,
  public_per_minute: 10_000_000,
  failed_auth_per_minute: 10_000_000,
  claims_per_minute: 10_000_000,
  claims_per_day: 10_000_000,
  mirrors_per_minute: 10_000_000,
  receipts_per_recipient_hour: 10_000_000,
  receipts_per_recipient_day: 10_000_000,
  receipts_per_account_day: 10_000_000,
  receipts_per_hour: 10_000_000,
  free_answers: 1_000_000_000,
  breaker_open_ms: 0,
} as const

const AUDIT = fileURLToPath(new URL('../../packages/server/src/audit.ts', import.meta.url))
const PEPPER = 'a pepper that all processes of a proof share'
const PEPPERS = [{ version: 1, secret: PEPPER }] as const

function environment(options: RigOptions, storage: Storage): Record<string, string> {
  return {
    ...childEnvironment(),
    SVC_HOST: '127.0.0.1',
    SVC_DATA_DIR: storage.dataDir,
    SVC_KEY_PEPPER: PEPPER,
    UPSTREAM_KEY: 'sk-or-v1-upstream-secret',
    ...(storage.url === null ? {} : { SVC_DATABASE_URL: storage.url }),
    ...options.env,
  }
}

function configFile(options: RigOptions): ConfigFile {
  const { upstreamUrl: url, kind = 'openrouter', patienceMs, limits, deposits, more = {} } = options
  const patience = patienceMs === undefined ? {} : { first_byte_ms: patienceMs, idle_ms: patienceMs }
  return {
    limits: { ...wideLimits, ...limits },
    ...(deposits === undefined ? {} : { deposits }),
    ...more,
    upstreams: [
      { name: 'stub', kind, url, api_key_env: 'UPSTREAM_KEY', ...patience },
      ...(more.upstreams ?? []).map((each) => ({ api_key_env: 'UPSTREAM_KEY', ...patience, ...each })),
    ],
  }
}

function runAuditProcess(workingDir: string, env: Record<string, string>): Promise<AuditOutcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [AUDIT], { cwd: workingDir, env }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ exitCode, text: stdout + stderr })
    })
  })
}

/** The operator's side of the books. */
function operate(storage: Storage, ledger: Ledger) {
  const { database } = storage
  const clock = systemClock
  const keys = createKeyStore(database)
  const limits = { accountLimitStore: createAccountLimitStore(database), gatewayLimits: resolveLimits({}) }
  const grant = async (accountId: string, credits: bigint): Promise<Nanocredits> => {
    const amount = nanocreditsOf(credits * NANOCREDITS_PER_CREDIT)
    const now = clock.now()
    const transferId = createId(now)
    await ledger.submit({ kind: 'credit', source: 'grant', transferId, accountId, amount, reason: 'proof', now })
    return amount
  }
  return {
    grant,
    async createAccount(name: string, credits: bigint): Promise<CreatedAccount> {
      const created = await createAccount({ store: createAccountStore(database), clock }, { name })
      if (created === null) throw new Error(`the account ${name} exists already`)
      if (credits > 0n) await grant(created.accountId, credits)
      return created
    },
    createKey: ({ accountId, teamId }: CreatedAccount, request: Partial<KeyRequest> = {}): Promise<CreatedKey> =>
      createKey({ ...limits, store: keys, peppers: PEPPERS, clock }, { accountId, teamId, name: 'proof', ...request }),
    async revokeKey(keyId: string): Promise<void> {
      await keys.revoke(keyId, clock.now())
    },
    async setKeyBudget(keyId: string, limit: bigint): Promise<void> {
      const record = await keys.find(keyId)
      if (record === null) throw new Error(`there is no key ${keyId}`)
      const update = database.read
        .updateTable('budget')
        .set({ limit_nanocredits: limit })
        .where('budget_id', '=', record.budgetId)
      await database.write([update.compile()])
    },
    async openHolds(): Promise<number> {
      const rows = await database.read
        .selectFrom('hold')
        .select('hold_id')
        .where('state', '=', 'held')
        .where('process_id', '<>', JOBS_OWNER)
        .execute()
      return rows.length
    },
  }
}

/** A gateway behind a proxy has to be told by which address it is reached: here by that of its own port. */
function namedByItsAddress(env: Record<string, string>, port: number): Record<string, string> {
  return env['SVC_TRUSTED_PROXIES'] === undefined ? env : { ...env, SVC_PUBLIC_URL: `http://127.0.0.1:${port}` }
}

/** Makes the database and what serves it. No gateway runs until `start` is called. */
export async function openRig(options: RigOptions): Promise<Rig> {
  const storage = await openStorage(options)
  const { workingDir } = storage
  const writeConfig = (limits: NonNullable<ConfigFile['limits']>): Promise<void> =>
    writeFile(join(workingDir, 'svc.config.json'), JSON.stringify(configFile({ ...options, limits })))
  await writeConfig(options.limits ?? {})
  const env = environment(options, storage)
  const ledger = new Ledger({ engine: createLedgerEngine(storage.database) })
  return {
    storage,
    ...operate(storage, ledger),
    configure: writeConfig,
    start: (port, { env: own = {}, ...more } = {}) =>
      startGatewayProcess({ env: { ...namedByItsAddress(env, port), ...own }, workingDir, port, ...more }),
    audit: () => runAuditProcess(workingDir, env),
    async close() {
      await ledger.close()
      await storage.close()
    },
  }
}
