import { startBareProxy } from '../bare-proxy.ts'
import type { BenchContext } from '../bench-context.ts'
import { createDatabase, profileFolder, startStub, stopSides } from '../bench-rig.ts'
import { calibrateRate } from '../calibrate.ts'
import { createFundedAccount, openBeside, type FundedAccount, startGateway } from '../gateway-process.ts'
import { sampleLockWait } from '../lock-wait.ts'
import { cpuRatio, type PairedSides, resultOf, takePairs } from '../pairs.ts'
import type { Row, RowResult } from '../row.ts'
import { sampleSide, type Side, type SideOrder } from '../side.ts'
import { warmUp } from '../warm-up.ts'
import { cpuNote } from './billed-request.ts'

const CONNECTIONS = 64
/**
 * Of the rate that is found: the search comes right after a run at saturation, when batches are large still. At its
 * rate they become small ones, which cost the database more than a core has.
 */
const PART_OF_RATE = 0.6

/**
 * Two processes on one database against one of them, in two ways: each of the two with as many requests as the one has,
 * which is what a second process costs that was added for more load; and both together with as many, where each also
 * rests more in between. All are of one account, so they meet on one balance. Source of the goal: docs/benchmark.md,
 * row 8.
 */
export const twoProcesses: Row = {
  number: 8,
  title: 'Two processes on one PostgreSQL',
  async measure(context) {
    const upstream = await startStub(context)
    const funded = await createFundedAccount(context, await createDatabase(context, 'postgres'))
    const second = await openBeside(context, funded)
    const start = (of: FundedAccount): Promise<Side> =>
      startGateway(context, of, {
        ...{ name: 'gateway', upstreamUrl: `${upstream}/v1`, profile: profileFolder(context, 'row-8') },
      })
    const [one, other] = [await start(funded), await start(second)]
    const both = joined('two gateways', one, other)
    const sides = { baseline: one, candidate: both }
    await warmUp(context, sides, { kind: 'whole', connections: CONNECTIONS, seconds: 0, rate: null })
    const found = await calibrateRate(context, sides, CONNECTIONS)
    const rate = 2 * Math.round((found * PART_OF_RATE) / 2)
    const { seconds } = context.options
    const order = { kind: 'whole', connections: CONNECTIONS, seconds, rate } as const
    const half = { ...order, connections: CONNECTIONS / 2, rate: rate / 2 }
    const added = await takePairs(context, sides, { baseline: half, candidate: order })
    const divided = await takePairs(context, sides, order)
    const waits = await lockWaits(context, sides, order, funded.rig.place.url ?? '')
    await stopSides(context, [both])
    for (const { rig } of [second, funded]) await rig.close()
    return [
      resultOf(added, {
        ...{ row: 8, unit: '×', goal: 1.1, valueOf: cpuRatio },
        figure: 'CPU per request, two processes on one PostgreSQL against one, each with the same load',
        notesOf: (median) => [cpuNote(median), `at ${rate / 2}/s each`, ...waits],
      }),
      resultOf(divided, {
        ...{ row: 8, unit: '×', goal: 1.1, valueOf: cpuRatio },
        figure: 'the same, both with the load of one',
        notesOf: (median) => [cpuNote(median), `at ${rate}/s in all`],
      }),
      await measureBareProxies(context, upstream, rate),
    ]
  },
}

function joined(name: string, one: Side, other: Side): Side {
  return {
    name,
    targets: [...one.targets, ...other.targets],
    processes: [...one.processes, ...other.processes],
  }
}

/** What half of the requests cost a process more each that does nothing but hand them on, at the same rate. */
async function measureBareProxies(context: BenchContext, upstream: string, rate: number): Promise<RowResult> {
  const settings = { upstream, allowH2: false }
  const [one, other] = [await startBareProxy(context, settings), await startBareProxy(context, settings)]
  const sides = { baseline: one, candidate: joined('two bare proxies', one, other) }
  const { statedSeconds: seconds } = context.options
  const order = { kind: 'whole', connections: CONNECTIONS, seconds, rate } as const
  for (const side of [sides.baseline, sides.candidate]) await sampleSide(context, side, { ...order, rate: null })
  const pairs = await takePairs(context, sides, order)
  await stopSides(context, [sides.candidate])
  return resultOf(pairs, {
    ...{ row: 8, unit: '×', goal: null, valueOf: cpuRatio },
    figure: 'two bare proxies against one, both with the load of one',
    notesOf: (median) => [cpuNote(median), `at ${rate}/s in all`],
  })
}

/** After the pairs, since looking costs PostgreSQL some CPU. */
async function lockWaits(
  context: BenchContext,
  sides: PairedSides,
  order: SideOrder,
  url: string,
): Promise<readonly string[]> {
  const notes: string[] = []
  for (const side of [sides.candidate, sides.baseline]) {
    const sampled = sampleSide(context, side, order)
    const { waiting } = await sampleLockWait(url, sampled)
    const { perSecond } = await sampled
    // Sessions that wait at a time, by requests a second, is what one request waits.
    const perRequestMs = (waiting * 1000) / perSecond
    notes.push(`a request of the ${side.name} waits ${perRequestMs.toFixed(3)} ms for locks`)
  }
  return notes
}
