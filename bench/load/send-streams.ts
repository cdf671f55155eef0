import { Client } from 'undici'
import type { StreamsOrder } from '../load-order.ts'
import { sendOne, streamBody } from './send-one.ts'
import { LoadTally } from './tally.ts'

/** Reads streams to their end, one after another on each connection. */
export async function sendStreams(order: StreamsOrder): Promise<LoadTally> {
  const tally = new LoadTally()
  const endsAt = performance.now() + order.seconds * 1000
  const run = async (index: number): Promise<void> => {
    const target = order.targets[index % order.targets.length]
    if (target === undefined) throw new Error('the order names no target')
    const client = new Client(target.origin)
    const body = streamBody(target, order.chunks)
    await new Promise((resolve) => setTimeout(resolve, (index * order.spreadMs) / order.connections))
    // At least one, however short the time is.
    do {
      const from = performance.now()
      const { status, tail } = await sendOne(client, target, body)
      if (status === 200 && tail.includes('data: [DONE]')) tally.succeed(performance.now() - from)
      else tally.fail(`${status} ${tail}`)
    } while (performance.now() < endsAt)
    await client.destroy()
  }
  await Promise.all(Array.from({ length: order.connections }, (_, index) => run(index)))
  return tally
}
