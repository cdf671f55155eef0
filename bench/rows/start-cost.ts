import { setTimeout as pauseFor } from 'node:timers/promises'
import type { BenchContext } from '../bench-context.ts'
import { createDatabase, profileFolder, startStub, stopSides } from '../bench-rig.ts'
import { createFundedAccount, type FundedAccount, startGateway } from '../gateway-process.ts'
import { spreadOf } from '../interval.ts'
import { readUsage } from '../process-usage.ts'
import { judge, type Row, type RowResult } from '../row.ts'

const CPU_GOAL_MS = 400
const IDLE_GOAL_MIB = 120
/** What a start leaves behind is tidied up in this time, and no request comes. */
const IDLE_MS = 5_000
const MIB = 1_048_576

/**
 * Starts of one gateway on embedded storage, one after another, with the compiled code that the first has left. Source
 * of the goals: docs/benchmark.md, row 16.
 */
export const startCost: Row = {
  number: 16,
  title: 'A start, and a gateway that rests',
  async measure(context) {
    const upstream = await startStub(context)
    const funded = await createFundedAccount(context, await createDatabase(context, 'sqlite'))
    // The first compiles what the others find compiled.
    await startOnce(context, funded, upstream, 0)
    const starts: Started[] = []
    for (let start = 0; start < context.options.pairs; start++) {
      starts.push(await startOnce(context, funded, upstream, start === 0 ? IDLE_MS : 0))
    }
    await funded.rig.close()
    const [{ idleMib } = { idleMib: 0 }] = starts
    return [
      resultOf('CPU to ready, embedded, without the sandbox', 'ms', {
        goal: CPU_GOAL_MS,
        values: starts.map(({ cpuMs }) => cpuMs),
      }),
      resultOf(`memory at rest, ${IDLE_MS / 1000} s after a start`, 'MiB', { goal: IDLE_GOAL_MIB, values: [idleMib] }),
    ]
  },
}

interface Started {
  readonly cpuMs: number
  readonly idleMib: number
}

async function startOnce(
  context: BenchContext,
  funded: FundedAccount,
  upstream: string,
  idleMs: number,
): Promise<Started> {
  const gateway = await startGateway(context, funded, {
    ...{ name: 'gateway', upstreamUrl: `${upstream}/v1`, profile: profileFolder(context, 'row-16') },
  })
  const [child] = gateway.processes
  if (child === undefined) throw new Error('the gateway has no process')
  const { cpuMs } = await readUsage(child)
  await pauseFor(idleMs)
  const { rssBytes } = await readUsage(child)
  await stopSides(context, [gateway])
  return { cpuMs, idleMib: rssBytes / MIB }
}

/** No other side is measured beside a start, so a busy machine shows: compare figures of quiet ones. */
function resultOf(
  figure: string,
  unit: string,
  { goal, values }: { readonly goal: number; readonly values: readonly number[] },
): RowResult {
  const spread = spreadOf(values)
  const isOne = values.length === 1
  return {
    ...{ row: 16, figure, unit, goal, spread, count: values.length },
    verdict: isOne ? (spread.median <= goal ? 'met' : 'missed') : judge(goal, spread.median, values.length),
    ...{ generatorBusy: null, coreBusy: null, samples: null, notes: [] },
  }
}
