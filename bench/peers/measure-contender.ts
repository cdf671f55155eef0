/** All figures of one gateway: CPU, latency, memory, start, before the same upstream and under the same load. */
import { setTimeout as pauseFor } from 'node:timers/promises'
import { startBareProxy } from '../bare-proxy.ts'
import type { BenchContext } from '../bench-context.ts'
import { stopSides } from '../bench-rig.ts'
import { calibrateRate } from '../calibrate.ts'
import { spreadOf } from '../interval.ts'
import { type Pair, type PairedSides, type Pairs, takePairs } from '../pairs.ts'
import type { StubSettings } from '../program-settings.ts'
import { type Saturation, saturate } from '../saturation.ts'
import { sampleSide, usageOf } from '../side.ts'
import { warmUp } from '../warm-up.ts'
import type { Contender, StartedContender } from './contender.ts'
import { PeerMissingError } from './peer.ts'

const CONNECTIONS = 64
const GAP_MS = 20
/** The slowest gateways do a few requests in a second. */
const LEAST_RATE = 2
const SATURATED_ROUNDS = 3
/** Streams are so many that they take about so much of a core. */
const CORE_FOR_STREAMS = 0.5
const HELD_CHUNK_EVERY_MS = 10_000
const HELD_WARM = 20
const OPEN_PER_SECOND_MAX = 500
/** Streams that are opened in a second where it is not known how many requests the gateway can do. */
const OPEN_PER_SECOND_UNKNOWN = 25
const MIB = 1_048_576

/** A cost of the gateway, and of the bare proxy in the same pairs. */
export interface Against {
  readonly value: number
  readonly bare: number
}

/** Figures that could not be taken are null, and a note says why. */
export interface ContenderFigures extends Pick<Contender, 'name' | 'version' | 'accounting'> {
  /** Of its second start: what it compiles once is there. */
  readonly start: { readonly ms: number; readonly cpuMs: number } | null
  /** CPU per whole answer in microseconds, at a scheduled rate. */
  readonly whole: (Against & { readonly rate: number }) | null
  readonly saturation: Saturation | null
  /** CPU per chunk of a stream in microseconds. */
  readonly chunk: (Against & { readonly streams: number }) | null
  /** Added to the bare proxy's, in milliseconds, at a tenth of saturation. */
  readonly latency: { readonly p50: number; readonly p99: number; readonly rate: number } | null
  /** Resident memory with so many streams open, in MiB. */
  readonly memory: { readonly mib: number; readonly idleMib: number; readonly streams: number } | null
  readonly notes: readonly string[]
}

/** Where the upstream listens while a contender is measured. */
export interface UpstreamPort {
  readonly port: number
}

type Notes = string[]

/**
 * Measures a gateway.
 *
 * @param upstream the port that it was opened with.
 * @throws {PeerMissingError} where it does not start.
 */
export async function measureContender(
  context: BenchContext,
  contender: Contender,
  upstream: UpstreamPort,
): Promise<ContenderFigures> {
  const notes: Notes = []
  const { name, version, accounting } = contender
  const starts: StartedContender[] = []
  const before = async <Result>(
    settings: Omit<StubSettings, 'identity'>,
    what: string,
    use: (sides: PairedSides) => Promise<Result>,
  ): Promise<Result | null> => {
    const stub = await context.children.start('stub-upstream', { ...settings, ...upstream, identity: null })
    const bare = await startBareProxy(context, { upstream: `http://127.0.0.1:${stub.port}`, allowH2: false })
    try {
      const started = await contender.start()
      starts.push(started)
      return await use({ baseline: bare, candidate: started.side })
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
      context.say(`  ${what}: ${reason}`)
      notes.push(`${what}: ${reason.slice(0, 160)}`)
      return null
    } finally {
      await starts.at(-1)?.stop()
      await stopSides(context, [bare])
      await context.children.stop(stub.child)
    }
  }
  const { chunks } = context.options.scale
  const answers = await before({ chunks: 2, gapMs: 1 }, 'whole answers', (sides) => measureWhole(context, sides, notes))
  if (starts.length === 0) throw new PeerMissingError(notes[0] ?? 'it does not start')
  const chunk = await before({ chunks, gapMs: GAP_MS }, 'streams', (sides) => measureStreams(context, sides, notes))
  const perSecond = answers?.saturation.perSecond ?? OPEN_PER_SECOND_UNKNOWN
  const memory = await before({ chunks: 1_000_000, gapMs: HELD_CHUNK_EVERY_MS }, 'open streams', (sides) =>
    measureHeld(context, sides, perSecond),
  )
  const second = starts[1]
  return {
    ...{ name, version, accounting, chunk, memory, notes },
    start: second === undefined ? null : { ms: second.startMs, cpuMs: second.startCpuMs },
    ...{ whole: answers?.whole ?? null, saturation: answers?.saturation ?? null, latency: answers?.latency ?? null },
  }
}

