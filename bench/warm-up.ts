import type { BenchContext } from './bench-context.ts'
import type { PairedSides } from './pairs.ts'
import { sampleSide, type SideOrder } from './side.ts'

/** Chunks of a stream while a side warms up: what costs most to compile is its beginning and its end. */
const SHORT_CHUNKS = 2

/** Has both sides work for as long as their code is still being compiled. */
export async function warmUp(
  context: BenchContext,
  { baseline, candidate }: PairedSides,
  order: SideOrder,
): Promise<void> {
  const seconds = context.options.warmUpSeconds
  const short = order.kind === 'streams' ? { chunks: SHORT_CHUNKS } : { rate: null }
  for (const side of [baseline, candidate])
    await sampleSide(context, side, { ...order, ...short, seconds } as SideOrder)
}
