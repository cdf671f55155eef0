import { join } from 'node:path'
import { type Nanocredits, nanocreditsOf } from '@svc/contract'
import type { FreshDatabase } from '../packages/server/testing/fresh-database.ts'
import { type GatewayRig, openGatewayBooks, openGatewayRig } from '../packages/server/testing/gateway-rig.ts'
import type { BenchContext } from './bench-context.ts'
import { FOLLOW_BENCH } from './children.ts'
import type { Side } from './side.ts'

const PEPPER = 'a pepper that all processes of the bench share'
/** Never used up by a run, nor by a past: a hundred million credits. */
const CREDITS = nanocreditsOf(100_000_000n * 1_000_000_000n)
/** Gateways are measured with what they have by default. Only rate limits are wider. */
const LIMITS = {
  requests_per_minute: 10_000_000,
  images_per_minute: 10_000_000,
  streams_at_once: 100_000,
  shutdown_grace_ms: 2_000,
} as const

/** A caller with credits, and the database with its books. */
export interface FundedAccount {
  readonly rig: GatewayRig
  readonly accountId: string
  readonly teamId: string
  readonly keyId: string
  readonly rawKey: string
}

async function openRig({ children }: BenchContext, database: FreshDatabase): Promise<GatewayRig> {
  const env = { SVC_KEY_PEPPER: PEPPER, BENCH_UPSTREAM_KEY: 'none' }
  const rig = await openGatewayRig({ database, file: {}, env })
  for (const folder of [rig.workingDir, rig.place.dataDir]) children.adoptFolder(folder)
  return rig
}

/** Makes one caller in an empty database. @param budget what its key may spend; null: as much as there is. */
export async function createFundedAccount(
  context: BenchContext,
  database: FreshDatabase,
  budget: Nanocredits | null = null,
): Promise<FundedAccount> {
  const rig = await openRig(context, database)
  const books = await openGatewayBooks(rig.place, PEPPER)
  const account = await books.createAccount('bench', CREDITS)
  const { keyId, rawKey } = await books.createKey(
    account,
    budget === null ? {} : { budget: { limit: budget, period: 'none' } },
  )
  await books.close()
  return { rig, ...account, keyId, rawKey }
}

/** The same caller in the same PostgreSQL database, for a gateway with folders of its own. */
export async function openBeside(context: BenchContext, funded: FundedAccount): Promise<FundedAccount> {
  const place = { ...funded.rig.place, dataDir: context.children.createFolder() }
  return { ...funded, rig: await openRig(context, { place, remove: () => Promise.resolve() }) }
}

export interface GatewayOptions {
  readonly name: string
  /** Base address, with the version part. */
  readonly upstreamUrl: string
  readonly allowH2?: boolean
  /** Certificate that the gateway trusts besides the usual ones, as a file. */
  readonly trusted?: string
  /** A program of `programs/` in place of the gateway's own. */
  readonly program?: string
  /** Folder for its CPU profile. */
  readonly profile: string | null
  /** Requests that the upstream takes at a time; absent: all. */
  readonly requestsAtOnce?: number
  /** How long a request may wait, in milliseconds; absent: as usual. */
  readonly waitingMs?: number
}

/** Starts a gateway as operators do, with its log in a file, and waits until it answers. */
export async function startGateway(
  context: BenchContext,
  { rig, rawKey }: FundedAccount,
  options: GatewayOptions,
): Promise<Side> {
  const { name, upstreamUrl: url, allowH2 = false, trusted, program, profile, requestsAtOnce, waitingMs } = options
  const turns = requestsAtOnce === undefined ? {} : { requests_at_once: requestsAtOnce }
  const place = { url, api_key_env: 'BENCH_UPSTREAM_KEY', allow_h2: allowH2, ...turns }
  const limits = waitingMs === undefined ? LIMITS : { ...LIMITS, waiting_ms: waitingMs }
  await rig.configure({ upstreams: [{ name: 'bench', kind: 'openrouter', ...place }], limits })
  const { child, origin } = await rig.startProcess({
    env: trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted },
    nodeOptions: [
      ...FOLLOW_BENCH,
      '--disable-warning=ExperimentalWarning',
      ...(profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
    ],
    logFile: join(rig.workingDir, 'gateway.log'),
    ...(program === undefined ? {} : { program: join(import.meta.dirname, 'programs', `${program}.ts`) }),
  })
  context.children.adopt(child)
  return { name, targets: [{ origin, path: '/api/v1/chat/completions', key: rawKey }], processes: [child] }
}
