import type { BenchContext } from '../bench-context.ts'
import { type BenchEngine, createDatabase, ENGINE_NAMES, profileFolder, startStub, stopSides } from '../bench-rig.ts'
import { calibrateRate } from '../calibrate.ts'
import { createFundedAccount, type FundedAccount, startGateway } from '../gateway-process.ts'
import { cpuRatio, resultOf, takePairs } from '../pairs.ts'
import type { Row, RowResult } from '../row.ts'
import type { Side } from '../side.ts'
import { warmUp } from '../warm-up.ts'
import { cpuNote } from './billed-request.ts'

const CONNECTIONS = 64
const GOAL = 1.03

/**
 * A gateway that puts what it books into the ledger log, against one that does not, each on a database of its own. No
 * setting turns the log off: the second gateway is a program of the bench. Source of the goal: docs/benchmark.md, row 14.
 */
export const ledgerLog: Row = {
  number: 14,
  title: 'A request with the ledger log against one without',
  measure: async (context) => [await measure(context, 'sqlite'), await measure(context, 'postgres')],
}

async function measure(context: BenchContext, engine: BenchEngine): Promise<RowResult> {
  const upstream = await startStub(context)
  const start = (funded: FundedAccount, name: string, program?: string): Promise<Side> =>
    startGateway(context, funded, {
      ...{ name, upstreamUrl: `${upstream}/v1`, profile: profileFolder(context, `row-14-${engine}`) },
      ...(program === undefined ? {} : { program }),
    })
  const [without, withLog] = [await fund(context, engine), await fund(context, engine)]
  const sides = {
    baseline: await start(without, 'gateway without the log', 'gateway-without-log'),
    candidate: await start(withLog, 'gateway'),
  }
  const order = { kind: 'whole', connections: CONNECTIONS, seconds: context.options.seconds } as const
  await warmUp(context, sides, { ...order, rate: null })
  const rate = await calibrateRate(context, sides, CONNECTIONS)
  const pairs = await takePairs(context, sides, { ...order, rate })
  await stopSides(context, [sides.baseline, sides.candidate])
  for (const { rig } of [without, withLog]) await rig.close()
  return resultOf(pairs, {
    ...{ row: 14, unit: '×', goal: GOAL, valueOf: cpuRatio },
    figure: `CPU per billed request, with the ledger log against without, ${ENGINE_NAMES[engine]}`,
    notesOf: (median) => [cpuNote(median), `at ${rate}/s`],
  })
}

async function fund(context: BenchContext, engine: BenchEngine): Promise<FundedAccount> {
  return createFundedAccount(context, await createDatabase(context, engine))
}
