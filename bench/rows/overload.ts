import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import type { BenchContext } from '../bench-context.ts'
import { createDatabase, profileFolder, stopSides } from '../bench-rig.ts'
import { busiestCore, readCoreTimes } from '../core-times.ts'
import { createFundedAccount, startGateway } from '../gateway-process.ts'
import { spreadOf } from '../interval.ts'
import type { ArrivalsOrder, ArrivalsResult, SlowUpstreamSettings } from '../overload-order.ts'
import { judge, type Row, type RowResult } from '../row.ts'
import { BUSY_MAX, type Side } from '../side.ts'

/** A slow upstream: 200 requests a second are all that it can do. */
const UPSTREAM: SlowUpstreamSettings = { atOnce: 32, tookMs: 160 }
const CAPACITY = (UPSTREAM.atOnce * 1_000) / UPSTREAM.tookMs
/** How long a request may wait for its turn, in milliseconds: low, so that queues are full within a second. */
const WAITING_MS = 200
const TIMES = 3
const UNSEEN_SECONDS = 1
/** Sides are this much longer than elsewhere: their first second is not counted. */
const LONGER = 2

/** The same requests a second that can be done, and three times as many. */
interface OverloadPair {
  readonly full: ArrivalsResult
  readonly over: ArrivalsResult
  readonly coreBusy: number
}

interface Figure {
  readonly figure: string
  readonly unit: string
  readonly goal: number
  readonly valueOf: (pair: OverloadPair) => number
  readonly notesOf: (median: (valueOf: (pair: OverloadPair) => number) => number) => readonly string[]
}

const figures: readonly Figure[] = [
  {
    ...{ figure: `work left undone at ${TIMES} × capacity, embedded`, unit: '%', goal: 10 },
    valueOf: ({ over }) => Math.max(0, (1 - over.servedPerSecond / CAPACITY) * 100),
    notesOf: (median) => [
      `${median(({ over }) => over.servedPerSecond).toFixed(0)}/s of ${CAPACITY}/s`,
      `${median(({ full }) => full.servedPerSecond).toFixed(0)}/s at capacity`,
    ],
  },
  {
    ...{ figure: `p99 of what is served at ${TIMES} × capacity against that at capacity`, unit: '×', goal: 4 },
    valueOf: ({ full, over }) => over.servedP99Ms / full.servedP99Ms,
    notesOf: (median) => [
      `${median(({ over }) => over.servedP99Ms).toFixed(0)} ms against ${median(({ full }) => full.servedP99Ms).toFixed(0)} ms`,
      `may wait for ${WAITING_MS} ms`,
    ],
  },
  {
    ...{ figure: `p99 of a refusal at ${TIMES} × capacity`, unit: 'ms', goal: 50 },
    valueOf: ({ over }) => over.refusedP99Ms,
    notesOf: (median) => [
      `median ${median(({ over }) => over.refusedP50Ms).toFixed(1)} ms`,
      `longest ${median(({ over }) => over.refusedMaxMs).toFixed(0)} ms`,
    ],
  },
]

async function arrive(generator: ChildProcess, order: ArrivalsOrder): Promise<ArrivalsResult> {
  const signal = AbortSignal.timeout(order.seconds * 1_000 + 60_000)
  generator.send(order)
  const [result] = (await once(generator, 'message', { signal })) as [ArrivalsResult]
  if (result.failed > 0) throw new Error(`${result.failed} requests failed, the first with: ${result.failure}`)
  return result
}

function resultOf(pairs: readonly OverloadPair[], { figure, unit, goal, valueOf, notesOf }: Figure): RowResult {
  const median = (pick: (pair: OverloadPair) => number): number => spreadOf(pairs.map(pick)).median
  const spread = spreadOf(pairs.map(valueOf))
  const generatorBusy = median(({ over }) => over.generatorBusy)
  const coreBusy = median((pair) => pair.coreBusy)
  const isBusy = Math.max(generatorBusy, coreBusy) > BUSY_MAX
  return {
    ...{ row: 15, figure, unit, goal, generatorBusy, coreBusy, samples: { counted: pairs, disturbed: [] } },
    ...(isBusy ? { spread: null, count: 0 } : { spread, count: pairs.length }),
    verdict: isBusy ? 'refused' : judge(goal, spread.median, pairs.length),
    notes: [`at ${CAPACITY * TIMES}/s`, ...notesOf(median)],
  }
}

async function takePair(generator: ChildProcess, side: Side, seconds: number): Promise<OverloadPair> {
  const [target] = side.targets
  if (target === undefined) throw new Error('the gateway has no address')
  const order = { target, seconds, unseenSeconds: UNSEEN_SECONDS }
  const full = await arrive(generator, { ...order, rate: CAPACITY })
  const cores = readCoreTimes()
  const over = await arrive(generator, { ...order, rate: CAPACITY * TIMES })
  return { full, over, coreBusy: busiestCore(cores, readCoreTimes()) }
}

/**
 * Three times as many requests as an upstream can do, against as many. Source of the goals: docs/benchmark.md, row 15.
 */
export const overload: Row = {
  number: 15,
  title: 'Overload of a slow upstream',
  async measure(context: BenchContext) {
    const { port } = await context.children.start('slow-upstream', UPSTREAM)
    const { child: generator } = await context.children.start('arrivals', {})
    const funded = await createFundedAccount(context, await createDatabase(context, 'sqlite'))
    const gateway = await startGateway(context, funded, {
      ...{ name: 'gateway', upstreamUrl: `http://127.0.0.1:${port}/v1`, profile: profileFolder(context, 'row-15') },
      requestsAtOnce: UPSTREAM.atOnce,
      waitingMs: WAITING_MS,
    })
    const seconds = LONGER * context.options.seconds + UNSEEN_SECONDS
    await takePair(generator, gateway, Math.max(2, context.options.warmUpSeconds / 4))
    const pairs: OverloadPair[] = []
    while (pairs.length < context.options.pairs) pairs.push(await takePair(generator, gateway, seconds))
    await stopSides(context, [gateway])
    await funded.rig.close()
    return figures.map((figure) => resultOf(pairs, figure))
  },
}
