import { Client } from 'undici'
import type { LoadTarget, WholeOrder } from '../load-order.ts'
import { seededRandom } from './seeded-random.ts'
import { sendOne } from './send-one.ts'
import { LoadTally } from './tally.ts'
import { bodyOf } from './work-body.ts'

interface Connection {
  readonly client: Client
  readonly target: LoadTarget
  /** Milliseconds until this connection's next request is due, counted from the last one. */
  readonly nextGap: () => number
}

/**
 * Sends whole requests. With a rate each connection has a schedule of random gaps, the same ones in every run, so that
 * both sides of a pair meet the same arrivals. A request that finds its connection busy is timed from when it was due.
 */
export async function sendWhole(order: WholeOrder): Promise<LoadTally> {
  const tally = new LoadTally()
  const startedAt = performance.now()
  const connections = Array.from({ length: order.connections }, (_, index) => openConnection(order, index))
  await Promise.all(connections.map((connection) => runConnection(connection, startedAt, order, tally)))
  await Promise.all(connections.map(({ client }) => client.destroy()))
  return tally
}

function openConnection(order: WholeOrder, index: number): Connection {
  const target = order.targets[index % order.targets.length]
  if (target === undefined) throw new Error('the order names no target')
  const random = seededRandom(index + 1)
  const meanGap = order.rate === null ? 0 : (order.connections * 1000) / order.rate
  // Gaps of arrivals that know nothing of each other.
  return { client: new Client(target.origin), target, nextGap: () => -Math.log(1 - random()) * meanGap }
}

async function runConnection(
  { client, target, nextGap }: Connection,
  startedAt: number,
  order: WholeOrder,
  tally: LoadTally,
): Promise<void> {
  const body = bodyOf(target)
  const endsAt = startedAt + order.seconds * 1000
  let due = startedAt
  for (;;) {
    due += nextGap()
    if (Math.max(due, performance.now()) >= endsAt) return
    const early = due - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    const from = early > 0 || order.rate === null ? performance.now() : due
    const { status, tail } = await sendOne(client, target, body)
    if (status === 200) tally.succeed(performance.now() - from)
    else tally.fail(`${status} ${tail}`)
  }
}
