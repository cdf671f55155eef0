import { setTimeout as pauseFor } from 'node:timers/promises'
import { startBareProxy } from '../bare-proxy.ts'
import type { BenchContext } from '../bench-context.ts'
import { createDatabase, profileFolder, startStub, stopSides } from '../bench-rig.ts'
import { busiestCore, readCoreTimes } from '../core-times.ts'
import { createFundedAccount, startGateway } from '../gateway-process.ts'
import { spreadOf } from '../interval.ts'
import type { Row, RowResult } from '../row.ts'
import { type Side, usageOf } from '../side.ts'
import { mediaSide } from './media-cpu.ts'

const UPLOADS = 10
const SAMPLE_EVERY_MS = 50
const MIB = 1_048_576

interface UploadMemory {
  /** MiB above idle, sample by sample. */
  readonly above: readonly number[]
  readonly done: number
  readonly coreBusy: number
  readonly generatorBusy: number
}

async function measureUploads(context: BenchContext, side: Side): Promise<UploadMemory> {
  const asked = mediaSide(side, 'upload')
  const order = { kind: 'whole', targets: asked.targets, rate: null } as const
  // What a process needs once, code, pools and the thread that measures audio, is no upload's.
  await context.load({ ...order, connections: 1, seconds: context.options.seconds })
  await pauseFor(SAMPLE_EVERY_MS)
  const idle = (await usageOf(side)).rssBytes
  const cores = readCoreTimes()
  let isOver = false
  const load = context
    .load({ ...order, connections: UPLOADS, seconds: context.options.seconds * 3 })
    .finally(() => (isOver = true))
  const above: number[] = []
  while (!isOver) {
    above.push(((await usageOf(side)).rssBytes - idle) / MIB)
    await pauseFor(SAMPLE_EVERY_MS)
  }
  const { done, cpuMs, seconds } = await load
  if (done === 0) throw new Error(`the ${side.name} took no upload`)
  return { above, done, coreBusy: busiestCore(cores, readCoreTimes()), generatorBusy: cpuMs / 1000 / seconds }
}

function resultFrom(full: UploadMemory, bare: UploadMemory): RowResult {
  const most = Math.max(...bare.above).toFixed(0)
  return {
    ...{ row: 12, figure: `memory above idle, ${UPLOADS} uploads of 25 MiB at a time`, unit: 'MiB', goal: null },
    spread: { ...spreadOf(full.above), interval: null },
    ...{ count: 1, verdict: 'stated', samples: null },
    ...{ generatorBusy: full.generatorBusy, coreBusy: full.coreBusy },
    notes: [`of ${full.done} uploads, ${UPLOADS * 25} MiB in flight`, `bare proxy at most ${most} MiB`],
  }
}

/** Resident memory while files of the largest size come, again and again. Source: docs/benchmark.md, row 12. */
export const uploadMemory: Row = {
  number: 12,
  title: 'Memory of parallel uploads',
  async measure(context) {
    const upstream = await startStub(context)
    const funded = await createFundedAccount(context, await createDatabase(context, 'sqlite'))
    const gateway = await startGateway(context, funded, {
      ...{ name: 'gateway', upstreamUrl: `${upstream}/v1`, profile: profileFolder(context, 'row-12') },
    })
    const bare = await startBareProxy(context, { upstream, allowH2: false })
    const full = await measureUploads(context, gateway)
    const base = await measureUploads(context, bare)
    await stopSides(context, [gateway, bare])
    await funded.rig.close()
    return [resultFrom(full, base)]
  },
}
