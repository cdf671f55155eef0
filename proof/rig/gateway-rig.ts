/** What every proof needs: a database, accounts with credits and keys, and gateways that serve them. */
import { nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import type { CreatedAccount } from '../../packages/server/src/access/accounts/create-account.ts'
import type { ConfigFile } from '../../packages/server/src/config/config-file.ts'
import {
  type GatewayRig,
  type OpenGatewayBooks,
  openGatewayBooks,
  openGatewayRig,
  type ProgramEnd,
  wideLimits,
} from '../../packages/server/testing/gateway-rig.ts'
import type { GatewayProcess, GatewayStart } from '../../packages/server/testing/start-gateway-process.ts'
import type { FreshDatabase } from '../../packages/server/testing/fresh-database.ts'
import { makeStorage, type StorageOptions } from './storage.ts'

type Limits = NonNullable<ConfigFile['limits']>

export interface RigSetup {
  /** Base address of the upstream, ending in `/v1`. */
  readonly upstreamUrl: string
  readonly limits?: Limits
  readonly deposits?: NonNullable<ConfigFile['deposits']>
  /** Further upstreams, and what they serve. */
  readonly more?: Pick<ConfigFile, 'upstreams' | 'routes' | 'media_prices'>
  /** How long the upstream may be silent, in milliseconds. */
  readonly patienceMs?: number
  readonly env?: Readonly<Record<string, string>>
}

/** With a database that is made for it, or one that is there. */
export type RigOptions = RigSetup & (StorageOptions | { readonly storage: FreshDatabase })

export interface Rig
  extends Pick<GatewayRig, 'place'>, Pick<OpenGatewayBooks, 'database' | 'createKey' | 'revokeKey' | 'setKeyBudget'> {
  /** Sets the limits of gateways that start from now on. */
  configure(limits: Limits): Promise<void>
  /** Starts one more gateway on a port and waits until it listens. */
  start(port: number, own?: Partial<GatewayStart>): Promise<GatewayProcess>
  /** Makes an account with whole credits. */
  createAccount(name: string, credits: bigint): Promise<CreatedAccount>
  /** Grants whole credits. @returns them in nanocredits. */
  grant(accountId: string, credits: bigint): Promise<bigint>
  /** Holds of requests. Those of video jobs are open for as long as an upstream has the job. */
  openHolds(): Promise<number>
  /** Runs `npm run audit` as a process of its own. */
  audit(): Promise<ProgramEnd>
  close(): Promise<void>
}

/** Behind a limit that refuses most requests a proof proves nothing of what lies behind. */
const proofLimits = {
  ...wideLimits,
  claims_per_minute: 10_000_000,
  claims_per_day: 10_000_000,
  mirrors_per_minute: 10_000_000,
  receipts_per_recipient_hour: 10_000_000,
  receipts_per_recipient_day: 10_000_000,
  receipts_per_account_day: 10_000_000,
  receipts_per_hour: 10_000_000,
} as const

const PEPPER = 'a pepper that all processes of a proof share'
/** Kept of what a gateway prints, in characters: enough to see why it ended. */
const OUTPUT_MAX = 20_000

function configFile(options: RigSetup, limits: Limits = {}): ConfigFile {
  const { upstreamUrl: url, patienceMs, deposits, more = {} } = options
  const patience = patienceMs === undefined ? {} : { first_byte_ms: patienceMs, idle_ms: patienceMs }
  return {
    limits: { ...proofLimits, ...limits },
    ...(deposits === undefined ? {} : { deposits }),
    ...more,
    upstreams: [
      { name: 'stub', kind: 'openrouter', url, api_key_env: 'UPSTREAM_KEY', ...patience },
      ...(more.upstreams ?? []).map((each) => ({ api_key_env: 'UPSTREAM_KEY', ...patience, ...each })),
    ],
  }
}

/** Makes the database and what serves it. No gateway runs until `start` is called. */
export async function openRig(options: RigOptions): Promise<Rig> {
  const rig = await openGatewayRig({
    database: 'storage' in options ? options.storage : await makeStorage(options),
    file: configFile(options, options.limits),
    env: { SVC_KEY_PEPPER: PEPPER, UPSTREAM_KEY: 'sk-or-v1-upstream-secret', ...options.env },
  })
  const books = await openGatewayBooks(rig.place, PEPPER)
  const whole = (credits: bigint) => nanocreditsOf(credits * NANOCREDITS_PER_CREDIT)
  // A gateway behind a proxy needs the address by which it is reached: here by that of its own port.
  const isBehindProxy = options.env?.['SVC_TRUSTED_PROXIES'] !== undefined
  return {
    ...books,
    place: rig.place,
    configure: (limits) => rig.configure(configFile(options, limits)),
    start(port, own = {}) {
      const named = isBehindProxy ? { SVC_PUBLIC_URL: `http://127.0.0.1:${port}` } : {}
      return rig.startProcess({ outputMax: OUTPUT_MAX, ...own, port, env: { ...named, ...own.env } })
    },
    createAccount: (name, credits) => books.createAccount(name, whole(credits)),
    async grant(accountId, credits) {
      await books.grant(accountId, whole(credits))
      return whole(credits)
    },
    openHolds: async () => (await books.openHolds()).requests,
    audit: () => rig.run('audit'),
    async close() {
      await books.close()
      await rig.close()
    },
  }
}
