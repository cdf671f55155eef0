/** One chaos run: gateways under load are killed at random moments; in the end every book must say the same. */
import { setTimeout as wait } from 'node:timers/promises'
import { nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'
import type { ProgramEnd } from '../../packages/server/testing/gateway-rig.ts'
import { createRandom, type Random } from '../../packages/server/testing/random.ts'
import { openRig, type Rig } from '../rig/gateway-rig.ts'
import { until } from '../rig/until.ts'
import { type Books, readBooks, sampleBooks } from './books.ts'
import { type ClientKey, type Load, startLoad } from './client-load.ts'
import { compareBooks } from './compare-books.ts'
import { createChargeOracle } from './expected-charge.ts'
import { type Fleet, startFleet } from './gateway-fleet.ts'
import type { Attempt } from './hostile-client.ts'
import { type InvoiceLine, startInvoiceUpstream } from './invoice-upstream.ts'

export interface ChaosOptions {
  readonly engine: DatabaseEngine
  readonly seed: number
  readonly kills: number
  readonly clients: number
  /** More than one only on PostgreSQL: embedded storage has one process. */
  readonly processes: number
  /** Address of a PostgreSQL server; null starts one where one is needed. */
  readonly postgresUrl: string | null
  /** Called after each kill. */
  readonly onKill?: (done: number) => void
}

export interface ChaosReport {
  readonly attempts: readonly Attempt[]
  readonly invoice: readonly InvoiceLine[]
  readonly books: Books
  readonly samples: number
  readonly restartsMs: readonly number[]
  readonly settledMs: number
  /** How often a process could not renew its lease in time: a busy machine does that, and no promise depends on it. */
  readonly lostLeases: number
  readonly seconds: number
  readonly audit: ProgramEnd
  /** By promise; every list is empty when all went well. */
  readonly differences: ReadonlyMap<string, readonly string[]>
}

/** Short enough that dead processes are swept, and silent upstreams given up, many times within a run. */
const LIMITS = { lease_ms: 1_500, journal_ms: 200, first_content_ms: 400, shutdown_grace_ms: 1_000 } as const
const PATIENCE_MS = 1_500
const SAMPLE_MS = 40
/** The longest that the last holds may take after the load: leases, look-ups and silent upstreams are seconds. */
const SETTLE_MS_MAX = 60_000
const RICH_CREDITS = 1_000_000n
const POOR_CREDITS = 1n
const TOP_UP_CREDITS = 1n

interface Stage {
  readonly rig: Rig
  readonly random: Random
  readonly keys: ClientKey[]
  readonly grants: Map<string, bigint>
  readonly poorAccount: string
}

/** Two accounts: one can pay everything, the other is always at its end. Each has keys with and without budgets. */
async function openStage(rig: Rig, random: Random): Promise<Stage> {
  const rich = await rig.createAccount('rich', RICH_CREDITS)
  const poor = await rig.createAccount('poor', POOR_CREDITS)
  const keys: ClientKey[] = []
  for (const owner of [rich, rich, rich, poor, rich, rich, poor]) {
    const limit = nanocreditsOf((5n + BigInt(random.below(20))) * NANOCREDITS_PER_CREDIT)
    const budget = keys.length < 4 ? null : { limit, period: 'none' as const }
    const { keyId, rawKey } = await rig.createKey(owner, { budget })
    // The last but one has its budget changed while it is used.
    const fixedBudget = keys.length === 5 ? null : (budget?.limit ?? null)
    keys.push({ keyId, rawKey, accountId: owner.accountId, revokedAt: null, fixedBudget })
  }
  const grants = new Map([
    [rich.accountId, RICH_CREDITS * NANOCREDITS_PER_CREDIT],
    [poor.accountId, POOR_CREDITS * NANOCREDITS_PER_CREDIT],
  ])
  return { rig, random, keys, grants, poorAccount: poor.accountId }
}

/** Something that an operator does meanwhile. */
async function meddle({ rig, random, keys, grants, poorAccount }: Stage): Promise<void> {
  const amount = await rig.grant(poorAccount, TOP_UP_CREDITS)
  grants.set(poorAccount, (grants.get(poorAccount) ?? 0n) + amount)
  const changed = keys[5]
  if (changed !== undefined) {
    await rig.setKeyBudget(changed.keyId, BigInt(random.below(60_000)) * (NANOCREDITS_PER_CREDIT / 1_000n))
  }
  // Two keys stay to the end.
  const revocable = keys.filter((key, index) => index > 0 && index !== 3 && key.revokedAt === null)
  if (random.below(8) > 0 || revocable.length < 3) return
  const key = random.pick(revocable)
  await rig.revokeKey(key.keyId)
  key.revokedAt = Date.now()
}

interface Samples {
  readonly breaches: string[]
  count: number
  stop(): Promise<void>
}

function startSamples({ rig, keys }: Stage): Samples {
  const fixed = new Set(keys.filter((key) => key.fixedBudget !== null).map((key) => key.keyId))
  let isStopping = false
  const samples: Samples = { breaches: [], count: 0, stop: () => Promise.resolve() }
  const run = async (): Promise<void> => {
    while (!isStopping) {
      samples.breaches.push(...(await sampleBooks(rig.database, fixed)))
      samples.count++
      await wait(SAMPLE_MS)
    }
  }
  const running = run()
  samples.stop = async () => {
    isStopping = true
    await running
  }
  return samples
}

async function killAtRandom(stage: Stage, fleet: Fleet, options: ChaosOptions): Promise<number[]> {
  const restarts: number[] = []
  for (let kill = 1; kill <= options.kills; kill++) {
    await wait(stage.random.below(stage.random.pick([60, 400, 1_500])))
    restarts.push(await fleet.kill(stage.random))
    await meddle(stage)
    options.onKill?.(kill)
  }
  await wait(500)
  return restarts
}

interface Played {
  readonly load: Load
  readonly samples: Samples
  readonly restartsMs: readonly number[]
  readonly settledMs: number
  readonly lostLeases: number
  readonly faults: readonly string[]
}

async function play(stage: Stage, options: ChaosOptions): Promise<Played> {
  const { rig, keys } = stage
  const fleet = await startFleet(rig, options.engine === 'sqlite' ? 1 : options.processes)
  const load = startLoad({ seed: options.seed, clients: options.clients, keys, ports: fleet.ports })
  const samples = startSamples(stage)
  const restartsMs = await killAtRandom(stage, fleet, options)
  await load.stop()
  const loadEnded = performance.now()
  const isSettled = await until(async () => (await rig.openHolds()) === 0, SETTLE_MS_MAX)
  const settledMs = performance.now() - loadEnded
  await samples.stop()
  const exits = await fleet.stop()
  const faults = [
    ...fleet.faults,
    ...(isSettled ? [] : [`holds were open ${SETTLE_MS_MAX} ms after the load`]),
    ...exits.filter((code) => code !== 0).map((code) => `a gateway stopped with exit code ${code}`),
  ]
  return { load, samples, restartsMs, settledMs, lostLeases: fleet.lostLeases(), faults }
}

/** Plays it and compares. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const startedAt = performance.now()
  const upstream = await startInvoiceUpstream(options.seed)
  const { engine, postgresUrl } = options
  const rig = await openRig({ engine, postgresUrl, upstreamUrl: upstream.url, limits: LIMITS, patienceMs: PATIENCE_MS })
  try {
    const stage = await openStage(rig, createRandom(options.seed))
    const { load, samples, restartsMs, settledMs, lostLeases, faults } = await play(stage, options)
    const audit = await rig.audit()
    const books = await readBooks(rig.database)
    const { attempts } = load
    const evidence = { attempts, invoice: upstream.lines, books, keys: stage.keys, grants: stage.grants }
    const differences = new Map([
      ...compareBooks({ ...evidence, oracle: createChargeOracle() }),
      ['no sample shows a balance below zero or a budget overrun', samples.breaches],
      ['gateways end only when the run ends them, and log no fault', faults],
      ['the audit finds nothing', audit.code === 0 ? [] : [audit.output]],
    ])
    const seconds = (performance.now() - startedAt) / 1_000
    const { count } = samples
    return {
      attempts,
      invoice: upstream.lines,
      books,
      samples: count,
      restartsMs,
      settledMs,
      lostLeases,
      seconds,
      audit,
      differences,
    }
  } finally {
    await rig.close()
    await upstream.close()
  }
}
