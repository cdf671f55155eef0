import type { ChildProcess } from 'node:child_process'
import type { BenchContext } from './bench-context.ts'
import { busiestCore, readCoreTimes } from './core-times.ts'
import type { LoadOrder, LoadTarget, StreamsOrder, WholeOrder } from './load-order.ts'
import { type ProcessUsage, readTreeUsage, readUsage } from './process-usage.ts'

/** One side of a pair: where its requests go, and whose CPU they cost. */
export interface Side {
  readonly name: string
  readonly targets: readonly LoadTarget[]
  readonly processes: readonly ChildProcess[]
  /** Whether what these have started counts, too: other gateways have helpers of their own. */
  readonly withDescendants?: boolean
}

/** What one run against one side has shown. */
export interface Sample {
  /** CPU of the side's processes per answer, in microseconds. */
  readonly cpuUs: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** From 0 to 1. */
  readonly generatorBusy: number
  readonly coreBusy: number
}

/** An order without its targets, for either side. */
export type SideOrder = Omit<WholeOrder, 'targets'> | Omit<StreamsOrder, 'targets'>

/** The most that the load generator or a core may be busy for a figure to count. Source: docs/benchmark.md. */
export const BUSY_MAX = 0.8

/** @throws {Error} when an answer failed, or there was none. */
export async function sampleSide(context: BenchContext, side: Side, order: SideOrder): Promise<Sample> {
  const cores = readCoreTimes()
  const before = await cpuOf(side)
  const result = await context.load({ ...order, targets: side.targets } as LoadOrder)
  const used = (await cpuOf(side)) - before
  const coreBusy = busiestCore(cores, readCoreTimes())
  if (result.done === 0) throw new Error(`the ${side.name} answered nothing in ${result.seconds.toFixed(1)} s`)
  return {
    cpuUs: (used * 1000) / result.done,
    perSecond: result.done / result.seconds,
    ...{ p50Ms: result.p50Ms, p99Ms: result.p99Ms },
    generatorBusy: result.cpuMs / 1000 / result.seconds,
    coreBusy,
  }
}

async function cpuOf(side: Side): Promise<number> {
  return (await usageOf(side)).cpuMs
}

/** What the processes of a side have used. */
export async function usageOf({ processes, withDescendants = false }: Side): Promise<ProcessUsage> {
  const usages = withDescendants
    ? processes.map(({ pid = 0 }) => readTreeUsage(pid))
    : await Promise.all(processes.map(readUsage))
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    rssBytes: usages.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  }
}
