import type { BenchContext } from '../bench-context.ts'
import { type BenchEngine, createDatabase, ENGINE_NAMES, profileFolder, startStub, stopSides } from '../bench-rig.ts'
import { calibrateRate } from '../calibrate.ts'
import { dropBacklog, fillHistory } from '../fill-history.ts'
import { createFundedAccount, type FundedAccount, startGateway } from '../gateway-process.ts'
import { cpuRatio, resultOf, takePairs } from '../pairs.ts'
import type { Row, RowResult } from '../row.ts'
import type { Side } from '../side.ts'
import { cpuNote } from './billed-request.ts'

const FEW = 1_000
const CONNECTIONS = 64
const GOAL = 1.1
/** The last request of the past is so long ago, and each is so long after the one before, in milliseconds. */
const QUIET_MS = 60_000
const GAP_MS = 10

/**
 * The same gateway on two databases of one account, one with few records and one with many. Source of the goal:
 * docs/benchmark.md, row 7.
 */
export const largeHistory: Row = {
  number: 7,
  title: 'A request with a large history against a small one',
  measure: async (context) => [...(await measure(context, 'sqlite')), ...(await measure(context, 'postgres'))],
}

async function measure(context: BenchContext, engine: BenchEngine): Promise<readonly RowResult[]> {
  const many = context.options.scale.records
  const upstream = await startStub(context)
  const [small, large] = [await createFilled(context, engine, FEW), await createFilled(context, engine, many)]
  const start = (funded: FundedAccount, name: string): Promise<Side> =>
    startGateway(context, funded, {
      ...{ name, upstreamUrl: `${upstream}/v1`, profile: profileFolder(context, `row-7-${engine}`) },
    })
  const sides = {
    baseline: await start(small, 'gateway with few records'),
    candidate: await start(large, 'gateway with many records'),
  }
  const rate = await calibrateRate(context, sides, CONNECTIONS)
  const { seconds } = context.options
  const pairs = await takePairs(context, sides, { kind: 'whole', connections: CONNECTIONS, seconds, rate })
  await stopSides(context, [sides.baseline, sides.candidate])
  for (const { rig } of [small, large]) await rig.close()
  const counts = `${many.toLocaleString('en-US')} records against ${FEW.toLocaleString('en-US')}`
  const common = { row: 7, unit: '×', goal: GOAL }
  return [
    resultOf(pairs, {
      ...{ ...common, valueOf: cpuRatio },
      figure: `CPU per request, ${counts}, ${ENGINE_NAMES[engine]}`,
      notesOf: (median) => [cpuNote(median), `at ${rate}/s`],
    }),
    resultOf(pairs, {
      ...{ ...common, valueOf: ({ baseline, candidate }) => candidate.p50Ms / baseline.p50Ms },
      figure: `median time of a request, ${counts}, ${ENGINE_NAMES[engine]}`,
      notesOf: (median) => {
        const [few, all] = [median(({ baseline }) => baseline.p50Ms), median(({ candidate }) => candidate.p50Ms)]
        return [`${all.toFixed(2)} ms against ${few.toFixed(2)} ms`]
      },
    }),
  ]
}

async function createFilled(context: BenchContext, engine: BenchEngine, records: number): Promise<FundedAccount> {
  const funded = await createFundedAccount(context, await createDatabase(context, engine))
  const to = Date.now() - QUIET_MS
  const span = { requests: records, from: to - records * GAP_MS, to }
  await fillHistory(funded.rig.place, [funded.keyId], span)
  await dropBacklog(funded.rig.place)
  return funded
}
