/** Sends requests at random times, as customers do who know nothing of each other. A process of its own. */
import { Agent } from 'undici'
import type { ArrivalsOrder, ArrivalsResult } from '../overload-order.ts'
import { seededRandom } from '../load/seeded-random.ts'
import { type LoadBody, wholeBody } from '../load/send-one.ts'

/** Milliseconds that a timer may come too early by. */
const SLACK_MS = 0.5

interface Counts {
  readonly served: number[]
  readonly refused: number[]
  answeredInTime: number
  failed: number
  failure: string | null
}

function percentile(times: readonly number[], part: number): number {
  const sorted = Float64Array.from(times).sort()
  return sorted[Math.ceil(part * sorted.length) - 1] ?? 0
}

async function sendOne(
  agent: Agent,
  { target }: ArrivalsOrder,
  { type, content }: LoadBody,
): Promise<{ status: number; hasRetry: boolean; text: string }> {
  const { statusCode, headers, body } = await agent.request({
    ...{ origin: target.origin, path: target.path, method: 'POST', body: content },
    headers: { 'content-type': type, authorization: `Bearer ${target.key}` },
  })
  return { status: statusCode, hasRetry: headers['retry-after'] !== undefined, text: await body.text() }
}

async function run(order: ArrivalsOrder): Promise<ArrivalsResult> {
  const body = wholeBody(order.target)
  const agent = new Agent({ pipelining: 1, keepAliveTimeout: 30_000 })
  const random = seededRandom(7)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const countsFrom = startedAt + order.unseenSeconds * 1_000
  const endsAt = startedAt + order.seconds * 1_000
  const counts: Counts = { served: [], refused: [], answeredInTime: 0, failed: 0, failure: null }
  const sent: Promise<void>[] = []
  const send = async (dueAt: number): Promise<void> => {
    try {
      const { status, hasRetry, text } = await sendOne(agent, order, body)
      const now = performance.now()
      if (status === 200 && now >= countsFrom && now < endsAt) counts.answeredInTime++
      if (dueAt < countsFrom) return
      if (status === 200) counts.served.push(now - dueAt)
      else if (status === 503 && hasRetry) counts.refused.push(now - dueAt)
      else throw new Error(`${status} ${text}`)
    } catch (error) {
      counts.failed++
      counts.failure ??= String(error).slice(0, 300)
    }
  }
  for (let dueAt = startedAt; dueAt < endsAt;) {
    const early = dueAt - performance.now()
    if (early > SLACK_MS) await new Promise((resolve) => setTimeout(resolve, early))
    sent.push(send(dueAt))
    dueAt += (-Math.log(1 - random()) * 1_000) / order.rate
  }
  const used = process.cpuUsage(cpuBefore)
  const generatorBusy = (used.user + used.system) / 1_000 / (performance.now() - startedAt)
  await Promise.all(sent)
  await agent.destroy()
  const { served, refused } = counts
  return {
    ...{ served: served.length, servedPerSecond: (counts.answeredInTime * 1_000) / (endsAt - countsFrom) },
    ...{ servedP50Ms: percentile(served, 0.5), servedP99Ms: percentile(served, 0.99) },
    ...{ refused: refused.length, refusedP50Ms: percentile(refused, 0.5), refusedP99Ms: percentile(refused, 0.99) },
    ...{ refusedMaxMs: percentile(refused, 1), failed: counts.failed, failure: counts.failure, generatorBusy },
  }
}

process.on('message', (order: ArrivalsOrder) => {
  void run(order).then((result) => process.send?.(result))
})
process.on('disconnect', () => process.exit())
process.send?.({ port: 0 })
