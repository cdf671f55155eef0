/**
 * One round: load, something that breaks, load, peace; then every Idempotency-Key is asked again, and all is compared.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom } from '../../../packages/server/testing/random.ts'
import type { Rig } from '../../rig/gateway-rig.ts'
import { type Disturbance, playDisturbance } from './disturbances.ts'
import { finishRound, makePeople } from './finish-round.ts'
import { kindOf, startPaidLoad } from './paid-load.ts'
import { planPaid } from './paid-plan.ts'
import type { PaidLine, PaidUpstream } from './paid-upstream.ts'
import type { RoundFleet } from './round-fleet.ts'

export interface RoundStage {
  readonly rig: Rig
  readonly fleet: RoundFleet
  readonly upstream: PaidUpstream
  readonly leaseMs: number
  readonly clients: number
}

export interface RoundOptions {
  /** Decides everything but the moments of the machine. */
  readonly seed: number
  readonly round: number
  /** What happens, in turns. */
  readonly among: readonly Disturbance[]
}

export interface RoundReport {
  readonly round: number
  /** What was done, in words. */
  readonly what: string
  readonly disturbance: Disturbance
  readonly questions: number
  readonly whole: number
  readonly charged: number
  readonly replays: number
  readonly settledMs: number
  readonly seconds: number
  readonly faults: readonly string[]
  readonly exceptions: ReadonlyMap<string, number>
}

const TAGS_PER_ROUND = 1_000

/** Plays one. */
export async function playRound(stage: RoundStage, { seed, round, among }: RoundOptions): Promise<RoundReport> {
  const startedAt = performance.now()
  const { rig, fleet, upstream, leaseMs, clients } = stage
  const roundSeed = (Math.imul(seed + 1, 2_246_822_519) ^ Math.imul(round + 1, 3_266_489_917)) >>> 0
  const random = createRandom(roundSeed)
  const disturbance = among[round % among.length] ?? 'kill'
  const people = await makePeople(rig, round)
  const lines: PaidLine[] = []
  const planOf = (tag: number) => planPaid(kindOf(roundSeed, tag), roundSeed, tag)
  upstream.open({ planOf, lines })
  const firstTag = (round + 1) * TAGS_PER_ROUND
  const load = startPaidLoad({ seed: roundSeed, firstTag, clients, keys: people.keys, ports: fleet.ports })
  await wait(200 + random.below(500))
  const played = await playDisturbance(disturbance, { random, fleet, url: rig.place.url, leaseMs })
  await wait(200 + random.below(300))
  await load.stop()
  const { stories } = load
  const { losesProcess } = played
  const finished = await finishRound(stage, { people, stories, lines, planOf, losesProcess }, random)
  for (const member of fleet.members) member.moveClock(0)
  const { books, lostLeases, faults, replays, settledMs, exceptions } = finished
  return {
    ...{ round, disturbance, faults, settledMs, replays, exceptions },
    what: lostLeases === 0 ? played.what : `${played.what} (leases lost: ${lostLeases})`,
    questions: stories.length,
    whole: stories.filter(({ attempts }) => attempts.some(({ end }) => end === 'whole')).length,
    charged: books.usage.filter(({ charge }) => charge > 0n).length,
    seconds: (performance.now() - startedAt) / 1_000,
  }
}