type Answers = Pick<ContenderFigures, 'whole' | 'latency'> & { readonly saturation: Saturation }

async function measureWhole(context: BenchContext, sides: PairedSides, notes: Notes): Promise<Answers> {
  const whole = { kind: 'whole', connections: CONNECTIONS, seconds: context.options.statedSeconds } as const
  await warmUp(context, sides, { ...whole, rate: null })
  const rate = await calibrateRate(context, sides, CONNECTIONS, LEAST_RATE)
  const pairs = await takePairs(context, sides, { ...whole, rate })
  const saturated = await saturate(context, sides, { connections: CONNECTIONS, rounds: SATURATED_ROUNDS })
  const { candidate: saturation } = saturated
  const slow = Math.max(1, Math.round(saturation.perSecond / 10))
  const quiet = await takePairs(context, sides, { ...whole, seconds: whole.seconds * 2, rate: slow })
  const cpu = against(pairs, 'whole answers', notes)
  const added = (valueOf: (pair: Pair) => number): number => spreadOf(quiet.pairs.map(valueOf)).median
  if (quiet.refusal !== null) notes.push(`latency ${quiet.refusal}`)
  return {
    saturation,
    whole: cpu === null ? null : { ...cpu, rate },
    latency:
      quiet.refusal === null
        ? {
            p50: added(({ baseline, candidate }) => candidate.p50Ms - baseline.p50Ms),
            p99: added(({ baseline, candidate }) => candidate.p99Ms - baseline.p99Ms),
            rate: slow,
          }
        : null,
  }
}

async function measureStreams(
  context: BenchContext,
  sides: PairedSides,
  notes: Notes,
): Promise<ContenderFigures['chunk']> {
  const { chunks, streams: most } = context.options.scale
  const streamMs = chunks * GAP_MS
  const order = { kind: 'streams', seconds: context.options.statedSeconds, spreadMs: streamMs } as const
  await warmUp(context, sides, { ...order, connections: 4 })
  // How many it can do is seen from a few.
  const { cpuUs } = await sampleSide(context, sides.candidate, { ...order, connections: 2 })
  const streams = Math.min(most, Math.max(1, Math.floor((CORE_FOR_STREAMS * streamMs * 1_000) / cpuUs)))
  for (const side of [sides.baseline, sides.candidate])
    await sampleSide(context, side, { ...order, connections: streams })
  const cost = against(await takePairs(context, sides, { ...order, connections: streams }), 'streams', notes)
  return cost === null ? null : { value: cost.value / chunks, bare: cost.bare / chunks, streams }
}

async function measureHeld(
  context: BenchContext,
  { candidate }: PairedSides,
  perSecond: number,
): Promise<ContenderFigures['memory']> {
  const [target] = candidate.targets
  if (target === undefined) throw new Error('it has no address')
  const hold = { kind: 'hold', target, perSecond: Math.min(OPEN_PER_SECOND_MAX, Math.max(1, perSecond / 4)) } as const
  await context.load({ ...hold, streams: HELD_WARM })
  await context.load({ kind: 'release' })
  await pauseFor(1_000)
  const idle = (await usageOf(candidate)).rssBytes
  const streams = context.options.scale.peerStreams
  await context.load({ ...hold, streams })
  await pauseFor(context.options.seconds * 1_000)
  const { rssBytes } = await usageOf(candidate)
  await context.load({ kind: 'release' })
  return { mib: rssBytes / MIB, idleMib: idle / MIB, streams }
}

/** Medians of both sides; null where too much else was going on. */
function against({ pairs, refusal }: Pairs, what: string, notes: Notes): Against | null {
  if (refusal !== null) {
    notes.push(`${what} ${refusal}`)
    return null
  }
  const median = (valueOf: (pair: Pair) => number): number => spreadOf(pairs.map(valueOf)).median
  return { value: median(({ candidate }) => candidate.cpuUs), bare: median(({ baseline }) => baseline.cpuUs) }
}
