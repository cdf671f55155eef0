/** Sends load on order, as a process of its own so that its CPU is not the gateway's. */
import type { LoadOrder, LoadResult } from '../load-order.ts'
import { HeldStreams } from '../load/held-streams.ts'
import { sendStreams } from '../load/send-streams.ts'
import { sendWhole } from '../load/send-whole.ts'
import type { LoadTally } from '../load/tally.ts'

const held = new HeldStreams()

function obey(order: LoadOrder): Promise<LoadTally> {
  switch (order.kind) {
    case 'whole':
      return sendWhole(order)
    case 'streams':
      return sendStreams(order)
    case 'hold':
      return held.open(order)
    case 'release':
      return held.release()
  }
}

async function answer(order: LoadOrder): Promise<LoadResult> {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const tally = await obey(order)
  const used = process.cpuUsage(before)
  return {
    ...tally.summary(),
    seconds: (performance.now() - startedAt) / 1000,
    cpuMs: (used.user + used.system) / 1000,
  }
}

process.on('message', (order: LoadOrder) => {
  void answer(order).then((result) => process.send?.(result))
})
process.on('disconnect', () => process.exit())
process.send?.({ port: 0 })
