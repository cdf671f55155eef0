/** Many rounds, several stages side by side: most of a round is waiting. */
import type { DatabaseEngine } from '../../../packages/server/src/platform/db/database.ts'
import { openRig } from '../../rig/gateway-rig.ts'
import type { Disturbance } from './disturbances.ts'
import { paidRoutes } from './paid-kinds.ts'
import { startPaidUpstream } from './paid-upstream.ts'
import { playRound, type RoundReport, type RoundStage } from './play-round.ts'
import { startRoundFleet } from './round-fleet.ts'

export interface RoundsOptions {
  readonly engine: DatabaseEngine
  readonly seed: number
  /** Number of the first round: with one round a fault is seen again. */
  readonly first: number
  readonly rounds: number
  readonly among: readonly Disturbance[]
  readonly clients: number
  readonly processes: number
  /** Stages side by side, each with a database and gateways of its own. */
  readonly stages: number
  readonly postgresUrl: string | null
  readonly onRound?: (report: RoundReport) => void
}

export interface RoundsReport {
  readonly rounds: readonly RoundReport[]
  /** What went wrong beside the rounds; empty when all went well. */
  readonly faults: readonly string[]
  readonly seconds: number
}

/** Short, so that a process can be beyond its lease within seconds. */
const LEASE_MS = 2_000
const LIMITS = {
  ...{ lease_ms: LEASE_MS, journal_ms: 250, first_content_ms: 500, shutdown_grace_ms: 3_000 },
  // A machine that runs several stages stalls.
  shared_limits_ms: 10_000,
} as const
/** Processes on one database have the same secrets. */
const SECRETS = {
  SVC_SESSION_SECRET: 'a session secret that all processes share',
  SVC_MEDIA_SECRET: 'a secret of addresses that all processes share',
} as const
const PATIENCE_MS = 10_000

/** Plays rounds until there are none left. @returns what went wrong at the end. */
async function runStage(options: RoundsOptions, next: () => number | null, done: RoundReport[]): Promise<string[]> {
  const { engine, postgresUrl, processes, clients, seed, among } = options
  const upstream = await startPaidUpstream()
  const rig = await openRig({
    ...{ engine, postgresUrl, upstreamUrl: upstream.url, limits: LIMITS, patienceMs: PATIENCE_MS, env: SECRETS },
    more: {
      upstreams: [{ name: 'maker', kind: 'openai-compatible', url: upstream.url }],
      routes: paidRoutes('stub', 'maker'),
    },
  })
  const fleet = await startRoundFleet(rig, engine === 'sqlite' ? 1 : processes)
  try {
    const stage: RoundStage = { rig, fleet, upstream, clients, leaseMs: LEASE_MS }
    for (let round = next(); round !== null; round = next()) {
      const report = await playRound(stage, { seed, round, among })
      done.push(report)
      options.onRound?.(report)
    }
    const codes = await fleet.stop()
    const audit = await rig.audit()
    return [
      ...codes.filter((code) => code !== 0).map((code) => `a gateway stopped with exit code ${code}`),
      ...fleet.takeFaults(),
      ...(audit.code === 0 ? [] : [audit.output]),
    ]
  } finally {
    await fleet.close()
    await rig.close()
    await upstream.close()
  }
}

/** Plays them all. */
export async function runRounds(options: RoundsOptions): Promise<RoundsReport> {
  const startedAt = performance.now()
  let round = options.first
  const end = options.first + options.rounds
  const next = (): number | null => (round < end ? round++ : null)
  const done: RoundReport[] = []
  const stages = Array.from({ length: Math.min(options.stages, options.rounds) }, () => runStage(options, next, done))
  const faults = (await Promise.all(stages)).flat()
  return { rounds: done, faults, seconds: (performance.now() - startedAt) / 1_000 }
}
