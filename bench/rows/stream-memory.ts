import { setTimeout as pauseFor } from 'node:timers/promises'
import { startBareProxy } from '../bare-proxy.ts'
import type { BenchContext } from '../bench-context.ts'
import { createDatabase, profileFolder, startStub, stopSides } from '../bench-rig.ts'
import { busiestCore, readCoreTimes } from '../core-times.ts'
import { createFundedAccount, startGateway } from '../gateway-process.ts'
import { spreadOf, type Spread } from '../interval.ts'
import type { LoadTarget } from '../load-order.ts'
import type { Row, RowResult } from '../row.ts'
import { type Side, usageOf } from '../side.ts'

const GOAL_KIB = 80
/** Each open stream gets a chunk so often: it is a stream that lives, and the machine is far from busy. */
const CHUNK_EVERY_MS = 2_000
const OPEN_PER_SECOND = 500
const WARM_STREAMS = 200
const SAMPLES = 10

/**
 * Resident memory above that of the same process before, by open streams. Source of the goal: docs/benchmark.md, row 5.
 */
export const streamMemory: Row = {
  number: 5,
  title: 'Memory per open stream',
  async measure(context) {
    const { openStreams } = context.options.scale
    const upstream = await startStub(context, { chunks: 1_000_000, gapMs: CHUNK_EVERY_MS })
    const funded = await createFundedAccount(context, await createDatabase(context, 'sqlite'))
    const gateway = await startGateway(context, funded, {
      ...{ name: 'gateway', upstreamUrl: `${upstream}/v1`, profile: profileFolder(context, 'row-5') },
    })
    const bare = await startBareProxy(context, { upstream, allowH2: false })
    const full = await measureOpen(context, gateway, openStreams)
    const base = await measureOpen(context, bare, openStreams)
    await stopSides(context, [gateway, bare])
    await funded.rig.close()
    return [resultOf(openStreams, full, base)]
  },
}

interface OpenMemory {
  /** KiB per stream, over some seconds. */
  readonly spread: Spread
  readonly coreBusy: number
  readonly generatorBusy: number
}

async function measureOpen(context: BenchContext, side: Side, streams: number): Promise<OpenMemory> {
  const [target] = side.targets as readonly [LoadTarget]
  const hold = { kind: 'hold', target, perSecond: OPEN_PER_SECOND } as const
  // What a process needs once, code and pools, is no stream's.
  await context.load({ ...hold, streams: Math.min(WARM_STREAMS, streams) })
  await context.load({ kind: 'release' })
  await pauseFor(CHUNK_EVERY_MS / 2)
  const idle = (await usageOf(side)).rssBytes
  const { cpuMs, seconds } = await context.load({ ...hold, streams })
  const cores = readCoreTimes()
  const perStream: number[] = []
  const everyMs = (context.options.seconds * 3_000) / SAMPLES
  for (let sample = 0; sample < SAMPLES; sample++) {
    await pauseFor(everyMs)
    perStream.push(((await usageOf(side)).rssBytes - idle) / streams / 1024)
  }
  const coreBusy = busiestCore(cores, readCoreTimes())
  await context.load({ kind: 'release' })
  return { spread: spreadOf(perStream), coreBusy, generatorBusy: cpuMs / 1000 / seconds }
}

/** Memory does not depend on how busy the machine is, so this row is not refused; its streams were all open. */
function resultOf(streams: number, full: OpenMemory, base: OpenMemory): RowResult {
  const isFullSize = streams >= 5_000
  return {
    ...{ row: 5, figure: `memory per open stream, ${streams} open`, unit: 'KiB', goal: GOAL_KIB },
    // One run: its samples show that the memory is steady, not how sure the figure is.
    ...{ spread: { ...full.spread, interval: null }, count: 1 },
    verdict: isFullSize ? (full.spread.median <= GOAL_KIB ? 'met' : 'missed') : 'no verdict',
    ...{ generatorBusy: full.generatorBusy, coreBusy: full.coreBusy, samples: null },
    notes: [`bare proxy ${base.spread.median.toFixed(0)} KiB`, `a chunk every ${CHUNK_EVERY_MS / 1000} s`],
  }
}
